package place

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// decide places the pending hunks: first by their anchors, then by the order of the hunks in the file.
func (p *Placement) decide() {
	p.forgetLasts()
	p.byAnchors()
	if p.limit == nil && !p.Rules.AnyOrder && p.inOrder() {
		p.byOrder()
	}
	p.checkOrder()
}

// byAnchors places the pending hunks whose anchors leave one place: the only one below the line to which they lead.
func (p *Placement) byAnchors() {
	p.FindAnchors(func(k int) bool { return p.Spots[k].pending })
	for k := range p.Spots {
		s := &p.Spots[k]
		a, has := p.anchors[k]
		if !s.pending || !has {
			continue
		}
		if a.Line < 0 {
			s.pending, s.Err = false, p.noAnchor(k)
			continue
		}
		p.byAnchor(k, a.Line)
	}
	p.applyDecided()
}

// byAnchor places hunk k if exactly one place is below line anchor, on the strictest rung from its own on that has any
// there.
func (p *Placement) byAnchor(k, anchor int) {
	s := &p.Spots[k]
	i, size := slices.Index(p.forms[k], s.form), len(slices.Collect(s.form.wanted(&p.Hunks[k])))
	for _, r := range p.Rules.Ladder {
		if r < s.rung {
			continue
		}
		x := p.indexWith(k, r)
		if x.lasts == nil {
			x.lasts = x.LastPlaces()
		}
		last, but := x.lasts[p.pattern(x, k, i)][0], x.lasts[p.pattern(x, k, i)][1]
		switch {
		case !p.startsAfter(last, size, anchor):
			continue
		case !p.startsAfter(but, size, anchor):
			p.settle(k, r, p.doc.Back(last, size-1), max(s.others+1, x.Count(p.pattern(x, k, i))))
		}
		return
	}
}

// aboveAnchor reports whether the only place of hunk k, on rung r, is not below its anchor while a looser rung has one
// that is. Then neither is plainly the one that is meant, and the hunk stays pending. The answer may come from places
// that an earlier hunk has changed since; that leaves a hunk pending at worst, and saves a walk for every hunk.
func (p *Placement) aboveAnchor(k int, r patch.Rung) bool {
	a, has := p.anchors[k]
	if !has || a.Line < 0 || r == p.Rules.Ladder[len(p.Rules.Ladder)-1] {
		return false
	}
	size := len(slices.Collect(p.Spots[k].form.wanted(&p.Hunks[k])))
	i := slices.Index(p.forms[k], p.Spots[k].form)
	x := p.indexWith(k, r)
	if p.doc.Origin(x.OnlyPlace(p.pattern(x, k, i))) > a.Line {
		return false
	}
	for _, looser := range p.Rules.Ladder {
		if looser <= r {
			continue
		}
		x := p.indexWith(k, looser)
		if x.lasts == nil {
			x.lasts = x.LastPlaces()
		}
		if p.startsAfter(x.lasts[p.pattern(x, k, i)][0], size, a.Line) {
			return true
		}
	}
	return false
}

// applyDecided applies the hunks that were just decided, all of them in the same text. It refuses one whose lines
// another has changed since.
func (p *Placement) applyDecided() {
	for k := range p.Spots {
		s := &p.Spots[k]
		if !s.placed || s.Applied || p.limit != nil {
			continue
		}
		if line, ok := p.stillMatches(k); !ok {
			s.placed = false
			s.Err = &fail.Error{Kind: fail.Overlapping, Hunk: k + 1, Line: line + 1,
				Msg:  fmt.Sprintf("another hunk changes the lines around line %d, which is where this one would go", line+1),
				Hint: "Join the hunks that change these lines into one, or add lines of context that only one place has."}
			continue
		}
		p.apply(k)
		p.forgetLasts()
	}
}

// forgetLasts drops the last places that the indexes had before the text changed.
func (p *Placement) forgetLasts() {
	for _, x := range p.indexes {
		x.lasts = nil
	}
}

// stillMatches reports whether the old lines of hunk k still stand one below the other where it was placed, and nothing
// that a later hunk added is directly above lines that hunk k adds at its top.
func (p *Placement) stillMatches(k int) (line int, ok bool) {
	s := &p.Spots[k]
	at := s.first
	for want := range s.form.wanted(&p.Hunks[k]) {
		if at == p.doc.End() || p.doc.Removed(at) || !match.Same(s.rung, p.doc.Line(at), want) {
			return s.Start, false
		}
		at = p.doc.Next(at)
	}
	return s.Start, p.AsPlaced(k)[0].Old() || int(p.writer(p.doc.Prev(s.first)).hunk) < k
}

// startsAfter reports whether a place of size lines that ends in slot last begins after line n of the file.
func (p *Placement) startsAfter(last match.Slot, size, n int) bool {
	return last != match.Begin && p.doc.Origin(p.doc.Back(last, size-1)) > n
}

// inOrder reports whether the placed hunks stand in the file in the order of the patch. If they do not, the order says
// nothing about the others.
func (p *Placement) inOrder() bool {
	last := -1
	for k := range p.Spots {
		if s := &p.Spots[k]; s.placed {
			if s.Start < last {
				return false
			}
			last = s.Start
		}
	}
	return true
}

// byOrder decides every run of pending hunks between two placed ones. It packs them as far up as they go and as far down
// as they go: a hunk that comes to the same place both times has no other.
//
// A run without a placed hunk on one side is open there, and the place that is meant may be in the rest of the file,
// changed. Such a run is decided only if it has a hunk for every place.
func (p *Placement) byOrder() {
	for k := 0; k < len(p.Spots); k++ {
		if !p.Spots[k].pending {
			continue
		}
		n := k
		for n < len(p.Spots) && !p.Spots[n].placed {
			n++
		}
		from, to, bounded := 0, p.File.Len(), k > 0 && p.Spots[k-1].placed && n < len(p.Spots)
		if k > 0 && p.Spots[k-1].placed {
			from = p.Spots[k-1].Stop
		}
		if n < len(p.Spots) {
			to = p.Spots[n].Start
		}
		if from < to && (bounded || p.asManyAsPlaces(k, n)) {
			p.pack(k, n, p.doc.SlotOf(from), p.doc.SlotOf(to))
		}
		k = n
	}
	p.applyDecided()
}

// asManyAsPlaces reports whether the pending hunks among k up to n are as many as the places that each of them has.
func (p *Placement) asManyAsPlaces(k, n int) bool {
	sought := func(i int) string {
		return p.Spots[i].rung.String() + "\n" + strings.Join(slices.Collect(p.Spots[i].form.wanted(&p.Hunks[i])), "\n")
	}
	hunks := map[string]int{}
	for i := k; i < n; i++ {
		if p.Spots[i].pending {
			hunks[sought(i)]++
		}
	}
	for i := k; i < n; i++ {
		if p.Spots[i].pending && hunks[sought(i)] != p.Spots[i].others+1 {
			return false
		}
	}
	return true
}

// pack decides the pending hunks among k up to n within the slots from up to to.
func (p *Placement) pack(k, n int, from, to match.Slot) {
	up := make(map[int]match.Slot)
	at := from
	for i := k; i < n; i++ {
		if !p.Spots[i].pending {
			continue
		}
		first, end, ok := p.nearestPlace(i, at, to, false)
		if !ok {
			return
		}
		up[i], at = first, end
	}
	at = p.doc.Prev(to)
	stop := match.Begin
	if from != p.doc.Next(match.Begin) {
		stop = p.doc.Prev(from)
	}
	for i := n - 1; i >= k; i-- {
		if !p.Spots[i].pending {
			continue
		}
		first, _, ok := p.nearestPlace(i, at, stop, true)
		if !ok {
			return
		}
		if first == up[i] {
			s := &p.Spots[i]
			p.settle(i, s.rung, first, s.others+1)
		}
		at = p.doc.Prev(first)
	}
}

// nearestPlace returns the first slot of hunk k's place nearest to from, on this side of to, and the slot after the
// place.
func (p *Placement) nearestPlace(k int, from, to match.Slot, back bool) (first, end match.Slot, ok bool) {
	s := &p.Spots[k]
	want := slices.Collect(s.form.wanted(&p.Hunks[k]))
	low := -1
	if a, has := p.anchors[k]; has {
		low = a.Line
	}
	if low >= 0 && !back && from != p.doc.End() && p.doc.Origin(from) <= low {
		from = p.doc.SlotOf(low + 1)
		if to != p.doc.End() && p.doc.Origin(to) <= low {
			return 0, 0, false
		}
	}
	for at := range match.NewScanner(p.doc, s.rung, want, back).Places(from, to) {
		if p.doc.Origin(at) <= low {
			break
		}
		end = at
		for range want {
			end = p.doc.Next(end)
		}
		return at, end, true
	}
	return 0, 0, false
}

// checkOrder refuses a hunk that got its only place because earlier hunks used up the others, if that place is out of
// order.
func (p *Placement) checkOrder() {
	low, high := make([]int, len(p.Spots)), make([]int, len(p.Spots))
	for k, line := 0, -1; k < len(p.Spots); k++ {
		low[k] = line
		if p.Spots[k].placed {
			line = max(line, p.Spots[k].Start)
		}
	}
	for k, line := len(p.Spots)-1, p.File.Len()+2; k >= 0; k-- {
		high[k] = line
		if p.Spots[k].placed {
			line = min(line, p.Spots[k].Start)
		}
	}
	for k := range p.Spots {
		s := &p.Spots[k]
		if !s.placed || s.initialPlaces < 2 || s.Start >= low[k] && s.Start <= high[k] {
			continue
		}
		s.placed = false
		s.Err = &fail.Error{Kind: fail.MultipleMatches, Hunk: k + 1, Line: s.Start + 1, Total: s.initialPlaces,
			Places: []fail.Place{{First: s.Start + 1, Last: s.Stop}},
			Msg:    fmt.Sprintf("several places matched before the other hunks took theirs, and the one that is left (line %d) is out of order", s.Start+1),
			Hint:   "Add lines of context that only one place has, or put the hunks in the order of the file."}
	}
}
