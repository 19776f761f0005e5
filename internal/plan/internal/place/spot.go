package place

import (
	"slices"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// at puts down a place of hunk k in form spots[k].form whose first line, the anchor's included, is first.
func (p *Placement) at(k int, r patch.Rung, first match.Slot, total int) {
	s := &p.Spots[k]
	if s.form.lead {
		first = p.doc.Next(first)
		if !slices.ContainsFunc(p.Hunks[k].Lines, patch.Line.Old) {
			first = p.behind(p.doc.Prev(first))
		}
	}
	s.placed, s.pending, s.rung, s.first, s.others = true, false, r, first, total-1
	p.span(k)
}

// span notes which lines of the file hunk k's place covers.
func (p *Placement) span(k int) {
	s := &p.Spots[k]
	end := s.first
	s.lines = s.lines[:0]
	for _, l := range p.AsPlaced(k) {
		if l.Old() {
			p.trace(s, end)
			end = p.doc.Next(end)
		}
	}
	s.Start, s.Stop = p.doc.Origin(s.first), p.doc.Origin(end)
}

// trace notes that the next old line of the spot's hunk stands at at.
func (p *Placement) trace(s *Spot, at match.Slot) {
	switch {
	case !p.traced:
	case p.doc.Inserted(at):
		s.lines = append(s.lines, 0)
	default:
		s.lines = append(s.lines, at+1)
	}
}

// gap puts down a hunk that only adds lines, before the slot first.
func (p *Placement) gap(k int, r patch.Rung, first match.Slot) {
	p.Spots[k].form = p.forms[k][0]
	p.at(k, r, first, 1)
}

// behind is where lines go that are to follow s: in front of the next line, and after what earlier hunks put there.
func (p *Placement) behind(s match.Slot) match.Slot {
	if next := s + 1; !p.doc.Inserted(s) && (next == p.doc.End() || !p.doc.Gone(next)) {
		return next
	}
	return p.doc.Next(s)
}
