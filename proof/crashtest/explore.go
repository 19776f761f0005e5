package main

import (
	"math/rand/v2"
	"slices"
)

// crash is one state that a power cut could have left.
type crash struct {
	img    *image
	mark   mark // progress of the writer
	kept   int  // number of the writes in flight that are on the disk
	lost   int
	random bool // they are a random subset
}

// epoch has the events between two flushes, including the second one: those in flight when the power went.
type epoch struct {
	base   *image // durable content before
	events []event
	before mark // last mark before
}

// epochs splits a recording at its flushes. The last epoch has no flush at its end.
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

// flushed returns the epoch that begins with the flush at index i of the stream. It includes earlier writes that the disk had
// not answered by then.
func (e epoch) flushed(i int) epoch {
	next := epoch{base: e.base.clone(), before: e.markAt(len(e.events))}
	for _, ev := range e.events {
		switch {
		case ev.kind != write:
		case ev.covered(i):
			ev.apply(next.base)
			next.events = slices.DeleteFunc(next.events, ev.overlaps) // an overwritten write can no longer appear on the disk
		default:
			next.events = append(next.events, ev)
		}
	}
	return next
}

// markAt returns the last mark before event i.
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

// crashes calls yield with distinct states of the recording. It yields at least both ends of every epoch, with none and with
// all of the writes in flight. Up to want it adds random subsets. There may be fewer if the recording has no more states.
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

// cut returns the state when the power goes before event at. keep selects the events of the epoch that were on the disk.
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

// moment picks the time of the power cut: at the end of the epoch, when most is in flight, or anywhere in it.
func moment(e epoch, rng *rand.Rand) int {
	if rng.IntN(2) == 0 {
		return len(e.events)
	}
	return 1 + rng.IntN(len(e.events))
}

// subset picks how many writes are kept: few, half, most, or nearly all.
func subset(rng *rand.Rand) func(int) bool {
	p := []float64{0.1, 0.3, 0.5, 0.7, 0.9, 0.97}[rng.IntN(6)]
	return func(int) bool { return rng.Float64() < p }
}

// withoutFlushes returns the recording of a disk that ignores flushes after the first mark: everything after the mount is in
// flight until the end.
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

// sectors splits the writes of a recording into pieces of size bytes, each of which a power cut may keep or lose by itself.
func sectors(stream []event, size int64) (out []event) {
	place := make([]int, len(stream)+1) // of each event in out
	for i, e := range stream {
		place[i] = len(out)
		if e.kind != write || e.data == nil || size <= 0 {
			out = append(out, e)
			continue
		}
		for data, off := e.data, e.off; len(data) > 0; {
			n := min(int64(len(data)), size-off%size)
			out = append(out, event{kind: write, off: off, data: data[:n], n: n, done: e.done})
			data, off = data[n:], off+n
		}
	}
	place[len(stream)] = len(out)
	for i, e := range out {
		if e.done != nil && *e.done < len(place) {
			out[i].done = new(place[*e.done])
		}
	}
	return out
}
