package audit

import (
	"io"
	"slices"
)

// minTail is how many bytes of a segment's end are read in any case.
const minTail = 16 << 10

// maxUnproven is how many bytes of a segment's end are read at most while nothing in them proves a sync.
const maxUnproven = 1 << 20

// tail describes how a segment ends.
type tail struct {
	head Head    // the last good record; zero if there is none
	last *Record // its fields of the chain
	end  int64   // end of the last good record: what follows is torn
	// nonePending is set when the good part is known to have the end of a transaction, and no transaction after it.
	nonePending bool
	// damage is set when bad lines are followed by records that are only written after a sync of all before them.
	damage *Corrupt
}

// tailLine is one line of a tail, or several bad ones in a row.
type tailLine struct {
	start, end int64
	rec        *Record // only the fields of the chain; nil if the line is bad
}

// readTail finds where the good part of a segment ends. A power cut may leave appends that were not synced in any
// state: cut short, as zeros or old blocks, or a later one whole and an earlier one not. So a bad line ends the good
// part, whatever follows it, unless what follows proves that the bad line had been on disk: see [provenSynced].
func readTail(r io.ReaderAt, size int64, segment string) (tail, error) {
	lines, err := tailLines(r, size)
	if err != nil {
		return tail{}, err
	}
	t, rest := followChain(lines)
	if i := provenSynced(rest, t.head.Seq, !t.amidEnds()); i >= 0 {
		t.damage = &Corrupt{Segment: segment, Line: lineNumber(r, rest[len(rest)-1].start), Seq: t.head.Seq,
			Why: "it does not continue the record before it, and later records show that it once did"}
		beyond, _ := followChain(rest[:i+1])
		t.head, t.end, t.nonePending = beyond.head, beyond.end, beyond.nonePending
	}
	return t, nil
}

// followChain walks along lines, which are newest first, from the oldest as long as they continue each other. It
// returns the rest.
func followChain(lines []tailLine) (t tail, rest []tailLine) {
	for i, l := range slices.Backward(lines) {
		if l.rec == nil || i < len(lines)-1 && !l.rec.follows(t.head) {
			return t, lines[:i+1]
		}
		t.last, t.head, t.end = l.rec, l.rec.head(), l.end
		t.nonePending = l.rec.leavesNonePending(t.nonePending)
	}
	return t, nil
}

// amidEnds reports whether ends of a group may follow the last good record. They are written together, so that one of them
// does not prove that those before it were synced.
func (t *tail) amidEnds() bool {
	return t.last != nil && (t.last.Kind.isCommit() && t.last.Group == 0 || t.last.Kind.isEnd() && t.last.Group > 1)
}

// tailLines reads lines from the end, newest first, until it has the last proof of a sync and the record before it:
// what is older needs no check.
func tailLines(r io.ReaderAt, size int64) ([]tailLine, error) {
	b := newBackwardLines(r, 0, size)
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
			(size-l.start > minTail && provenSynced(lines[:n-1], 0, false) >= 0 || size-l.start > maxUnproven) {
			return lines, nil
		}
	}
}

// prependLine adds an older line. Bad lines in a row become one, so that a segment full of newlines takes no memory.
func prependLine(lines []tailLine, l tailLine) []tailLine {
	if n := len(lines); l.rec == nil && n > 0 && lines[n-1].rec == nil {
		lines[n-1].start = l.start
		return lines
	}
	if l.rec != nil {
		l.rec = &Record{Seq: l.rec.Seq, Prev: l.rec.Prev, Kind: l.rec.Kind, Group: l.rec.Group, H: l.rec.H}
	}
	return append(lines, l)
}

func isChained(older, newer tailLine) bool {
	return older.rec != nil && newer.rec != nil && newer.rec.follows(older.rec.head())
}

// provenSynced returns the index of a record, newer than number floor, that proves that everything before it was
// synced; -1 if there is none. The end of a transaction proves it, since it is only written when the commit is on disk;
// that of a member of a group only if groupEnds is set. So does a record that follows a commit, unless it is of the same
// group, or the first record of a segment. Records with lower numbers come from blocks of old files.
func provenSynced(lines []tailLine, floor uint64, groupEnds bool) int {
	newest := uint64(0)
	for i, l := range lines {
		if l.rec == nil || l.rec.Seq <= floor {
			continue
		}
		if l.rec.Kind.isEnd() && (l.rec.Group == 0 || groupEnds) || l.rec.Kind.isCommit() && newest > l.rec.groupEnd() || l.rec.Kind == Rotate && newest > 0 {
			return i
		}
		newest = max(newest, l.rec.Seq)
	}
	return -1
}
