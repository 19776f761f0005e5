package dialect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// hunks is the work of reading the hunks of one section.
type hunks struct {
	*parser
	s *patch.Section
	h patch.Hunk

	kept  []patch.Line // of earlier hunks; the last of them may have room behind it
	spare []patch.Line // what the lines of a hunk are gathered in

	open   bool // a hunk has begun
	ended  bool // with *** End of File
	blanks int  // empty lines seen and not yet taken for context
	both   bool // the last line of the file is context, and no added line follows: it stays the last one
}

// update reads the lines of an Update or a Move.
func (p *parser) update(s *patch.Section) {
	p.readMoveTo(s)
	u := &hunks{parser: p, s: s}
	for p.ok && p.err == nil && u.line() {
		p.advance()
	}
	u.close(true)
	if p.ok {
		if _, _, known := p.g.header(p.outer()); !known {
			return // the line that ends the section is the mistake
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
		s.Op, s.To = patch.Move, p.path(rest)
		p.advance()
	}
}

// line reads one line of the section, and reports whether it was one.
func (u *hunks) line() bool {
	line, g := u.parser.line, u.g
	anchor, heads := g.heading(line)
	switch {
	case heads:
		u.head(anchor)
	case line == "" && g.blank == honoured:
		u.blanks++
	case line != "" && strings.IndexByte(" -+", line[0]) >= 0:
		u.body(patch.Line(line))
	case g.noNewline == honoured && g.isNoNewline(line):
		u.openEnd()
	case g.endOfFile == honoured && u.inner() == endOfFile && u.open && len(u.h.Lines) > 0 && !u.ended:
		if line != endOfFile {
			u.pass(u.n, "white space after %q was taken off", endOfFile)
		}
		u.h.AtEnd, u.ended = true, true
		u.context()
	case u.skips():
		if line == "" {
			u.blanks++
		}
	case strings.HasPrefix(line, "***"):
		return false
	default:
		u.refuse(u.n, `" ", "-", "+" or "@@"`, "no line of a hunk begins like this: "+fail.Quote(line),
			`Begin every line of a hunk with " " (context), "-" or "+".`)
	}
	return true
}

// head reads "@@".
func (u *hunks) head(anchor string) {
	lone := u.open && len(u.h.Lines) == 0
	switch {
	case lone && u.g.lone == honoured:
		u.blanks = 0
	default:
		u.close(false)
		u.open, u.h.Line = true, u.n
	}
	if anchor != "" {
		u.h.Anchors, u.h.How = append(u.h.Anchors, anchor), u.g.how
	}
}

// body takes a line of the hunk.
func (u *hunks) body(l patch.Line) {
	switch {
	case u.ended:
		u.refuse(u.n, "@@", fmt.Sprintf("a line after %q", endOfFile), `Begin a new hunk with "@@".`)
	case !u.open && u.g.opens == mustOpen:
		u.refuse(u.n, "@@", "a hunk does not begin with \"@@\": "+fail.Quote(string(l)), `Write a line "@@" above the hunk.`)
	case !u.open:
		u.open, u.h.Line = true, u.n
	}
	u.context()
	if old := l.Old(); old && u.h.OldOpen || l.Mark() != '-' && u.h.NewOpen {
		u.refuse(u.n, "", fmt.Sprintf("a line after %q", noNewline), "Put that line below the last line of the file only.")
	}
	if l.Mark() == '+' {
		u.both = false
	}
	u.h.Lines = append(u.h.Lines, l)
}

// context takes the empty lines seen so far for blank context. Below the last line of the file they are none.
func (u *hunks) context() {
	if u.g.blank == ignored {
		u.ignored += u.blanks
	} else if !u.h.OldOpen && !u.h.NewOpen {
		for range u.blanks {
			u.h.Lines = append(u.h.Lines, " ")
		}
	}
	u.blanks = 0
}

// openEnd reads the marker of a missing newline.
func (u *hunks) openEnd() {
	if len(u.h.Lines) == 0 || u.blanks > 0 || u.ended {
		u.misplaced()
		return
	}
	mark := u.h.Lines[len(u.h.Lines)-1].Mark()
	if mark != '+' && u.h.OldOpen || mark != '-' && u.h.NewOpen {
		u.misplaced()
	}
	if u.parser.line != noNewline {
		u.pass(u.n, "%s was read as %q", fail.Quote(u.parser.line), noNewline)
	}
	switch mark {
	case '+':
		u.h.NewOpen = true
	case '-':
		u.h.OldOpen = true
	default:
		u.h.OldOpen, u.both = true, true
	}
}

// close puts the hunk down.
func (u *hunks) close(last bool) {
	if !u.open {
		u.blanks = 0
		return
	}
	h := u.h
	if len(h.Lines) == 0 {
		if u.g.lone != ignored || len(h.Anchors) > 0 {
			u.refuse(h.Line, `" ", "-" or "+"`, "a hunk without lines", `Write the lines of the hunk below "@@".`)
		}
	} else {
		u.put(last)
	}
	u.h, u.open, u.ended, u.both, u.blanks = patch.Hunk{Lines: u.spare}, false, false, false, 0
}

// put takes the empty lines at the end of a hunk for blank context, or at the end of a section for what may be
// blank context. Below lines that are all additions they are neither: they alone would decide the place.
func (u *hunks) put(last bool) {
	adds := !hasOld(u.h.Lines)
	if !u.ended && u.g.blank == honoured && !adds {
		n := len(u.h.Lines)
		u.context()
		if last {
			u.h.Blank = len(u.h.Lines) - n
		}
	}
	u.h.NewOpen = u.h.NewOpen || u.both
	if adds && len(u.h.Anchors) == 0 && u.g.addsAtEnd && !u.h.AtEnd {
		u.h.AtEnd = true
	}
	u.h.Lines = u.keep(u.h.Lines)
	if n := len(u.s.Hunks); n == cap(u.s.Hunks) {
		u.s.Hunks = slices.Grow(u.s.Hunks, n+1) // by doubles; append would copy them by quarters
	}
	u.s.Hunks = append(u.s.Hunks, u.h)
}

// block is how many lines of hunks share an array: most hunks have few.
const block = 1 << 10

// keep is lines for good, so that their own array can take those of the next hunk.
func (u *hunks) keep(lines []patch.Line) []patch.Line {
	u.spare = lines[:0]
	if len(lines) > cap(u.kept)-len(u.kept) {
		u.kept = make([]patch.Line, 0, max(len(lines), min(block, 2*cap(u.kept))))
	}
	n := len(u.kept)
	u.kept = append(u.kept, lines...)
	return u.kept[n:len(u.kept):len(u.kept)]
}
