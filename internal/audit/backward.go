package audit

import (
	"io"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
)

// Backward returns the records from newest to oldest, without void ones. An error stands for what cannot be read. After
// a *[Corrupt] the iteration can continue with what is before the damage.
func (l *Log) Backward() iter.Seq2[*Record, error] { return l.Query(Query{}) }

// Query is Backward for callers that need only some records, or only a part of each.
func (l *Log) Query(q Query) iter.Seq2[*Record, error] {
	s := l.snapshot()
	return func(yield func(*Record, error) bool) {
		if q.Index != nil && q.Before == 0 && q.Until.IsZero() && l.queryIndex(s, &q, yield) {
			return
		}
		b := &backwardWalk{dir: l.dir, yield: yield, decode: q.decode, newer: Record{Seq: s.head.Seq + 1, Prev: s.head.H}}
		segs, size := s.segmentsToHead(), s.headEnd
		if at, ok := l.startOf(s, &q); ok {
			b.newer = *at.record
			segs, size = segs[:at.index+1], at.start
		}
		for _, n := range slices.Backward(segs) {
			if !b.segment(n, size) {
				return
			}
			size = math.MaxInt64
		}
	}
}

// backwardWalk walks through segments against the chain.
type backwardWalk struct {
	dir       vfs.Dir
	yield     func(*Record, error) bool
	decode    func(line) (*Record, error)
	newer     Record  // the record that was yielded last: the next one must be its predecessor
	nextFirst *Record // the first record of the segment after this one; nil at first
	mayMiss   bool    // records before newer may be missing
	broken    bool    // the chain is broken here: accept the next good record
}

// segment yields what is in the first size bytes of segment n.
func (b *backwardWalk) segment(n int, size int64) bool {
	f, info, err := openSegment(b.dir, n)
	if err != nil {
		return b.yield(nil, err)
	}
	defer f.Close()
	size, err = b.soundSize(f, min(size, info.Size))
	if err != nil {
		return b.yield(nil, err)
	}
	b.nextFirst = nil
	for lines := newBackwardLines(f, size); ; {
		l, ok, err := lines.next()
		if err != nil {
			return b.yield(nil, err)
		}
		if !ok {
			return true
		}
		rec, err := nilIfBad(b.decode(l))
		if err != nil {
			return b.yield(nil, err)
		}
		if !b.accept(rec, func() *Corrupt { return &Corrupt{Segment: segmentName(n), Line: lineNumber(f, l.start)} }) {
			return false
		}
		if l.start == 0 {
			b.nextFirst = rec
		}
	}
}

// soundSize returns how much of a segment counts, as the first record of the next segment says: that record may declare
// others void, and after a failed sync or a restart the end may be in any state.
func (b *backwardWalk) soundSize(r io.ReaderAt, size int64) (int64, error) {
	b.mayMiss = false
	if b.nextFirst == nil {
		return size, nil
	}
	base, doubt := b.nextFirst.lastSure()
	switch {
	case b.nextFirst.restarts():
		base = Head{Seq: b.nextFirst.Seq - 1, H: b.nextFirst.Prev}
	case !doubt:
		return size, nil
	}
	end, err := soundEnd(r, size, base, b.nextFirst.Seq)
	if err != nil || end == 0 {
		return size, err // base is missing, so this is damage
	}
	b.mayMiss = doubt
	return end, nil
}

// soundEnd returns the end of the last record that continues base, before number limit; 0 if base is not there.
func soundEnd(r io.ReaderAt, size int64, base Head, limit uint64) (int64, error) {
	var lines []tailLine // newest first
	for back := newBackwardLines(r, size); ; {
		l, ok, err := back.next()
		if err != nil || !ok {
			return 0, err
		}
		rec, err := nilIfBad(l.record())
		if err != nil {
			return 0, err
		}
		if rec != nil && rec.Seq >= limit {
			rec = nil
		}
		lines = prependLine(lines, tailLine{l.start, l.end, rec})
		// A copy of base, in an old block, continues nothing.
		n := len(lines) - 1
		if n > 0 && isChained(lines[n], lines[n-1]) && lines[n-1].rec.head() == base ||
			l.start == 0 && rec != nil && rec.head() == base {
			t, _ := followChain(lines)
			return t.end, nil
		}
	}
}

// accept takes one line. rec is nil if the line is bad.
func (b *backwardWalk) accept(rec *Record, at func() *Corrupt) bool {
	switch {
	case rec != nil && (b.broken || b.newer.follows(rec.head())):
	case rec != nil && b.mayMiss && rec.Seq+1 < b.newer.Seq:
	default:
		return b.damaged(rec, at())
	}
	b.newer, b.mayMiss, b.broken = *rec, false, false
	return b.yield(rec, nil)
}

func (b *backwardWalk) damaged(rec *Record, at *Corrupt) bool {
	if rec == nil && b.broken {
		return true // report one damage once
	}
	at.Why = "the record after it does not continue it"
	if rec == nil {
		at.Why = "it is no whole record"
	} else {
		at.Seq = rec.Seq
	}
	b.broken = true
	if !b.yield(nil, at) {
		return false
	}
	return rec == nil || b.accept(rec, nil)
}

// queryIndex answers a query along its index. It returns false, and yields nothing, if the index does not represent the
// log.
func (l *Log) queryIndex(s state, q *Query, yield func(*Record, error) bool) (ok bool) {
	lines, words, ok := q.Index.update(l, s)
	if !ok {
		return false
	}
	open := segmentReader{dir: l.dir}
	defer open.close()
	for i := len(lines) - 1; i >= 0; i-- {
		first := int32(0)
		if i > 0 {
			first = lines[i-1].keysEnd
		}
		if m := &lines[i]; q.Always(m.kind) || q.Keys.matchAny(words[first:m.keysEnd]) {
			r, err := open.read(m, q)
			if err != nil || !m.matches(r) {
				q.Index.invalidate(s.head)
				l.queryFrom(m.seq, q, yield)
				return true
			}
			if !yield(r, nil) {
				return true
			}
		}
	}
	return true
}

// queryFrom continues without an index, with the record number seq.
func (l *Log) queryFrom(seq uint64, q *Query, yield func(*Record, error) bool) {
	for r, err := range l.Query(Query{Before: seq + 1, Need: q.Need}) {
		if (r == nil || r.Seq <= seq) && !yield(r, err) {
			return
		}
	}
}

// segmentReader keeps the segment open that was read last, since the next read mostly needs the same one.
type segmentReader struct {
	dir vfs.Dir
	n   int32
	f   vfs.File
}

func (o *segmentReader) close() {
	if o.f != nil {
		o.f.Close()
	}
}

func (o *segmentReader) read(m *indexEntry, q *Query) (*Record, error) {
	if o.n != m.segment {
		o.close()
		var err error
		if o.f, _, err = openSegment(o.dir, int(m.segment)); err != nil {
			o.f = nil
			return nil, err
		}
		o.n = m.segment
	}
	l := line{text: make([]byte, m.size), start: m.start, end: m.start + int64(m.size)}
	if _, err := io.ReadFull(io.NewSectionReader(o.f, m.start, int64(m.size)), l.text); err != nil {
		return nil, err
	}
	if l.whole = l.text[m.size-1] == '\n'; l.whole {
		l.text = l.text[:m.size-1]
	}
	return q.decode(l)
}

// startOf finds where q begins; ok is false if that is the newest record. A log that is not in order, or that has a
// segment whose end is in doubt, is read from the newest record on, however long that takes.
func (l *Log) startOf(s state, q *Query) (position, bool) {
	beyond := func(r *Record) bool { return r.Seq >= q.Before }
	if q.Before == 0 {
		limit := q.Until.Add(24 * time.Hour)
		beyond = func(r *Record) bool { return r.TS.After(limit) }
	}
	if q.Before == 0 && q.Until.IsZero() {
		return position{}, false
	}
	at, ok := l.seek(s, beyond)
	if !ok || q.Before > 0 && at.record.Seq != q.Before {
		return position{}, false
	}
	return l.afterEnd(s, at)
}
