package audit

import (
	"io"
	"slices"
)

// look is how much of a segment's end is looked at whatever is in it.
const look = 16 << 10

// unsynced is how much of a segment's end is looked at even though nothing in it shows that it was synced.
const unsynced = 1 << 20

// tail is how a segment ends.
type tail struct {
	head Head  // of the last good record; zero when there is none
	end  int64 // where the last good record ends: what lies behind is torn
	// settled is set when the good part is known to have the mark of an end, and no transaction after it.
	settled bool
	// broken is set when bad lines are followed by records that were only written after a sync of all before them.
	broken *Corrupt
}

// seen is one line of a tail, or several bad ones in a row.
type seen struct {
	start, end int64
	rec        *Record // no more than its place in the chain; nil when bad
}

// readTail finds where the good part of a segment ends. Appends that were not synced may come out of a power cut in
// any state: cut short, as zeros or old blocks, the later one whole and the earlier one not. So a bad line ends the
// good part, whatever follows it, unless what follows proves that the bad line had been on disk: see [proof].
func readTail(r io.ReaderAt, size int64, segment string) (tail, error) {
	lines, err := readBack(r, size)
	if err != nil {
		return tail{}, err
	}
	t, rest := follow(lines)
	if i := proof(rest, t.head.Seq); i >= 0 {
		t.broken = &Corrupt{Segment: segment, Line: lineAt(r, rest[len(rest)-1].start), Seq: t.head.Seq,
			Why: "it does not continue the record before it, and later records show that it once did"}
		beyond, _ := follow(rest[:i+1])
		t.head, t.end, t.settled = beyond.head, beyond.end, beyond.settled
	}
	return t, nil
}

// follow goes along lines, which are newest first, as long as they continue each other, and returns the rest.
func follow(lines []seen) (t tail, rest []seen) {
	for i, l := range slices.Backward(lines) {
		if l.rec == nil || i < len(lines)-1 && !l.rec.follows(t.head) {
			return t, lines[:i+1]
		}
		t.head, t.end = l.rec.head(), l.end
		t.settled = l.rec.Kind.settles(t.settled)
	}
	return t, nil
}

// readBack reads lines from the end, newest first, until what is before them needs no look: from the last proof of a
// sync, and the record before it, on.
func readBack(r io.ReaderAt, size int64) ([]seen, error) {
	b := newBackward(r, size)
	var lines []seen
	for {
		l, ok, err := b.next()
		if err != nil || !ok {
			return lines, err
		}
		rec, err := soft(l.link())
		if err != nil {
			return nil, err
		}
		lines = add(lines, seen{l.start, l.end, rec})
		if n := len(lines); n > 1 && chained(lines[n-1], lines[n-2]) &&
			(size-l.start > look && proof(lines[:n-1], 0) >= 0 || size-l.start > unsynced) {
			return lines, nil
		}
	}
}

// add appends a line; bad ones in a row become one, so that a segment of nothing but line ends takes no memory.
func add(lines []seen, l seen) []seen {
	if n := len(lines); l.rec == nil && n > 0 && lines[n-1].rec == nil {
		lines[n-1].start = l.start
		return lines
	}
	if l.rec != nil {
		l.rec = &Record{Seq: l.rec.Seq, Prev: l.rec.Prev, Kind: l.rec.Kind, H: l.rec.H}
	}
	return append(lines, l)
}

func chained(older, newer seen) bool {
	return older.rec != nil && newer.rec != nil && newer.rec.follows(older.rec.head())
}

// proof returns the index of a record, newer than number floor, of which all that is before it was synced: a mark
// is only written when its commit is on disk, and so is whatever follows a commit or the first record of a segment.
// Records of lower numbers are blocks of old files.
func proof(lines []seen, floor uint64) int {
	later := false
	for i, l := range lines {
		if l.rec == nil || l.rec.Seq <= floor {
			continue
		}
		if l.rec.Kind.ends() || later && (l.rec.Kind.decides() || l.rec.Kind == Rotate) {
			return i
		}
		later = true
	}
	return -1
}
