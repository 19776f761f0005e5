// Package diff is a unified diff as people like to read it: the file, its hunks, and rows with line numbers, changed words
// and colours, in one column or side by side. It reads what emend itself writes and keeps, and patches as agents write them;
// what it does not understand is a row as it stands, so no line is lost. It compares no files, and checks no patch.
package diff

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/internal/front/web/paint"
)

// Op is what happened to a file.
type Op string

// What happens to files.
const (
	Changed Op = "changed"
	Added   Op = "added"
	Deleted Op = "deleted"
	Moved   Op = "moved"
)

// File is the diff of one file.
type File struct {
	From, To       string // its path before and after; "" when the text does not say
	Op             Op
	Link           bool // it is a symbolic link
	Binary         bool // there is a difference, which cannot be shown
	Added, Removed int  // lines
	CRLF           bool // every line ends in CR and LF, which the rows leave out

	lines       []line
	splitRows   []pair // the rows of the view side by side, once they were asked for
	headerLines []int  // the numbers of the lines that are in none of these, but in the fields above
	lang        *paint.Lang
}

// Path is what the file is called now, or was called last.
func (f *File) Path() string {
	if f.To != "" && f.Op != Deleted {
		return f.To
	}
	if f.From != "" {
		return f.From
	}
	return f.To
}

// Len is how many rows there are.
func (f *File) Len(split bool) int {
	if split {
		return len(f.layoutSplit())
	}
	return len(f.lines)
}

// MaxNumber is the greatest number of a line.
func (f *File) MaxNumber() int {
	for i := len(f.lines) - 1; i >= 0; i-- {
		if l := &f.lines[i]; l.kind <= Del {
			return int(max(l.old, l.new))
		}
	}
	return 0
}

// Kind is what a row or a side of it is. Its name is a class of the page.
type Kind uint8

// The kinds of rows.
const (
	None Kind = iota // the other side only
	Same
	Add
	Del
	Hunk // the head of a hunk
	Note // what belongs to no file, or is not understood
)

var kindNames = [...]string{"none", "same", "add", "del", "hunk", "note"}

func (k Kind) String() string { return kindNames[k] }

// line is one line of a diff, but those of its head.
type line struct {
	text      string // without the sign
	old, new  int32  // its numbers; 0 for none
	kind      Kind
	noNewline bool // the last of its file, and no newline ends it
	unsigned  bool // it has no sign, as editors leave blank lines
}

// MaxLines is how many lines are read: what a page needs of memory has a bound, while a file may have gigabytes.
const MaxLines = 1 << 20

// omittedLines says that the rest of a text is not read.
func omittedLines(rest string) string {
	return fmt.Sprintf("… %d more lines are not shown", strings.Count(rest, "\n"))
}

// Parse reads the diff of one file. What follows for another one is rows.
func Parse(text string) *File {
	p := parser{single: true}
	p.read(text)
	return p.files[0]
}

// ParseAll reads the diffs of several files. Notes before the diff of a file, lines that begin with "# ", belong to it.
func ParseAll(text string) []*File {
	var p parser
	p.read(text)
	return p.files
}

// summarize works out what only the whole of a file tells.
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

// FromText is a text as it is, as rows with numbers.
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
