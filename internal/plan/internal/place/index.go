package place

import (
	"math"
	"slices"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/patch"
)

// absent is the pattern of a form that is not in an index.
const absent = math.MaxUint32

// buildIndexes makes the indexes that the hunks need in the unchanged file: of all hunks on the strictest rung, and on
// each looser one of the hunks that no stricter rung finds. If these are few, the loosest rung comes second: a hunk
// without a place there has none at all.
func (p *Placement) buildIndexes() {
	ladder := p.Rules.Ladder
	open := p.notFoundBy(p.newIndex(ladder[0], p.all()), p.all())
	if n := len(ladder); n > 2 && 0 < len(open) && len(open) <= refusal.MaxExplained {
		loosest := p.newIndex(ladder[n-1], open)
		open = slices.DeleteFunc(open, func(k int) bool { return p.notIn(k, loosest) })
		ladder = ladder[:n-1]
	}
	for _, r := range ladder[1:] {
		if len(open) == 0 {
			return
		}
		open = p.notFoundBy(p.newIndex(r, open), open)
	}
}

// indexWith returns the index on rung r with hunk k in it. No index may have a hunk that lost its place to another one;
// then it makes one of all hunks.
func (p *Placement) indexWith(k int, r patch.Rung) *index {
	if x := p.indexes[r]; x != nil && x.patterns[p.firstForm[k]] != absent {
		return x
	}
	return p.newIndex(r, p.all())
}

// newIndex indexes the hunks in who on rung r, in the text as it is now.
func (p *Placement) newIndex(r patch.Rung, who []int) *index {
	if old := p.indexes[r]; old != nil {
		p.doc.DropIndex(old.Index)
	}
	x := p.fill(p.doc, r, who)
	p.indexes[r] = x
	first := x
	if len(p.wrote) > 0 {
		first = p.fill(match.NewDoc(p.File), r, who)
	}
	x.initial = make([]occurrence, x.Patterns())
	for i := range x.initial {
		if x.initial[i].n = first.Count(i); x.initial[i].n == 1 {
			x.initial[i].first = first.OnlyPlace(i)
		}
	}
	return x
}

// fill indexes the hunks in who in doc.
func (p *Placement) fill(doc *match.Doc, r patch.Rung, who []int) *index {
	x := &index{Index: match.NewIndex(doc, r, len(who)), patterns: slices.Repeat([]uint32{absent}, int(p.firstForm[len(p.Hunks)]))}
	x.Reserve(p.oldLines * len(who) / len(p.Hunks))
	for _, k := range who {
		for i, t := range p.forms[k] {
			x.patterns[int(p.firstForm[k])+i] = uint32(x.Add(t.wanted(&p.Hunks[k])))
		}
	}
	x.Build()
	return x
}

// pattern returns the number of hunk k's i-th form in x.
func (p *Placement) pattern(x *index, k, i int) int { return int(x.patterns[int(p.firstForm[k])+i]) }

// notFoundBy returns the hunks of who of which x misses at least one form.
func (p *Placement) notFoundBy(x *index, who []int) (out []int) {
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

// notIn reports whether no form of hunk k has a place in x, the index of the loosest rung.
func (p *Placement) notIn(k int, x *index) bool {
	for i := range p.forms[k] {
		if x.Count(p.pattern(x, k, i)) > 0 {
			return false
		}
	}
	return true
}

// surelyNowhere reports whether the loosest rung is known not to find hunk k.
func (p *Placement) surelyNowhere(k int) bool {
	x := p.indexes[p.Loosest()]
	return x != nil && x.patterns[p.firstForm[k]] != absent && p.notIn(k, x)
}

// WasNowhere reports whether no form of hunk k's old lines was in the file before any hunk was applied.
func (p *Placement) WasNowhere(k int) bool {
	x := p.indexes[p.Loosest()]
	if x == nil || x.patterns[p.firstForm[k]] == absent {
		return false // a stricter rung had a place
	}
	for i := range p.forms[k] {
		if x.initial[p.pattern(x, k, i)].n > 0 {
			return false
		}
	}
	return true
}
