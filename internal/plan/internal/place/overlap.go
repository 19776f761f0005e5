package place

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// rewrites refuses hunk k if it removes a line that an earlier hunk wrote.
func (p *Placement) rewrites(k int) *fail.Error {
	at := p.Spots[k].first
	for _, l := range p.AsPlaced(k) {
		if !l.Old() {
			continue
		}
		if l.Mark() == '-' && p.doc.Inserted(at) {
			return p.overlapWithWritten(k, at)
		}
		at = p.doc.Next(at)
	}
	return nil
}

// overlapWithWritten refuses hunk k because of the line at slot at, which another hunk wrote.
func (p *Placement) overlapWithWritten(k int, at match.Slot) *fail.Error {
	w, next := p.writer(at), p.doc.Origin(at)
	if w.replaces > 0 { // the i-th line that was written stands for the i-th that was removed
		return p.overlap(k, int(w.hunk), min(int(w.replaces)-1+at-int(w.slot), next-1))
	}
	e := p.overlap(k, int(w.hunk), max(next-1, 0))
	e.Msg = fmt.Sprintf("hunk %d adds the line %s", w.hunk+1, fail.Quote(p.doc.Line(at)))
	return e
}

// writer returns what is known of the hunk that wrote the line at s; its hunk is -1 for a line of the file.
func (p *Placement) writer(s match.Slot) writtenRun {
	if !p.doc.Inserted(s) {
		return writtenRun{hunk: -1}
	}
	i, found := slices.BinarySearchFunc(p.wrote, s, func(w writtenRun, s match.Slot) int { return int(w.slot) - s })
	if !found {
		i--
	}
	return p.wrote[i]
}

// noteWritten notes that hunk k writes the next line in place of those from line replaces on, or as an addition if that is 0.
func (p *Placement) noteWritten(k, replaces int) {
	w := writtenRun{uint32(p.doc.NextSlot()), int32(k), uint32(replaces)}
	if n := len(p.wrote); n > 0 && p.wrote[n-1].hunk == w.hunk && p.wrote[n-1].replaces == w.replaces {
		return
	}
	p.wrote = append(p.wrote, w)
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
