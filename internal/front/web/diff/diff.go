// Package diff turns the text of a unified diff into rows for a page: the file, its hunks, and lines with their numbers, with
// changed words and colours, in one column or side by side. It reads the diffs that emend writes and keeps, and patches as
// agents write them. A line that it does not understand becomes a row as it stands, so that no line is lost.
//
// It compares no files, and checks no patch.
package diff

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/internal/front/web/paint"
)

// Op says what happened to a file.
type Op string

// The operations.
const (
	Changed Op = "changed"
	Added   Op = "added"
	Deleted Op = "deleted"
	Moved   Op = "moved"
)

// File is the diff of one file.
type File struct {
	From, To       string // its path before and after; "" if the diff does not name it
	Op             Op
	Link           bool // a symbolic link
	Binary         bool // the files differ, in bytes that the diff does not have
	Added, Removed int  // counts of lines
	CRLF           bool // every line ends in CR LF; rows leave the CR out

	lines       []line
	splitRows   []pair // made when the split view is first asked for
	headerLines []int  // numbers of the lines that are in the fields above, and in no row
	lang        *paint.Lang
}

// Path returns the file's path after the change, or before it if it was deleted.
func (f *File) Path() string {
	if f.To != "" && f.Op != Deleted {
		return f.To
	}
	if f.From != "" {
		return f.From
	}
	return f.To
}

// Len returns the number of rows.
func (f *File) Len(split bool) int {
	if split {
		return len(f.layoutSplit())
	}
	return len(f.lines)
}

// FirstLine returns the number, in the file after the change, of the first line that changed or that follows removed lines; 0 if the
// diff has no such line.
func (f *File) FirstLine() int {
	changed := false
	for i := range f.lines {
		l := &f.lines[i]
		changed = changed || l.kind == Add || l.kind == Del
		if changed && l.kind <= Add && l.new > 0 {
			return int(l.new)
		}
	}
	return 0
}

// MaxNumber returns the greatest line number.
func (f *File) MaxNumber() int {
	for i := len(f.lines) - 1; i >= 0; i-- {
		if l := &f.lines[i]; l.kind <= Del {
			return int(max(l.old, l.new))
		}
	}
	return 0
}

// Kind says what a row is, or one side of it. Its name is a CSS class of the page.
type Kind uint8

// The kinds.
const (
	None Kind = iota // nothing: the line is on the other side only
	Same
	Add
	Del
	Hunk // the header of a hunk
	Note // text that belongs to no file, or is not understood
)

var kindNames = [...]string{"none", "same", "add", "del", "hunk", "note"}

func (k Kind) String() string { return kindNames[k] }

// line is one line of a diff, outside of the file's header.
type line struct {
	text      string // without its sign
	old, new  int32  // line numbers; 0 for none. old of a Hunk is its number in the file
	kind      Kind
	noNewline bool // the last line of its file, which no newline ends
	unsigned  bool // it has no sign: editors strip the blank from empty lines
}

// MaxLines limits the lines that are read, and so the memory of a page: files may have gigabytes.
const MaxLines = 1 << 20

// omittedLines is the row in the place of the lines that are not read.
func omittedLines(rest string) string {
	return fmt.Sprintf("… %d more lines are not shown", strings.Count(rest, "\n"))
}

// Parse reads the diff of one file. Diffs of further files become rows of it.
func Parse(text string) *File {
	p := parser{single: true}
	p.read(text)
	return p.files[0]
}

// ParseAll reads the diffs of several files. A line that begins with "# " is a note, and belongs to the diff that follows it.
func ParseAll(text string) []*File {
	var p parser
	p.read(text)
	return p.files
}

// summarize sets what depends on all lines: counts, CRLF and the language.
func (f *File) summarize() {
	f.lang = paint.For(f.Path())
	crs, all := 0, 0
	for i := range f.lines {
		l := &f.lines[i]
		switch l.kind {
		case Add:
			f.Added++
		case Del:
			f.Removed++
		case Same:
		default:
			continue
		}
		all++
		if strings.HasSuffix(l.text, "\r") {
			crs++
		}
	}
	f.CRLF = all > 0 && crs == all
}

// FromText makes rows with numbers of a whole text.
func FromText(path, text string) *File {
	f := &File{From: path, To: path, Op: Changed, lines: make([]line, 0, min(strings.Count(text, "\n")+1, MaxLines))}
	for s := range strings.Lines(text) {
		if len(f.lines) == MaxLines {
			f.lines = append(f.lines, line{text: omittedLines(text), kind: Note, unsigned: true})
			break
		}
		text = text[len(s):]
		s, ended := strings.CutSuffix(s, "\n")
		n := int32(len(f.lines) + 1)
		f.lines = append(f.lines, line{text: s, old: n, new: n, kind: Same, noNewline: !ended})
	}
	f.summarize()
	return f
}
