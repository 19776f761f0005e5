package place

import "github.com/emend-dev/emend/patch"

// strictest returns the first rung on which hunk k has any place, in the first form that has one, and the number of its
// places there. It sets the spot's form.
func (p *Placement) strictest(k int) (patch.Rung, int) {
	for i, t := range p.forms[k] {
		if i > 0 && p.forms[k][i-1].cut == t.cut {
			continue // counted with its twin
		}
		for rung, r := range p.Rules.Ladder {
			if rung == 1 && p.surelyNowhere(k) {
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

// count returns the number of places of hunk k on rung r, with and without the anchor's line before it.
func (p *Placement) count(k int, r patch.Rung, cut int) int {
	x, n := p.indexWith(k, r), 0
	for i, t := range p.forms[k] {
		if t.cut == cut && t.fits(&p.Hunks[k], r) {
			n += x.Count(p.pattern(x, k, i))
		}
	}
	return n
}

// HadOnePlace reports whether hunk k, which has its place, had no other in the file.
func (p *Placement) HadOnePlace(k int) bool {
	return p.Spots[k].others == 0 && p.Spots[k].initialPlaces < 2
}
