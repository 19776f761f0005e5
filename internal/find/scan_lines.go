package find

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/emend-dev/emend/internal/guard"
)

// Match is a line that matches. In a search by path it is a file, and has no line.
type Match struct {
	Path    string
	Line    int
	Column  int // of the first match, in bytes, from 1
	Preview string
	Before  []string
	After   []string
}

const (
	// maxLine is how much of a line is searched; the rest is skipped.
	maxLine = 1 << 20
	// maxBuffer is enough to see that a line is longer, also after a byte order mark.
	maxBuffer = maxLine + 4
	// sniffBytes is how much of a file is read to tell whether it is binary.
	sniffBytes = 8192
	// firstBuffer is how much is read at a time, until a line is longer.
	firstBuffer = 128 << 10
)

// lineScanner searches files line by line. It is for one goroutine, and reuses its memory.
//
// It skips a file with a NUL in its first bytes, and searches a file with a NUL further on up to the line that has it. A byte
// order mark at the beginning is no part of the first line.
type lineScanner struct {
	q       *query
	context int      // how many lines to show around a match
	limit   int      // how many matches of one file are of use; 0 is any number
	printer *printer // if it is not nil, matches are printed into out and not kept in found

	buf                []byte
	found              []Match
	out                []byte     // the matches of all files printed since takePrinted
	texts              [][]byte   // full pieces of out, older than it
	src                guard.File // the file
	dir                string     // the directory of the file
	name               string
	head               []byte // the beginning of a printed line: path and number; empty until there is one
	headPath, headLine int    // the length of the path in head, and its number
	count              int    // how many matches the file has
	onFull             func() // takes what was printed whenever out is full; nil keeps it

	size         int64    // of the file; 0 if unknown
	unread       int64    // how much of it is still to be read
	line         int      // the number of the first line of the block
	tail         []string // the last lines of the blocks before
	after        afterLines
	enough       bool // no more matches are of use
	cutLines     int  // lines of which only the beginning was searched
	stoppedAtNUL bool // the rest of the file, from a NUL on, was not searched
}

// afterLines are the lines after a match that are still to be shown with it.
type afterLines struct {
	at   int // where the next one begins in the block
	line int // its number
	left int // how many are wanted
}

// scan searches r and returns the lines that match. They are valid until the next call.
func (l *lineScanner) scan(ctx context.Context, r io.Reader) ([]Match, error) {
	if l.buf == nil {
		l.buf = make([]byte, firstBuffer)
	}
	l.found, l.tail, l.after, l.enough, l.line = l.found[:0], l.tail[:0], afterLines{}, false, 1
	l.head, l.count, l.cutLines, l.stoppedAtNUL, l.unread = l.head[:0], 0, 0, false, l.size
	n, err := l.sniff(r)
	if err != nil && err != io.EOF || bytes.IndexByte(l.buf[:min(n, sniffBytes)], 0) >= 0 {
		return nil, ignoreEOF(err)
	}
	return l.scanBlocks(ctx, r, n, err == io.EOF)
}

// ignoreEOF returns nil for the end of a file, and any other error as it is.
func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// sniff reads until there is enough to tell whether the file is binary.
func (l *lineScanner) sniff(r io.Reader) (n int, err error) {
	for n < sniffBytes && err == nil {
		var more int
		more, err = l.read(r, n)
		n += more
	}
	return n, err
}

// read reads into the buffer from n on. A file of known size is at its end when all of it was read, and is not read again.
func (l *lineScanner) read(r io.Reader, n int) (int, error) {
	more, err := r.Read(l.buf[n:])
	if l.unread -= int64(more); l.unread == 0 && more > 0 && err == nil {
		err = io.EOF
	}
	return more, err
}

// scanBlocks searches the first n bytes of the buffer and then the rest of r.
func (l *lineScanner) scanBlocks(ctx context.Context, r io.Reader, n int, end bool) ([]Match, error) {
	from, clean := 0, 0 // where the block begins; how far it is known to have no NUL
	if bytes.HasPrefix(l.buf[:n], []byte("\xef\xbb\xbf")) {
		from = 3
	}
	cut := false // in the rest of a line that is too long
	for {
		if ctx.Err() != nil {
			return nil, errCancelled(ctx)
		}
		open, to := !cut && l.tooLong(from, n), n // what comes after the searched part of a line waits
		if open {
			to = from + maxLine
		}
		clean = min(clean, to)
		if nul := bytes.IndexByte(l.buf[clean:to], 0); nul >= 0 {
			n, end, l.stoppedAtNUL, open = max(from, bytes.LastIndexByte(l.buf[:clean+nul], '\n')+1), true, true, false
		}
		if cut {
			from, cut = l.skipRest(from, n)
		}
		whole := max(from, bytes.LastIndexByte(l.buf[from:n], '\n')+1+from)
		switch {
		case open:
			whole, cut = to, true
			l.cutLines++
		case end && !cut:
			whole = max(from, n)
		}
		l.scanBlock(ctx, l.buf[from:whole], open)
		if end && !open || l.enough && l.after.left == 0 {
			return l.found, checkCancelled(ctx)
		}
		n, from = copy(l.buf, l.buf[whole:n]), 0
		clean = n
		if open {
			clean = 0
			continue
		}
		if n == len(l.buf) {
			l.buf = append(l.buf, make([]byte, min(n, maxBuffer-n))...)
		}
		more, err := l.read(r, n)
		if err != nil && err != io.EOF {
			return nil, err
		}
		n, end = n+more, err == io.EOF
	}
}

// tooLong reports whether the line that begins at from is longer than what is searched of it.
func (l *lineScanner) tooLong(from, n int) bool {
	return n-from > maxLine && bytes.IndexByte(l.buf[from:from+maxLine+1], '\n') < 0
}

func checkCancelled(ctx context.Context) error {
	if ctx.Err() != nil {
		return errCancelled(ctx)
	}
	return nil
}

// skipRest skips the rest of a line that is too long.
func (l *lineScanner) skipRest(from, n int) (next int, cut bool) {
	i := bytes.IndexByte(l.buf[from:n], '\n')
	if i < 0 {
		return n, true
	}
	l.line++
	return from + i + 1, false
}

// scanBlock searches a block of whole lines, the last of which may lack its end; or, if open, the beginning of a line that
// goes on.
func (l *lineScanner) scanBlock(ctx context.Context, block []byte, open bool) {
	l.q.beginBlock(block)
	judge := l.q.matchLine
	if open {
		judge = l.q.matchCutLine
	}
	pos, number := 0, l.line
	for pos < len(block) && !l.enough && ctx.Err() == nil {
		at, sure := l.q.next(block, pos)
		if at < 0 {
			break
		}
		begin, passed := lineBegin(block, pos, at)
		number += passed
		line, next, hasCR := splitLine(block, begin, at)
		if col := judge(ctx, line, at-begin, sure, hasCR); col >= 0 {
			l.add(&lineMatch{block, line, begin, next, number, col})
		}
		if pos = next; block[next-1] == '\n' {
			number++
		}
	}
	l.addAfter(block, len(block))
	l.after.at = 0
	l.keepTail(block)
	l.line = number + bytes.Count(block[pos:], newline)
}

var newline = []byte{'\n'}

// lineBegin returns where the line of at begins, and how many lines precede it from pos on, where a line begins. If many
// lines match, it is the first or the second.
func lineBegin(block []byte, pos, at int) (begin, passed int) {
	i := bytes.IndexByte(block[pos:at], '\n')
	if i < 0 {
		return pos, 0
	}
	pos += i + 1
	begin = bytes.LastIndexByte(block[pos:at], '\n') + 1 + pos
	return begin, 1 + bytes.Count(block[pos:begin], newline)
}

// splitLine returns the line that begins at begin and goes on at least to at, without its end, and where the next one begins.
func splitLine(block []byte, begin, at int) (line []byte, next int, hasCR bool) {
	end := len(block)
	if i := bytes.IndexByte(block[at:], '\n'); i >= 0 {
		end = at + i
	}
	next = min(end+1, len(block))
	line = block[begin:end]
	if hasCR = end < len(block) && len(line) > 0 && line[len(line)-1] == '\r'; hasCR {
		line = line[:len(line)-1]
	}
	return line, next, hasCR
}

// lineMatch is a line that matches, and where it is.
type lineMatch struct {
	block, line []byte
	begin, next int // where the line and the next one begin in the block
	number      int // of the line
	col         int // where in it the match is
}

// add prints or keeps a line that matches.
func (l *lineScanner) add(at *lineMatch) {
	l.count++
	l.enough = l.limit > 0 && l.count >= l.limit
	if l.printer != nil {
		l.print(at)
		return
	}
	m := Match{Line: at.number, Column: at.col + 1, Preview: preview(at.line, at.col)}
	if l.context > 0 {
		l.addAfter(at.block, at.next)
		m.Before = l.before(at.block, at.begin)
		l.after = afterLines{at.next, m.Line + 1, l.context}
	}
	l.found = append(l.found, m)
}

// addAfter adds the lines up to end to the matches that they follow.
func (l *lineScanner) addAfter(block []byte, end int) {
	for l.after.left > 0 && l.after.at < end {
		line, next, _ := splitLine(block, l.after.at, l.after.at)
		text := preview(line, 0)
		for i := len(l.found) - 1; i >= 0 && l.found[i].Line >= l.after.line-l.context; i-- {
			l.found[i].After = append(l.found[i].After, text)
		}
		l.after = afterLines{next, l.after.line + 1, l.after.left - 1}
	}
}

// before returns the lines before the one that begins at begin.
func (l *lineScanner) before(block []byte, begin int) []string {
	var out []string
	for len(out) < l.context && begin > 0 {
		end := begin
		begin = bytes.LastIndexByte(block[:end-1], '\n') + 1
		line, _, _ := splitLine(block[:end], begin, begin)
		out = append(out, preview(line, 0))
	}
	slices.Reverse(out)
	if missing := min(l.context-len(out), len(l.tail)); missing > 0 {
		out = slices.Concat(l.tail[len(l.tail)-missing:], out)
	}
	return out
}

// keepTail keeps the last lines of a block, for matches in the next one.
func (l *lineScanner) keepTail(block []byte) {
	if l.context > 0 && len(block) > 0 {
		l.tail = l.before(block, len(block))
	}
}
