package place

import (
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// settle gives hunk k the place in form Spots[k].form whose first line, including that of an adjoining anchor, is first.
// total counts the places that matched on rung r.
func (p *Placement) settle(k int, r patch.Rung, first match.Slot, total int) {
	s := &p.Spots[k]
	if s.form.lead {
		first = p.doc.Next(first)
	}
	s.placed, s.pending, s.rung, s.first, s.others = true, false, r, first, total-1
	p.cover(k)
}

// cover sets which lines of the file the place of hunk k covers.
func (p *Placement) cover(k int) {
	s := &p.Spots[k]
	end := s.first
	s.lines = s.lines[:0]
	for _, l := range p.AsPlaced(k) {
		if l.Old() {
			p.noteLine(s, end)
			end = p.doc.Next(end)
		}
	}
	s.Start, s.Stop = p.doc.Origin(s.first), p.doc.Origin(end)
}

// noteLine notes that the next old line of the hunk stands at slot at.
func (p *Placement) noteLine(s *Spot, at match.Slot) {
	switch {
	case !p.traced:
	case p.doc.Inserted(at):
		s.lines = append(s.lines, 0)
	default:
		s.lines = append(s.lines, at+1)
	}
}

// settleAdditions gives hunk k, which only adds lines, the place before slot first.
func (p *Placement) settleAdditions(k int, r patch.Rung, first match.Slot) {
	p.Spots[k].form = p.forms[k][0]
	p.settle(k, r, first, 1)
}
