package place

import "github.com/emend-dev/emend/patch"

// strictest is the first form and rung on which hunk k has any place, and how many. The Spot's try is set to it.
func (p *Placement) strictest(k int) (patch.Rung, int) {
	for i, t := range p.forms[k] {
		if i > 0 && p.forms[k][i-1].cut == t.cut {
			continue // counted with its twin
		}
		for rung, r := range p.Rules.Ladder {
			if rung == 1 && p.hopeless(k) {
				return 0, 0
			}
			if n := p.count(k, r, t.cut); n > 0 {
				p.Spots[k].form = t
				return r, n
			}
		}
	}
	return 0, 0
}

// count is the number of places of hunk k on rung r, with or without the anchor's line before it.
func (p *Placement) count(k int, r patch.Rung, cut int) int {
	x, n := p.index(k, r), 0
	for i, t := range p.forms[k] {
		if t.cut == cut && t.fits(&p.Hunks[k], r) {
			n += x.Count(p.pattern(x, k, i))
		}
	}
	return n
}
