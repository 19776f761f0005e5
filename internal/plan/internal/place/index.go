package place

import (
	"math"
	"slices"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/patch"
)

const absent = math.MaxUint32

// warm makes the indexes that the hunks need in the file as it is: of all of them on the strictest rung, and on a looser
// one of those that no stricter one finds. Where these are few, the loosest comes second: what has no place there has
// none at all.
func (p *Placement) warm() {
	ladder := p.Rules.Ladder
	open := p.lacking(p.make(ladder[0], p.every()), p.every())
	if n := len(ladder); n > 2 && 0 < len(open) && len(open) <= refusal.MaxExplained {
		loosest := p.make(ladder[n-1], open)
		open = slices.DeleteFunc(open, func(k int) bool { return p.nowhere(k, loosest) })
		ladder = ladder[:n-1]
	}
	for _, r := range ladder[1:] {
		if len(open) == 0 {
			return
		}
		open = p.lacking(p.make(r, open), open)
	}
}

// index is the index on rung r with hunk k in it. One that had a place and lost it to another hunk may be in none yet:
// then there has to be one of all.
func (p *Placement) index(k int, r patch.Rung) *index {
	if x := p.indexes[r]; x != nil && x.pats[p.base[k]] != absent {
		return x
	}
	return p.make(r, p.every())
}

// make makes the index of the hunks in who on rung r, of the text as it is now.
func (p *Placement) make(r patch.Rung, who []int) *index {
	if old := p.indexes[r]; old != nil {
		p.doc.Drop(old.Index)
	}
	x := p.fill(p.doc, r, who)
	p.indexes[r] = x
	first := x
	if len(p.wrote) > 0 {
		first = p.fill(match.NewDoc(p.File), r, who)
	}
	x.begun = make([]origin, x.Patterns())
	for i := range x.begun {
		if x.begun[i].n = first.Count(i); x.begun[i].n == 1 {
			x.begun[i].first = first.Only(i)
		}
	}
	return x
}

// fill is the index of the hunks in who in doc.
func (p *Placement) fill(doc *match.Doc, r patch.Rung, who []int) *index {
	x := &index{Index: match.NewIndex(doc, r, len(who)), pats: slices.Repeat([]uint32{absent}, int(p.base[len(p.Hunks)]))}
	x.Reserve(p.oldLines * len(who) / len(p.Hunks))
	for _, k := range who {
		for i, t := range p.forms[k] {
			x.pats[int(p.base[k])+i] = uint32(x.Add(t.wanted(&p.Hunks[k])))
		}
	}
	x.Build()
	return x
}

// pattern is the number in x of hunk k's i-th form.
func (p *Placement) pattern(x *index, k, i int) int { return int(x.pats[int(p.base[k])+i]) }

// lacking is those of who that x does not find, in one form at least.
func (p *Placement) lacking(x *index, who []int) (out []int) {
	for _, k := range who {
		for i := range p.forms[k] {
			if x.Count(p.pattern(x, k, i)) == 0 && !p.additions(k) {
				out = append(out, k)
				break
			}
		}
	}
	return out
}

// nowhere reports whether no form of hunk k has a place in x, that of the loosest rung.
func (p *Placement) nowhere(k int, x *index) bool {
	for i := range p.forms[k] {
		if x.Count(p.pattern(x, k, i)) > 0 {
			return false
		}
	}
	return true
}

// hopeless reports whether the loosest rung is known not to find hunk k.
func (p *Placement) hopeless(k int) bool {
	x := p.indexes[p.Loosest()]
	return x != nil && x.pats[p.base[k]] != absent && p.nowhere(k, x)
}

// WasNowhere reports whether no form of hunk k's old lines was in the file before any hunk was applied.
func (p *Placement) WasNowhere(k int) bool {
	x := p.indexes[p.Loosest()]
	if x == nil || x.pats[p.base[k]] == absent {
		return false // a stricter rung had a place
	}
	for i := range p.forms[k] {
		if x.begun[p.pattern(x, k, i)].n > 0 {
			return false
		}
	}
	return true
}
