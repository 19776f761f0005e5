package place

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// apply makes the change of hunk k in the text, if it has a place.
func (p *Placement) apply(k int) {
	s := &p.Spots[k]
	if !s.placed {
		return
	}
	if s.Err = p.rewrites(k); s.Err != nil {
		s.placed = false
		return
	}
	if line := p.rivals[k]; line != 0 {
		s.placed, s.Err = false, p.rivalled(k, line)
		return
	}
	if !p.numbered && !p.checkAnchors(k) {
		return
	}
	as, err := p.spelling(k)
	if err != nil {
		s.placed, s.Err = false, err
		return
	}
	if p.Rules.Place == dialect.Ordered && s.rung > patch.Exact && (p.changesNothing(k, as) || p.changesNothing(k, spelling{})) {
		s.placed, s.Err = false, p.notFound(k)
		return
	}
	if p.findDouble(k, as); s.Doubles && p.Rules.Place == dialect.Ordered && !p.mayDouble(k) {
		s.placed, s.Err = false, p.doubled(k)
		return
	}
	s.Applied = true
	lines := p.AsPlaced(k)
	at := s.first
	for len(lines) > 0 {
		if lines[0].Mark() == ' ' {
			at, lines = p.afterContext(at), lines[1:]
			continue
		}
		n := slices.IndexFunc(lines, func(l patch.Line) bool { return l.Mark() == ' ' })
		if n < 0 {
			n = len(lines)
		}
		if n == len(lines) && !slices.ContainsFunc(lines, patch.Line.Old) && p.Rules.Place != dialect.Cursor {
			p.addAfter(k, p.doc.Prev(at), lines, as)
			break
		}
		at = p.replaceRun(k, at, lines[:n], as)
		lines = lines[n:]
	}
	if err := p.doc.Flush(); err != nil && p.limit == nil {
		p.limit = overLimit(err)
	}
}

// changesNothing reports whether hunk k, written as as says, would leave every line as it is. A hunk that matched loosely
// and would, as it is or spelled so, has been applied before.
func (p *Placement) changesNothing(k int, as spelling) bool {
	at := p.Spots[k].first
	var gone, come []string
	for _, l := range p.AsPlaced(k) {
		switch l.Mark() {
		case '+':
			come = append(come, as.apply(l.Text()))
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

// afterContext returns the slot after the context line at. With a cursor all places are in the unchanged file: what
// earlier hunks added before the next line of the file comes before what this one adds there.
func (p *Placement) afterContext(at match.Slot) match.Slot {
	if p.Rules.Place == dialect.Cursor {
		return p.doc.SlotOf(at + 1)
	}
	return p.doc.Next(at)
}

// addAfter adds lines, which end hunk k, after slot s. They come after what hunks before k added there, so that lines which
// follow the same line stand in the order of the patch. A line that replaces another is passed by no hunk, and so is one of
// the hunk that wrote s.
func (p *Placement) addAfter(k int, s match.Slot, lines []patch.Line, as spelling) {
	last, own := s, p.writer(s)
	if t, ok := p.lastAdded[s]; ok && int(p.writer(t).hunk) < k {
		last = t // what earlier hunks added is passed once, not again for every hunk
	}
	for next := p.doc.Next(last); p.doc.Inserted(next); next = p.doc.Next(next) {
		if w := p.writer(next); int(w.hunk) > k || w.hunk == own.hunk || w.replaces > 0 {
			break
		}
		last = next
	}
	p.replaceRun(k, p.doc.Next(last), lines, as)
	if p.lastAdded == nil {
		p.lastAdded = map[match.Slot]match.Slot{}
	}
	p.lastAdded[s] = p.doc.NextSlot() - 1
}

// replaceRun replaces the lines from at on that the run removes by those that it adds, and returns the slot after them.
// The i-th added line gets the line end of the i-th removed one.
func (p *Placement) replaceRun(k int, at match.Slot, lines []patch.Line, as spelling) match.Slot {
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
	old, end, last, replaces := at, text.None, prev, 0
	for _, l := range lines {
		if l.Mark() != '+' {
			replaces = at + 1
			continue
		}
		p.noteWritten(k, replaces)
		if n > 0 {
			end, old, n = p.endOfReplacement(d.LineEnd(old), end, last), d.Next(old), n-1
		} else {
			end = p.endOfAddition(end, last, next)
		}
		line := as.apply(l.Text())
		if end == text.CRLF || p.Spots[k].rung > patch.Exact {
			line = strings.TrimSuffix(line, text.CR) // the CR belongs to the line end
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
	p.removed = append(p.removed, removedRun{line, line + 1, k})
}

// endOfReplacement returns the line end of a line that replaces one with the given end. If that was the last line of the
// file without a newline, it is the end of the line before, which the same hunk may have added; the rule for the last
// newline is applied later.
func (p *Placement) endOfReplacement(replaced, before string, prev match.Slot) string {
	switch {
	case replaced != text.None:
		return replaced
	case before != text.None:
		return before
	}
	return p.lineEndAt(prev)
}

// endOfAddition returns the line end of any other added line: that of the line before it, or at the top that of the line
// after.
func (p *Placement) endOfAddition(before string, prev, next match.Slot) string {
	switch {
	case before != text.None:
		return before
	case prev == match.Begin && next != p.doc.End():
		return p.lineEndAt(next)
	}
	return p.lineEndAt(prev)
}

// lineEndAt returns the line end in use at s: its own or the nearest one above, or else the first one of the file, or
// LF.
func (p *Placement) lineEndAt(s match.Slot) string {
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
