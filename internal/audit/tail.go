package audit

import (
	"io"
	"slices"
)

// minTail is how much of a segment's end is looked at whatever is in it.
const minTail = 16 << 10

// maxUnproven is how much of a segment's end is looked at even though nothing in it shows that it was synced.
const maxUnproven = 1 << 20

// tail is how a segment ends.
type tail struct {
	head Head  // of the last good record; zero when there is none
	end  int64 // where the last good record ends: what lies behind is torn
	// nonePending is set when the good part is known to have the mark of an end, and no transaction after it.
	nonePending bool
	// damage is set when bad lines are followed by records that were only written after a sync of all before them.
	damage *Corrupt
}

// tailLine is one line of a tail, or several bad ones in a row.
type tailLine struct {
	start, end int64
	rec        *Record // no more than its place in the chain; nil when bad
}

// readTail finds where the good part of a segment ends. Appends that were not synced may come out of a power cut in
// any state: cut short, as zeros or old blocks, the later one whole and the earlier one not. So a bad line ends the
// good part, whatever follows it, unless what follows proves that the bad line had been on disk: see [proof].
func readTail(r io.ReaderAt, size int64, segment string) (tail, error) {
	lines, err := tailLines(r, size)
	if err != nil {
		return tail{}, err
	}
	t, rest := followChain(lines)
	if i := provenSynced(rest, t.head.Seq); i >= 0 {
		t.damage = &Corrupt{Segment: segment, Line: lineNumber(r, rest[len(rest)-1].start), Seq: t.head.Seq,
			Why: "it does not continue the record before it, and later records show that it once did"}
		beyond, _ := followChain(rest[:i+1])
		t.head, t.end, t.nonePending = beyond.head, beyond.end, beyond.nonePending
	}
	return t, nil
}

// followChain goes along lines, which are newest first, as long as they continue each other, and returns the rest.
func followChain(lines []tailLine) (t tail, rest []tailLine) {
	for i, l := range slices.Backward(lines) {
		if l.rec == nil || i < len(lines)-1 && !l.rec.follows(t.head) {
			return t, lines[:i+1]
		}
		t.head, t.end = l.rec.head(), l.end
		t.nonePending = l.rec.Kind.leavesNonePending(t.nonePending)
	}
	return t, nil
}

// tailLines reads lines from the end, newest first, until what is before them needs no look: from the last proof of a
// sync, and the record before it, on.
func tailLines(r io.ReaderAt, size int64) ([]tailLine, error) {
	b := newBackwardLines(r, size)
	var lines []tailLine
	for {
		l, ok, err := b.next()
		if err != nil || !ok {
			return lines, err
		}
		rec, err := nilIfBad(l.header())
		if err != nil {
			return nil, err
		}
		lines = prependLine(lines, tailLine{l.start, l.end, rec})
		if n := len(lines); n > 1 && isChained(lines[n-1], lines[n-2]) &&
			(size-l.start > minTail && provenSynced(lines[:n-1], 0) >= 0 || size-l.start > maxUnproven) {
			return lines, nil
		}
	}
}

// prependLine appends a line; bad ones in a row become one, so that a segment of nothing but line ends takes no memory.
func prependLine(lines []tailLine, l tailLine) []tailLine {
	if n := len(lines); l.rec == nil && n > 0 && lines[n-1].rec == nil {
		lines[n-1].start = l.start
		return lines
	}
	if l.rec != nil {
		l.rec = &Record{Seq: l.rec.Seq, Prev: l.rec.Prev, Kind: l.rec.Kind, H: l.rec.H}
	}
	return append(lines, l)
}

func isChained(older, newer tailLine) bool {
	return older.rec != nil && newer.rec != nil && newer.rec.follows(older.rec.head())
}

// provenSynced returns the index of a record, newer than number floor, of which all that is before it was synced: a mark
// is only written when its commit is on disk, and so is whatever follows a commit or the first record of a segment.
// Records of lower numbers are blocks of old files.
func provenSynced(lines []tailLine, floor uint64) int {
	later := false
	for i, l := range lines {
		if l.rec == nil || l.rec.Seq <= floor {
			continue
		}
		if l.rec.Kind.isEnd() || later && (l.rec.Kind.isCommit() || l.rec.Kind == Rotate) {
			return i
		}
		later = true
	}
	return -1
}
