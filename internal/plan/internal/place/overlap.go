package place

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// rewritesLine reports whether hunk k removes a line that an earlier hunk wrote: which hunk, or -1, and where.
func (p *Placement) rewritesLine(k int) (by, line int) {
	s := &p.Spots[k]
	at := s.first
	for _, l := range p.AsPlaced(k) {
		if !l.Old() {
			continue
		}
		if l.Mark() == '-' && p.doc.Inserted(at) {
			i, found := slices.BinarySearchFunc(p.wrote, at, func(m writtenFrom, s match.Slot) int { return m.slot - s })
			if !found {
				i--
			}
			return p.wrote[i].hunk, p.doc.Origin(at)
		}
		at = p.doc.Next(at)
	}
	return -1, 0
}

// findOverlaps refuses hunks whose lines another one took, and hunks whose removed lines interleave with those of
// another. It comes last, when every hunk has had its turn.
func (p *Placement) findOverlaps() {
	slices.SortFunc(p.removed, func(a, b removedRun) int { return a.from - b.from })
	for k := range p.Spots {
		s := &p.Spots[k]
		switch {
		case s.anchorTaken:
			s.Err = p.overlap(k, p.remover(s.Err.Line-1), s.Err.Line-1)
		case s.Err != nil && s.Err.Reason == fail.ContextNotFound && s.Err.Line == 0 && !p.additions(k):
			p.blameEarlier(k)
		}
	}
	type reach struct{ hunk, last int }
	open := reach{-1, -1}
	last := make(map[int]int) // by hunk: its last removed line
	for _, r := range p.removed {
		last[r.hunk] = r.to - 1
	}
	for _, r := range p.removed {
		if open.hunk >= 0 && r.hunk != open.hunk && r.from <= open.last {
			k := max(r.hunk, open.hunk)
			p.Spots[k].Err = p.overlap(k, min(r.hunk, open.hunk), r.from)
			p.Spots[k].Err.Msg = fmt.Sprintf("its removed lines interleave with those of hunk %d (line %d)", min(r.hunk, open.hunk)+1, r.from+1)
		}
		if l := last[r.hunk]; l > open.last {
			open = reach{r.hunk, l}
		}
	}
}

// blameEarlier looks for an earlier hunk that is why hunk k has no place: it had one in the unchanged file, and the
// other took a line of it.
func (p *Placement) blameEarlier(k int) {
	x, ok := p.indexes[patch.Exact]
	if !ok || x.initial[p.pattern(x, k, 0)].n != 1 {
		return
	}
	at, e := x.initial[p.pattern(x, k, 0)].first, p.Spots[k].Err
	if p.forms[k][0].lead {
		at++
	}
	for _, l := range p.Hunks[k].Lines {
		if !l.Old() {
			continue
		}
		by := p.remover(at)
		switch {
		case by < 0 || by > k:
		case l.Mark() == '-':
			p.Spots[k].Err = p.overlap(k, by, at)
			return
		default:
			e.Line = at + 1
			e.Msg = fmt.Sprintf("its lines were in the file, but hunk %d changes line %d, which this hunk has as context", by+1, at+1)
			e.Hint = fmt.Sprintf("Write the line as hunk %d leaves it, or join the two hunks.", by+1)
		}
		at++
	}
}

// remover returns the hunk that removed line n of the file, or -1.
func (p *Placement) remover(n int) int {
	i, found := slices.BinarySearchFunc(p.removed, n, func(r removedRun, n int) int {
		switch {
		case n < r.from:
			return 1
		case n >= r.to:
			return -1
		}
		return 0
	})
	if !found {
		return -1
	}
	return p.removed[i].hunk
}

func (p *Placement) overlap(k, by, line int) *fail.Error {
	p.Spots[k].rival = by + 1
	return &fail.Error{Kind: fail.Overlapping, Hunk: k + 1, Line: line + 1,
		Msg:  fmt.Sprintf("hunk %d already changes line %d", by+1, line+1),
		Hint: "Join the two hunks into one."}
}
