package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// wrote returns a write of one letter to one block, answered when the stream had the length done.
func wrote(letter string, blk int64, done int) event {
	return event{kind: write, off: blk * blockSize, data: []byte(letter), n: 1, done: &done}
}

// letters returns the first bytes of the first blocks.
func letters(m *image) string {
	var out strings.Builder
	for i := range int64(3) {
		p := make([]byte, 1)
		if m.read(p, i*blockSize); p[0] == 0 {
			p[0] = '-'
		}
		out.Write(p)
	}
	return out.String()
}

func found(stream []event, want int) []string {
	var out []string
	crashes(new(image), stream, want, rand.New(rand.NewPCG(1, 1)), func(c crash) bool {
		out = append(out, fmt.Sprintf("%s %d/%d", letters(c.img), c.mark.Acked, c.mark.Begun))
		return true
	})
	slices.Sort(out)
	return out
}

func TestCrashes(t *testing.T) {
	flushed := event{kind: flush}
	begin, answer := event{kind: note, mark: mark{1, 0}}, event{kind: note, mark: mark{1, 1}}
	for _, tc := range []struct {
		name   string
		stream []event
		want   []string
	}{
		{"what was flushed stays, the rest may", []event{begin, wrote("a", 0, 2), flushed, answer, wrote("b", 1, 5)},
			[]string{"--- 0/1", "a-- 0/1", "a-- 1/1", "ab- 1/1"}},
		{"who had begun before the flush has begun", []event{begin, wrote("a", 0, 2), flushed, wrote("b", 1, 4)},
			[]string{"--- 0/1", "a-- 0/1", "ab- 0/1"}},
		{"any part of what is in flight may be kept", []event{wrote("a", 0, 1), wrote("b", 1, 2)},
			[]string{"--- 0/0", "-b- 0/0", "a-- 0/0", "ab- 0/0"}},
		{"a flush that overtakes the answer covers nothing", []event{wrote("a", 0, 9), flushed},
			[]string{"--- 0/0", "a-- 0/0"}},
		{"and covers what was answered", []event{wrote("a", 0, 9), wrote("b", 1, 2), flushed, answer},
			[]string{"--- 0/0", "-b- 1/1", "-b- 0/0", "a-- 0/0", "ab- 0/0", "ab- 1/1"}},
		{"what is overwritten durably never comes back", []event{wrote("a", 0, 9), wrote("b", 0, 2), flushed, answer},
			[]string{"--- 0/0", "a-- 0/0", "b-- 0/0", "b-- 1/1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := found(tc.stream, 100)
			slices.Sort(tc.want)
			if !slices.Equal(got, tc.want) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// No state after an acknowledgement may lack the acknowledged write, or a write that was flushed before it.
func TestWhatWasFlushedBeforeTheAnswerIsThere(t *testing.T) {
	flushed, answer := event{kind: flush}, event{kind: note, mark: mark{1, 1}}
	for _, s := range found([]event{wrote("a", 0, 1), flushed, answer, wrote("b", 1, 4), wrote("c", 2, 5)}, 100) {
		if strings.HasSuffix(s, "1/1") && s[0] != 'a' {
			t.Errorf("state %q has lost what was flushed", s)
		}
	}
}

func TestWithoutFlushesNothingIsSafe(t *testing.T) {
	flushed, answer := event{kind: flush}, event{kind: note, mark: mark{1, 1}}
	stream := []event{wrote("a", 0, 1), flushed, {kind: note, mark: mark{1, 0}}, wrote("b", 1, 4), flushed, answer}
	got := found(withoutFlushes(stream), 100)
	if !slices.Contains(got, "a-- 1/1") {
		t.Errorf("no state of %q has lost what was answered", got)
	}
	if slices.Contains(got, "--- 1/1") {
		t.Errorf("what was flushed before the first mark is lost in %q", got)
	}
}

func TestDiskRecords(t *testing.T) {
	d := newDisk(1 << 20)
	d.write([]byte("before"), 0)
	base := d.record()
	d.write(make([]byte, 2*blockSize), blockSize/2)
	d.flush()
	d.note(mark{1, 1})
	d.zero(0, blockSize)
	var kinds []kind
	stream := d.recorded()
	for _, e := range stream {
		kinds = append(kinds, e.kind)
	}
	if want := []kind{write, write, write, flush, note, write}; !slices.Equal(kinds, want) {
		t.Errorf("recorded %v, want %v", kinds, want)
	}
	if !stream[0].covered(3) || stream[0].covered(2) {
		t.Errorf("the write was answered when the stream was %d long, want 3", *stream[0].done)
	}
	p := make([]byte, 6)
	if base.read(p, 0); string(p) != "before" {
		t.Errorf("the base is %q", p)
	}
}

// A write that was answered before a flush is durable, also in pieces; one that was not may be there in part.
func TestSectors(t *testing.T) {
	stream := []event{
		{kind: write, off: 4096, data: bytes.Repeat([]byte{1}, 4096), n: 4096, done: new(1)},
		{kind: flush},
		{kind: write, off: 0, data: bytes.Repeat([]byte{2}, 1536), n: 1536, done: new(3)},
	}
	pieces := sectors(stream, 512)
	list := epochs(new(image), pieces)
	if len(pieces) != 12 || len(list) != 2 || len(list[1].events) != 3 {
		t.Fatalf("%d pieces, %d epochs", len(pieces), len(list))
	}
	c := list[1].cut(3, func(i int) bool { return i != 1 })
	got := make([]byte, 8192)
	c.img.read(got, 0)
	want := make([]byte, 8192)
	for i := range want {
		if i < 512 || i >= 1024 && i < 1536 {
			want[i] = 2
		} else if i >= 4096 {
			want[i] = 1
		}
	}
	if !bytes.Equal(got, want) || c.kept != 2 || c.lost != 1 {
		t.Errorf("%d kept, %d lost", c.kept, c.lost)
	}
}
