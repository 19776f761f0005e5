package plan

import (
	"iter"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

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
		for rung, r := range p.rules.Ladder {
			if rung == 1 && p.hopeless(k) {
				return 0, 0
			}
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
	x, n := p.index(k, r), 0
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
