package plan

import (
	"math"
	"slices"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// rungIndex is an index of hunks' forms on one rung.
type rungIndex struct {
	*match.Index
	pats  []uint32        // by try, see placer.pattern; absent where the hunk is not in the index
	begun []origin        // by pattern: how things stood before any hunk was put
	lasts [][2]match.Slot // see match.Index.Lasts; read when first needed
}

// origin is how often a pattern stood in the text, and where if that was once.
type origin struct {
	n     int
	first match.Slot
}

const absent = math.MaxUint32

// warm makes the indexes that the hunks need in the file as it is: of all of them on the strictest rung, and on a looser
// one of those that no stricter one finds. Where these are few, the loosest comes second: what has no place there has
// none at all.
func (p *placer) warm() {
	ladder := p.rules.Ladder
	open := p.lacking(p.make(ladder[0], p.every()), p.every())
	if n := len(ladder); n > 2 && 0 < len(open) && len(open) <= maxExplained {
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
func (p *placer) index(k int, r patch.Rung) *rungIndex {
	if x := p.indexes[r]; x != nil && x.pats[p.base[k]] != absent {
		return x
	}
	return p.make(r, p.every())
}

// make makes the index of the hunks in who on rung r, of the text as it is now.
func (p *placer) make(r patch.Rung, who []int) *rungIndex {
	if old := p.indexes[r]; old != nil {
		p.doc.Drop(old.Index)
	}
	x := p.fill(p.doc, r, who)
	p.indexes[r] = x
	first := x
	if len(p.wrote) > 0 {
		first = p.fill(match.NewDoc(p.file), r, who)
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
func (p *placer) fill(doc *match.Doc, r patch.Rung, who []int) *rungIndex {
	x := &rungIndex{Index: match.NewIndex(doc, r, len(who)), pats: slices.Repeat([]uint32{absent}, int(p.base[len(p.hunks)]))}
	x.Reserve(p.olds * len(who) / len(p.hunks))
	for _, k := range who {
		for i, t := range p.tries[k] {
			x.pats[int(p.base[k])+i] = uint32(x.Add(p.wants(k, t)))
		}
	}
	x.Build()
	return x
}

// pattern is the number in x of hunk k's i-th form.
func (p *placer) pattern(x *rungIndex, k, i int) int { return int(x.pats[int(p.base[k])+i]) }

// every is the numbers of all hunks.
func (p *placer) every() []int {
	if p.numbers == nil {
		p.numbers = make([]int, len(p.hunks))
		for k := range p.numbers {
			p.numbers[k] = k
		}
	}
	return p.numbers
}

// lacking is those of who that x does not find, in one form at least.
func (p *placer) lacking(x *rungIndex, who []int) (out []int) {
	for _, k := range who {
		for i := range p.tries[k] {
			if x.Count(p.pattern(x, k, i)) == 0 && p.looksFor(k) {
				out = append(out, k)
				break
			}
		}
	}
	return out
}

// nowhere reports whether no form of hunk k has a place in x, that of the loosest rung.
func (p *placer) nowhere(k int, x *rungIndex) bool {
	for i := range p.tries[k] {
		if x.Count(p.pattern(x, k, i)) > 0 {
			return false
		}
	}
	return true
}

// hopeless reports whether the loosest rung is known not to find hunk k.
func (p *placer) hopeless(k int) bool {
	x := p.indexes[p.rules.Ladder[len(p.rules.Ladder)-1]]
	return x != nil && x.pats[p.base[k]] != absent && p.nowhere(k, x)
}
