package place

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/indent"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// put makes hunk k's change in the text, if it was placed.
func (p *Placement) put(k int) {
	s := &p.Spots[k]
	if !s.placed {
		return
	}
	if by, line := p.rewrites(k); by >= 0 {
		s.placed, s.Err = false, p.overlap(k, by, line)
		return
	}
	shift, ok := p.shift(k)
	if !ok {
		s.placed, s.Err = false, p.crooked(k)
		return
	}
	if p.Rules.Place == dialect.Ordered && s.rung > patch.Exact && (p.idle(k, shift) || p.idle(k, indent.Shift{}) || p.twice(k, shift)) {
		s.placed, s.Err = false, p.notFound(k)
		return
	}
	s.Made = true
	p.wrote = append(p.wrote, mark{p.doc.Fresh(), k})
	lines := p.AsPlaced(k)
	at := s.first
	for len(lines) > 0 {
		if lines[0].Mark() == ' ' {
			at, lines = p.below(at), lines[1:]
			continue
		}
		n := slices.IndexFunc(lines, func(l patch.Line) bool { return l.Mark() == ' ' })
		if n < 0 {
			n = len(lines)
		}
		at = p.change(k, at, lines[:n], shift)
		lines = lines[n:]
	}
	if err := p.doc.Flush(); err != nil && p.limit == nil {
		p.limit = overLimit(err)
	}
}

// idle reports whether hunk k, shifted so, would leave every line as it is. One that matched loosely and would, as it was
// written or as it would be written, has been here before.
func (p *Placement) idle(k int, shift indent.Shift) bool {
	at := p.Spots[k].first
	var gone, come []string
	for _, l := range p.AsPlaced(k) {
		switch l.Mark() {
		case '+':
			come = append(come, shift.Apply(l.Text()))
			continue
		case '-':
			gone = append(gone, p.doc.Line(at))
		default:
			if !slices.Equal(gone, come) {
				return false
			}
			gone, come = gone[:0], come[:0]
		}
		at = p.doc.Next(at)
	}
	return slices.Equal(gone, come)
}

// twice reports whether what hunk k, which only adds, leaves behind stands at its place already: from its first line on, or
// up to its last. Its additions would be there twice.
func (p *Placement) twice(k int, shift indent.Shift) bool {
	s := &p.Spots[k]
	lines := p.AsPlaced(k)
	if slices.ContainsFunc(lines, func(l patch.Line) bool { return l.Mark() == '-' }) {
		return false
	}
	is := func(at match.Slot, l patch.Line) bool {
		want := l.Text()
		if l.Mark() == '+' {
			want = shift.Apply(want)
		}
		return match.Same(s.rung, p.doc.Line(at), want)
	}
	at, last, down, up := s.first, match.Begin, true, true
	for _, l := range lines {
		if down = down && at != p.doc.End() && is(at, l); down {
			at = p.doc.Next(at)
		}
	}
	at = s.first
	for _, l := range lines {
		if l.Mark() == ' ' {
			last, at = at, p.doc.Next(at)
		}
	}
	for _, l := range slices.Backward(lines) {
		if up = up && last != match.Begin && is(last, l); up {
			last = p.doc.Prev(last)
		}
	}
	return down || up
}

// below is the slot after the context line at. Behind a cursor all places are in the file as it was: what earlier
// hunks added in front of the next line of the file comes before what this one adds there.
func (p *Placement) below(at match.Slot) match.Slot {
	if p.Rules.Place == dialect.Cursor {
		return p.doc.At(at + 1)
	}
	return p.doc.Next(at)
}

// change replaces the lines from at on that the run of hunk lines removes by those it adds, and returns the line
// after them. The i-th added line stands for the i-th removed one.
func (p *Placement) change(k int, at match.Slot, lines []patch.Line, shift indent.Shift) match.Slot {
	d, prev, next := p.doc, p.doc.Prev(at), at
	n := 0
	for _, l := range lines {
		if l.Mark() == '-' {
			p.noteRemoved(next, k)
			next = d.Next(next)
			n++
		}
	}
	d.Remove(prev, n)
	old, end, last := at, text.None, prev
	for _, l := range lines {
		if l.Mark() != '+' {
			continue
		}
		if n > 0 {
			end, old, n = p.endOf(d.LineEnd(old), end, last), d.Next(old), n-1
		} else {
			end = p.endAfter(end, last, next)
		}
		line := shift.Apply(l.Text())
		if end == text.CRLF || p.Spots[k].rung > patch.Exact {
			line = strings.TrimSuffix(line, text.CR) // it is the CR of the line end
		}
		last = d.Insert(last, line, end)
	}
	return next
}

func (p *Placement) noteRemoved(line, k int) {
	if n := len(p.removed); n > 0 && p.removed[n-1].to == line && p.removed[n-1].hunk == k {
		p.removed[n-1].to++
		return
	}
	p.removed = append(p.removed, run{line, line + 1, k})
}

// endOf is the line end of a line that replaces one with the given end. The open end of the file has none: the rule
// for the last newline comes later, and until then the line before says, which may be the added one before.
func (p *Placement) endOf(replaced, before string, prev match.Slot) string {
	switch {
	case replaced != text.None:
		return replaced
	case before != text.None:
		return before
	}
	return p.style(prev)
}

// endAfter is the line end of any other added line: that of the line before it, or at the top of the one after.
func (p *Placement) endAfter(before string, prev, next match.Slot) string {
	switch {
	case before != text.None:
		return before
	case prev == match.Begin && next != p.doc.End():
		return p.style(next)
	}
	return p.style(prev)
}

// style is the line end in use at s: its own, when it has none that of the line before it, and when there is none
// either the one that the file began with.
func (p *Placement) style(s match.Slot) string {
	for ; s != match.Begin; s = p.doc.Prev(s) {
		if end := p.doc.LineEnd(s); end != text.None {
			return end
		}
	}
	if p.File.Len() > 0 && p.File.End(0) != text.None {
		return p.File.End(0)
	}
	return text.LF
}
