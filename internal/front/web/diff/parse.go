package diff

import (
	"strconv"
	"strings"
)

// parser reads line by line. A hunk with numbers has as many lines as its header says, whatever they look like.
type parser struct {
	single               bool // reads one file only
	lineNumber           int  // in the text, from 1
	files                []*File
	file                 *File
	oldNumber, newNumber int32 // of the next lines; 0 if not known
	oldLeft              int   // lines that the hunk still has to have, by its header
	newLeft              int
	hasHunk              bool  // the file already has a hunk
	hunks                int32 // that the file has so far
	inHunk               bool
	unnumbered           bool // in a section of a patch without line numbers: every line with a sign belongs to it
}

func (p *parser) read(text string) {
	p.beginFile()
	p.file.lines = make([]line, 0, min(strings.Count(text, "\n")+1, MaxLines))
	for text != "" {
		if p.lineNumber == MaxLines {
			p.note(omittedLines(text))
			break
		}
		s := text
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			s, text = text[:i], text[i+1:]
		} else {
			text = ""
		}
		p.lineNumber++
		p.line(s, text)
	}
	for _, f := range p.files {
		f.summarize()
	}
}

func (p *parser) beginFile() {
	p.file = &File{Op: Changed}
	p.files, p.hasHunk, p.hunks = append(p.files, p.file), false, 0
	p.endHunk()
}

func (p *parser) endHunk() {
	p.inHunk, p.unnumbered, p.oldLeft, p.newLeft, p.oldNumber, p.newNumber = false, false, 0, 0, 0, 0
}

// line reads line s. The rest of the text follows it.
func (p *parser) line(s, rest string) {
	switch {
	case (p.oldLeft > 0 || p.newLeft > 0) && p.hunkLine(s):
	case s == `\ No newline at end of file` && p.lastLine() != nil:
		p.lastLine().noNewline = true
	case strings.HasPrefix(s, "@@"):
		p.hunkHeader(s)
	case p.startsFile(s, rest):
		if !p.header(s) {
			p.note(s)
		}
	case (p.inHunk || p.unnumbered) && p.hunkLine(s):
	case p.header(s):
	default:
		p.note(s)
	}
}

// lastLine returns the line before this one, if it is a line of a file without a mark for a missing newline.
func (p *parser) lastLine() *line {
	if n := len(p.file.lines); n > 0 && p.file.lines[n-1].kind <= Del && !p.file.lines[n-1].noNewline {
		return &p.file.lines[n-1]
	}
	return nil
}

// hunkLine reads s as a line of a hunk, and reports whether it is one.
func (p *parser) hunkLine(s string) bool {
	l := line{text: s, kind: Same, unsigned: true}
	if s != "" {
		l.text, l.unsigned = s[1:], false
		switch s[0] {
		case '+':
			l.kind = Add
		case '-':
			l.kind = Del
		case ' ':
		default:
			return false
		}
	}
	p.hasHunk = true
	if l.kind != Add {
		l.old, p.oldNumber, p.oldLeft = p.oldNumber, nextNumber(p.oldNumber), p.oldLeft-1
	}
	if l.kind != Del {
		l.new, p.newNumber, p.newLeft = p.newNumber, nextNumber(p.newNumber), p.newLeft-1
	}
	p.file.lines = append(p.file.lines, l)
	return true
}

func nextNumber(n int32) int32 {
	if n == 0 {
		return 0
	}
	return n + 1
}

// hunkHeader reads the header of a hunk: "@@ -1,2 +3,4 @@ words", or one without numbers.
func (p *parser) hunkHeader(s string) {
	free := p.unnumbered
	p.endHunk()
	p.inHunk, p.unnumbered, p.hasHunk = true, free, true
	p.hunks++
	p.file.lines = append(p.file.lines, line{text: s, kind: Hunk, unsigned: true, old: p.hunks})
	h, ok := parseHunkHeader(s)
	if !ok {
		return
	}
	p.oldNumber, p.oldLeft, p.newNumber, p.newLeft = int32(h.old), h.olds, int32(h.new), h.news
}

// parseRange reads "12,3", or "12", which stands for one line.
func parseRange(s string) (at int32, n int, ok bool) {
	first, count, counted := strings.Cut(s, ",")
	v, err := strconv.ParseUint(first, 10, 31)
	if err != nil || v > 1<<30 {
		return 0, 0, false
	}
	if !counted {
		return int32(v), 1, true
	}
	n64, err := strconv.ParseUint(count, 10, 30)
	return int32(v), int(n64), err == nil
}

func (p *parser) note(s string) {
	after := "# what comes to stand there is not shown" // is about the file before it
	if !p.single && strings.HasPrefix(s, "# ") && p.hasFile() && !strings.HasPrefix(s, after) {
		p.beginFile()
	}
	p.inHunk = false
	p.file.lines = append(p.file.lines, line{text: s, kind: Note, unsigned: true})
}

// hasFile reports whether the text has already named the file or begun a hunk.
func (p *parser) hasFile() bool { return p.hasHunk || p.file.From != "" || p.file.To != "" }
