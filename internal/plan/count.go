package plan

import (
	"iter"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// rungIndex is an index of every hunk's forms on one rung.
type rungIndex struct {
	*match.Index
	pats  []uint32        // by try, see placer.pattern
	begun []origin        // by pattern: how things stood when the index was made
	lasts [][2]match.Slot // see match.Index.Lasts; read when first needed
}

// origin is how often a pattern stood in the text, and where if that was once.
type origin struct {
	n     int
	first match.Slot
}

// looksFor reports whether hunk k has anything to look for: old lines, or an adjoining anchor.
func (p *placer) looksFor(k int) bool {
	for range p.wants(k, p.tries[k][0]) {
		return true
	}
	return false
}

// wants is what hunk k looks for in form t.
func (p *placer) wants(k int, t try) iter.Seq[string] {
	h := &p.hunks[k]
	return func(yield func(string) bool) {
		if t.lead && !yield(h.Anchors[0]) {
			return
		}
		for _, l := range h.Lines[:len(h.Lines)-t.cut] {
			if l.Old() && !yield(l.Text()) {
				return
			}
		}
	}
}

// strictest is the first form and rung on which hunk k has any place, and how many. The spot's try is set to it.
func (p *placer) strictest(k int) (patch.Rung, int) {
	for i, t := range p.tries[k] {
		if i > 0 && p.tries[k][i-1].cut == t.cut {
			continue // counted with its twin
		}
		for _, r := range p.rules.Ladder {
			if n := p.count(k, r, t.cut); n > 0 {
				p.spots[k].try = t
				return r, n
			}
		}
	}
	return 0, 0
}

// count is the number of places of hunk k on rung r, with or without the anchor's line before it.
func (p *placer) count(k int, r patch.Rung, cut int) int {
	x, n := p.index(r), 0
	for i, t := range p.tries[k] {
		if t.cut == cut && p.fits(k, t, r) {
			n += x.Count(p.pattern(x, k, i))
		}
	}
	return n
}

// fits reports whether form t is the one to look for on rung r. A block whose first line equals the anchor is
// sought alone: that finds it on the anchor's line and below it alike. Any other block is sought below the anchor.
func (p *placer) fits(k int, t try, r patch.Rung) bool {
	h := &p.hunks[k]
	if h.How != patch.Adjoin || len(h.Anchors) == 0 {
		return true
	}
	for line := range p.wants(k, try{cut: t.cut}) {
		return t.lead != match.Same(r, line, h.Anchors[0])
	}
	return t.lead
}

// index is the index on rung r, made of the text as it is now when it is first needed.
func (p *placer) index(r patch.Rung) *rungIndex {
	if x, ok := p.indexes[r]; ok {
		return x
	}
	x := &rungIndex{Index: match.NewIndex(p.doc, r, int(p.base[len(p.hunks)])), pats: make([]uint32, 0, p.base[len(p.hunks)])}
	x.Reserve(p.olds)
	p.indexes[r] = x
	for k := range p.hunks {
		for _, t := range p.tries[k] {
			x.pats = append(x.pats, uint32(x.Add(p.wants(k, t))))
		}
	}
	x.Build()
	x.begun = make([]origin, x.Patterns())
	for i := range x.begun {
		if x.begun[i].n = x.Count(i); x.begun[i].n == 1 {
			x.begun[i].first = x.Only(i)
		}
	}
	return x
}

// pattern is the number in x of hunk k's i-th form.
func (p *placer) pattern(x *rungIndex, k, i int) int { return int(x.pats[int(p.base[k])+i]) }

// warm makes the indexes on every rung that some hunk needs in the file as it is, strictest first.
func (p *placer) warm() {
	if p.rules.Place == dialect.Ordered && len(p.hunks) > 1 { // the order check asks how things stood in the beginning
		for _, r := range p.rules.Ladder {
			p.index(r)
		}
	}
	for k := range p.hunks {
		if p.looksFor(k) && len(p.indexes) < len(p.rules.Ladder) {
			p.strictest(k)
		}
	}
}
