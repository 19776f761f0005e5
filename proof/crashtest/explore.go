package main

import (
	"math/rand/v2"
	"slices"
)

// crash is one state that a power cut could have left.
type crash struct {
	img    *image
	mark   mark // how far the writer was
	kept   int  // of the writes that were in flight
	lost   int
	random bool // a random subset of them was kept, not none and not all
}

// epoch is what happened between two flushes, the second one included: it was in flight when the power went.
type epoch struct {
	base   *image // what was durable before
	events []event
	before mark // the last mark before
}

// epochs cuts a recording at its flushes. The last one has no flush at its end.
func epochs(base *image, stream []event) []epoch {
	var out []epoch
	cur := epoch{base: base}
	for i, e := range stream {
		if e.kind != flush {
			cur.events = append(cur.events, e)
			continue
		}
		out = append(out, cur)
		cur = cur.flushed(i)
	}
	return append(out, cur)
}

// flushed is the epoch that begins with the flush at index i of the stream. Writes that the disk had not answered
// by then are still in flight in it.
func (e epoch) flushed(i int) epoch {
	next := epoch{base: e.base.clone(), before: e.markAt(len(e.events))}
	for _, ev := range e.events {
		switch {
		case ev.kind != write:
		case ev.covered(i):
			ev.apply(next.base)
			next.events = slices.DeleteFunc(next.events, ev.overlaps) // what it overwrote has lost its chance
		default:
			next.events = append(next.events, ev)
		}
	}
	return next
}

// markAt is the last mark before event i.
func (e epoch) markAt(i int) mark {
	m := e.before
	for _, ev := range e.events[:i] {
		if ev.kind == note {
			m = ev.mark
		}
	}
	return m
}

func (e epoch) writes() int {
	n := 0
	for _, ev := range e.events {
		if ev.kind == write {
			n++
		}
	}
	return n
}

// crashes calls yield with states of the recording, no two of them the same, until it has want of them, but at
// least with both ends of every epoch: nothing that was in flight is kept, and all of it. What is more are random
// subsets. It may find fewer than want when the recording has no more.
func crashes(base *image, stream []event, want int, rng *rand.Rand, yield func(crash) bool) {
	list := epochs(base, stream)
	f := finder{seen: map[state]bool{}, yield: yield}
	for _, e := range list {
		if !f.try(e.cut(len(e.events), none)) || !f.try(e.cut(len(e.events), every)) {
			return
		}
	}
	list = slices.DeleteFunc(list, func(e epoch) bool { return e.writes() < 2 })
	for tries := 0; len(list) > 0 && f.n < want && tries < 20*want; tries++ {
		e := list[rng.IntN(len(list))]
		if !f.try(e.cut(moment(e, rng), subset(rng))) {
			return
		}
	}
}

// finder passes on states that it has not seen.
type finder struct {
	seen  map[state]bool
	n     int
	yield func(crash) bool
}

type state struct {
	sum  uint64
	mark mark
}

func (f *finder) try(c crash) bool {
	s := state{c.img.sum, c.mark}
	if f.seen[s] {
		return true
	}
	f.seen[s] = true
	f.n++
	return f.yield(c)
}

// cut is the state when the power goes before event at, and keep decides what of the epoch was on the disk.
func (e epoch) cut(at int, keep func(i int) bool) crash {
	c := crash{img: e.base.clone(), mark: e.markAt(at)}
	for i, ev := range e.events[:at] {
		switch {
		case ev.kind != write:
		case keep(i):
			ev.apply(c.img)
			c.kept++
		default:
			c.lost++
		}
	}
	c.random = c.kept > 0 && c.lost > 0
	return c
}

func none(int) bool  { return false }
func every(int) bool { return true }

// moment picks when the power goes: at the end of the epoch, when most is at stake, or anywhere in it.
func moment(e epoch, rng *rand.Rand) int {
	if rng.IntN(2) == 0 {
		return len(e.events)
	}
	return 1 + rng.IntN(len(e.events))
}

// subset picks how much is kept: little, half, most, or nearly all.
func subset(rng *rand.Rand) func(int) bool {
	p := []float64{0.1, 0.3, 0.5, 0.7, 0.9, 0.97}[rng.IntN(6)]
	return func(int) bool { return rng.Float64() < p }
}

// withoutFlushes is the recording of a disk that ignores flushes but for the first ones, up to the first mark: what
// a file system is mounted with is durable, and everything after is in flight until the end.
func withoutFlushes(stream []event) []event {
	start := slices.IndexFunc(stream, func(e event) bool { return e.kind == note })
	if start < 0 {
		return stream
	}
	kept := slices.Clone(stream[:start])
	for _, e := range stream[start:] {
		if e.kind != flush {
			kept = append(kept, e)
		}
	}
	return kept
}
