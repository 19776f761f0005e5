package dialect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// hunkReader reads the hunks of one section.
type hunkReader struct {
	*parser
	s *patch.Section
	h patch.Hunk

	stored []patch.Line // lines of earlier hunks; the array may have room for more
	spare  []patch.Line // where the lines of a hunk are collected

	open     bool // a hunk has begun
	ended    bool // with *** End of File
	blanks   int  // empty lines that are not yet context
	blankAt  int  // the line number of the first of them
	bothOpen bool // the last line of the file is context, and no added line follows: it stays the last one
}

// readHunks reads the lines of an Update or a Move.
func (p *parser) readHunks(s *patch.Section) {
	p.readMoveTo(s)
	p.readDiffHeader(s.Path)
	u := &hunkReader{parser: p, s: s}
	for p.ok && p.err == nil && u.readLine() {
		p.advance()
	}
	u.endHunk(true)
	if p.ok {
		if _, _, known := p.g.header(p.headerLine()); !known {
			return // the mistake is in the line that ends the section
		}
	}
	if p.err == nil && len(s.Hunks) == 0 && !(s.Op == patch.Move && p.g.emptyMove) && !p.g.emptyUpdate {
		p.refuse(s.Line, wantHunk, "the section has no hunks", "Write at least one hunk under the header, or leave the section out.")
		p.err.Path = s.Path
	}
}

func (p *parser) readMoveTo(s *patch.Section) {
	if !p.g.moveTo || s.Op != patch.Update || !p.ok {
		return
	}
	if rest, ok := strings.CutPrefix(p.line, moveTo); ok {
		s.Op, s.To = patch.Move, p.readPath(rest)
		p.advance()
	}
}

// readDiffHeader takes off the lines --- and +++ of a unified diff of the same file, which models write between the header of a section
// and its first hunk.
func (p *parser) readDiffHeader(path string) {
	below := p.lines
	below.advance()
	name, _ := cutLabel(strings.TrimPrefix(below.line, "+++ "))
	if p.err != nil || !p.ok || !p.beginsPair() || !names(name, path) || !strings.HasPrefix(below.next(), "@@") {
		return
	}
	if !p.g.reports {
		p.refuse(p.n, "@@", "the header of a unified diff inside of a section: "+fail.Quote(p.line), "Leave out the lines --- and +++: the section names its file.")
		return
	}
	p.report(p.n, "the header of a unified diff was taken off: %s", fail.Quote(p.line))
	p.advance()
	p.advance()
}

// readLine reads one line of the section, and reports whether it belongs to it.
func (u *hunkReader) readLine() bool {
	line, g := u.parser.line, u.g
	anchor, heads := g.heading(line)
	switch {
	case heads:
		if text, _ := containedHeading(line); !g.keepsText && text != "" {
			u.drop(1)
		}
		u.beginHunk(anchor)
	case line == "":
		if u.blanks++; u.blanks == 1 {
			u.blankAt = u.n
		}
	case line != "" && strings.IndexByte(" -+", line[0]) >= 0:
		u.addLine(patch.Line(line))
	case g.noNewline == honoured && g.isNoNewline(line):
		u.readNoNewline()
	case g.endOfFile == honoured && u.updateLine() == endOfFile && u.open && len(u.h.Lines) > 0 && !u.ended:
		if line != endOfFile {
			u.report(u.n, "white space after %q was taken off", endOfFile)
		}
		u.h.AtEnd, u.ended = true, true
		u.addBlankContext()
	case u.skipIgnored():
	case strings.HasPrefix(line, "***"):
		return false
	default:
		u.refuse(u.n, `" ", "-", "+" or "@@"`, "no line of a hunk begins like this: "+fail.Quote(line),
			`Begin every line of a hunk with " " (context), "-" or "+".`)
	}
	return true
}

// beginHunk reads "@@".
func (u *hunkReader) beginHunk(anchor string) {
	lone := u.open && len(u.h.Lines) == 0
	switch {
	case lone && u.g.emptyHeading == honoured:
		u.blanks = 0
	default:
		u.endHunk(false)
		u.open, u.h.Line = true, u.n
	}
	if anchor != "" {
		u.h.Anchors, u.h.How = append(u.h.Anchors, anchor), u.g.how
	}
}

// addLine adds a line to the hunk.
func (u *hunkReader) addLine(l patch.Line) {
	switch {
	case u.ended:
		u.refuse(u.n, "@@", fmt.Sprintf("a line after %q", endOfFile), `Begin a new hunk with "@@".`)
	case !u.open && u.g.hunksBegin == mustOpen:
		u.refuse(u.n, "@@", "a hunk does not begin with \"@@\": "+fail.Quote(string(l)), `Write a line "@@" above the hunk.`)
	case !u.open:
		u.open, u.h.Line = true, u.n
	}
	if u.blanks > 0 && u.g.blank == ignored {
		u.settleBlanks(l)
	}
	u.marked = u.marked || l == "+"
	u.addBlankContext()
	if old := l.Old(); old && u.h.OldOpen || l.Mark() != '-' && u.h.NewOpen {
		u.refuse(u.n, "", fmt.Sprintf("a line after %q", noNewline), "Put that line below the last line of the file only.")
	}
	if l.Mark() == '+' {
		u.bothOpen = false
	}
	u.h.Lines = append(u.h.Lines, l)
}

// settleBlanks decides what the empty lines above l are in a dialect that ignores them. Between added lines they are added
// lines too. Beside one they may be that, or context, and are refused.
func (u *hunkReader) settleBlanks(l patch.Line) {
	last := patch.Line(" ")
	if n := len(u.h.Lines); n > 0 {
		last = u.h.Lines[n-1]
	}
	switch added, above := l.Mark() == '+', last.Mark() == '+'; {
	case added && above:
		u.h.Lines = append(u.h.Lines, slices.Repeat([]patch.Line{"+"}, u.blanks)...)
		u.noteUnmarked(u.blankAt)
		u.blanks = 0
	case added || above:
		u.refuse(u.blankAt, `" ", "-" or "+"`, "an empty line beside an added one has no mark",
			`Write "+" if the line is added and " " if it is in the file, or leave it out.`)
	}
}

// addBlankContext adds the empty lines seen so far as blank context. After the last line of the file they are ignored.
func (u *hunkReader) addBlankContext() {
	if u.g.blank == ignored {
		u.drop(u.blanks)
	} else if !u.h.OldOpen && !u.h.NewOpen {
		for range u.blanks {
			u.h.Lines = append(u.h.Lines, " ")
		}
	}
	u.blanks = 0
}

// readNoNewline reads the marker of a missing newline.
func (u *hunkReader) readNoNewline() {
	if len(u.h.Lines) == 0 || u.blanks > 0 || u.ended {
		u.misplaced()
		return
	}
	mark := u.h.Lines[len(u.h.Lines)-1].Mark()
	if mark != '+' && u.h.OldOpen || mark != '-' && u.h.NewOpen {
		u.misplaced()
	}
	if u.parser.line != noNewline {
		u.report(u.n, "%s was read as %q", fail.Quote(u.parser.line), noNewline)
	}
	switch mark {
	case '+':
		u.h.NewOpen = true
	case '-':
		u.h.OldOpen = true
	default:
		u.h.OldOpen, u.bothOpen = true, true
	}
}

// endHunk ends the current hunk, if there is one.
func (u *hunkReader) endHunk(last bool) {
	if !u.open {
		u.blanks = 0
		return
	}
	h := u.h
	if len(h.Lines) == 0 {
		if u.g.emptyHeading != ignored || len(h.Anchors) > 0 {
			u.refuse(h.Line, `" ", "-" or "+"`, "a hunk without lines", `Write the lines of the hunk below "@@".`)
		}
	} else {
		u.addHunk(last)
	}
	u.h, u.open, u.ended, u.bothOpen, u.blanks = patch.Hunk{Lines: u.spare}, false, false, false, 0
}

// addHunk adds the hunk to the section. Empty lines at its end become blank context, and at the end of a section blank
// context that a plan may leave out. After lines that are all additions they are neither, since they alone would decide
// the place.
func (u *hunkReader) addHunk(last bool) {
	adds := !hasOld(u.h.Lines)
	if !u.ended && u.g.blank == honoured && !adds {
		n := len(u.h.Lines)
		u.addBlankContext()
		if last {
			u.h.Blank = len(u.h.Lines) - n
		}
	}
	u.h.NewOpen = u.h.NewOpen || u.bothOpen
	if adds && len(u.h.Anchors) == 0 && u.g.addsAtEnd && !u.h.AtEnd {
		u.h.AtEnd = true
	}
	u.h.Lines = u.store(u.h.Lines)
	if n := len(u.s.Hunks); n == cap(u.s.Hunks) {
		u.s.Hunks = slices.Grow(u.s.Hunks, n+1) // doubled; append would grow it by quarters
	}
	u.s.Hunks = append(u.s.Hunks, u.h)
}

// storeSize is the number of lines of hunks that share an array: most hunks have few.
const storeSize = 1 << 10

// store returns a lasting copy of lines, so that their array can take those of the next hunk.
func (u *hunkReader) store(lines []patch.Line) []patch.Line {
	u.spare = lines[:0]
	if len(lines) > cap(u.stored)-len(u.stored) {
		u.stored = make([]patch.Line, 0, max(len(lines), min(storeSize, 2*cap(u.stored))))
	}
	n := len(u.stored)
	u.stored = append(u.stored, lines...)
	return u.stored[n:len(u.stored):len(u.stored)]
}
