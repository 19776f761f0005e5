package audit

import (
	"errors"
	"io"
	"io/fs"
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
func (l *Log) Query(q Query) iter.Seq2[*Record, error] { return l.Walk(q).Records() }

// Has reports whether the log has a record, as far as it can be read.
func (l *Log) Has(h Head) bool {
	for r, err := range l.Query(Query{Before: h.Seq + 1, Need: func(Kind, []byte) Detail { return Header }}) {
		return err == nil && r.head() == h
	}
	return false
}

// Walk is one reading of a log, from the newest record to the oldest, as the log was when the walk was made. By the indexes
// of the segments it skips records that the query does not ask for; [Walk.End] and [Walk.Undos] look at what it skipped.
type Walk struct {
	dir   vfs.Dir
	q     Query
	state state
	yield func(*Record, error) bool

	newer     Record  // the record that was met last: the next one must be its predecessor
	nextFirst *Record // the first record of the segment after this one; nil at first
	mayMiss   bool    // records before newer may be missing
	broken    bool    // the chain is broken here: accept the next good record

	passed []*passedTable // the newest first
}

// Walk begins a walk. It reads nothing yet.
func (l *Log) Walk(q Query) *Walk {
	s := l.snapshot()
	w := &Walk{dir: l.dir, q: q, state: s, newer: Record{Seq: s.head.Seq + 1, Prev: s.head.H}}
	if !q.Until.IsZero() {
		limit := q.Until.Add(24 * time.Hour)
		if at, ok := l.seek(s, func(r *Record) bool { return r.TS.After(limit) }); ok && (q.Before == 0 || at.record.Seq < q.Before) {
			w.q.Before = at.record.Seq
		}
	}
	return w
}

// Records returns the records that the query asks for. It may be called once.
func (w *Walk) Records() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		w.yield = yield
		defer w.close()
		size := w.state.headEnd
		for _, n := range slices.Backward(w.state.segmentsToHead()) {
			if !w.segment(n, size) {
				return
			}
			size = math.MaxInt64
		}
	}
}

// segment reads what is in the first size bytes of segment n.
func (w *Walk) segment(n int, size int64) bool {
	f, info, err := openSegment(w.dir, n)
	if errors.Is(err, fs.ErrNotExist) {
		return false // dropped meanwhile, with all before it
	}
	if err != nil {
		return w.yield(nil, err)
	}
	defer f.Close()
	size, w.mayMiss, err = soundSize(f, min(size, info.Size), w.nextFirst)
	if err != nil {
		return w.yield(nil, err)
	}
	w.nextFirst = nil
	s := &segmentWalk{Walk: w, n: n, f: f, rest: size}
	if t := w.table(n, f, info.Size); t != nil {
		return s.withTable(t)
	}
	return s.read(0)
}

// table opens the index of a segment, if the query can use one.
func (w *Walk) table(n int, f io.ReaderAt, size int64) *table {
	if w.q.Keys == nil && (w.q.Before == 0 || w.newer.Seq <= w.q.Before) {
		return nil
	}
	suffixes := []string{wholeSuffix, growingSuffix}
	if n == w.state.lastSegment() {
		slices.Reverse(suffixes)
	}
	return openTable(w.dir, n, f, size, suffixes...)
}

// segmentWalk reads one segment.
type segmentWalk struct {
	*Walk
	n    int
	f    vfs.File
	rest int64 // what is before this place was not read yet
}

// read reads line by line, back to a place.
func (s *segmentWalk) read(floor int64) bool {
	for lines := newBackwardLines(s.f, floor, s.rest); ; {
		l, ok, err := lines.next()
		if err != nil {
			return s.yield(nil, err)
		}
		if !ok {
			return true
		}
		rec, err := nilIfBad(s.q.decode(l))
		if err != nil {
			return s.yield(nil, err)
		}
		if !s.accept(rec, func() *Corrupt { return &Corrupt{Segment: segmentName(s.n), Line: lineNumber(s.f, l.start)} }) {
			return false
		}
		if s.rest = l.start; l.start == 0 {
			if s.nextFirst, err = nilIfBad(l.record()); err != nil {
				return s.yield(nil, err)
			}
		}
	}
}

// soundSize returns how much of a segment counts, as the first record of the next segment says: that record may declare
// others void, and after a failed sync or a restart the end may be in any state. mayMiss says that records after the end may
// be missing.
func soundSize(r io.ReaderAt, size int64, next *Record) (end int64, mayMiss bool, err error) {
	if next == nil {
		return size, false, nil
	}
	base, doubt := next.lastSure()
	switch {
	case next.restarts():
		base = Head{Seq: next.Seq - 1, H: next.Prev}
	case !doubt:
		return size, false, nil
	}
	end, err = soundEnd(r, size, base, next.Seq)
	if err != nil || end == 0 {
		return size, false, err // base is missing, so this is damage
	}
	return end, doubt, nil
}

// soundEnd returns the end of the last record that continues base, before number limit; 0 if base is not there.
func soundEnd(r io.ReaderAt, size int64, base Head, limit uint64) (int64, error) {
	var lines []tailLine // newest first
	for back := newBackwardLines(r, 0, size); ; {
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
func (w *Walk) accept(rec *Record, at func() *Corrupt) bool {
	switch {
	case rec != nil && (w.broken || w.newer.follows(rec.head())):
	case rec != nil && w.mayMiss && rec.Seq+1 < w.newer.Seq:
	default:
		return w.damaged(rec, at())
	}
	w.newer, w.mayMiss, w.broken = *rec, false, false
	return w.emit(rec)
}

// emit yields a record, if the query asks for that part of the log.
func (w *Walk) emit(rec *Record) bool {
	if w.q.Before == 0 || rec.Seq < w.q.Before {
		return w.yield(rec, nil)
	}
	if w.q.Learn != nil {
		w.q.Learn(rec)
	}
	return true
}

func (w *Walk) damaged(rec *Record, at *Corrupt) bool {
	if rec == nil && w.broken {
		return true // report one damage once
	}
	at.Why = "the record after it does not continue it"
	if rec == nil {
		at.Why = "it is no whole record"
	} else {
		at.Seq = rec.Seq
	}
	w.broken = true
	if !w.yield(nil, at) {
		return false
	}
	return rec == nil || w.accept(rec, nil)
}
