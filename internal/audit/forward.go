package audit

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"math"
	"sync"

	"github.com/emend-dev/emend/internal/vfs"
)

// Forward returns the records from number from on, oldest first, without void ones. Errors are as for [Log.Backward].
func (l *Log) Forward(from uint64) iter.Seq2[*Record, error] {
	s := l.snapshot()
	return func(yield func(*Record, error) bool) {
		segs, err := segmentsFrom(l.dir, s.segmentsToHead(), from)
		if err != nil {
			yield(nil, err)
			return
		}
		w := &forwardWalk{dir: l.dir, segs: segs, end: s.headEnd, acceptNext: len(segs) < len(s.segmentsToHead())}
		w.yield = func(r *Record, err error) bool { return r != nil && r.Seq < from || yield(r, err) }
		w.run()
	}
}

// segmentsFrom leaves out the segments that have only records before number from.
func segmentsFrom(dir vfs.Dir, segs []int, from uint64) ([]int, error) {
	for i := len(segs) - 1; i > 0; i-- {
		first, err := firstRecord(dir, segs[i])
		if errors.Is(err, fs.ErrNotExist) {
			return segs[i+1:], nil // dropped meanwhile, with all before it
		}
		if err != nil {
			return nil, err
		}
		if first != nil && first.Seq <= from {
			return segs[i:], nil
		}
	}
	return segs, nil
}

// forwardWalk walks through segments along the chain.
type forwardWalk struct {
	dir   vfs.Dir
	segs  []int
	from  int64 // offset to begin at in the first segment
	ahead bool  // all processors decode, ahead of the walk
	end   int64 // end of what counts in the last segment
	yield func(*Record, error) bool
	// passed is told the bytes of each line. Optional.
	passed func(bytes int64)

	last       Head // the last good record
	before     Head // the record before the first one, if the log begins later than with record 1
	since      Head // Since of the next segment's first record
	sinceSeen  bool // since was met: records after it in its segment may be missing
	mayMiss    bool // sinceSeen in the segment before: records before this segment's first may be missing
	lost       uint64
	acceptNext bool // accept the next good record even if it does not continue the last
}

func (w *forwardWalk) run() {
	for i, n := range w.segs {
		var next *Record
		end := w.end
		if i+1 < len(w.segs) {
			var err error
			if next, err = firstRecord(w.dir, w.segs[i+1]); w.isDropped(err) {
				continue
			} else if err != nil {
				w.yield(nil, err)
				return
			}
			end = math.MaxInt64
		}
		if !w.segment(n, end, next) {
			return
		}
	}
}

// segment yields what is in the first size bytes of segment n. next is the first record of the segment after it.
func (w *forwardWalk) segment(n int, size int64, next *Record) bool {
	f, info, err := openSegment(w.dir, n)
	if w.isDropped(err) {
		return true
	}
	if err != nil {
		return w.yield(nil, err)
	}
	defer f.Close()
	from := w.from
	w.from, w.since = 0, Head{}
	w.mayMiss, w.sinceSeen = w.sinceSeen, false
	if next != nil {
		w.since, _ = next.lastSure()
	}
	number, going := 0, true
	skipped := sync.OnceValue(func() int { // lines; only a damage asks for them, since to count them is to read them
		if from == 0 {
			return 0
		}
		return lineNumber(f, from-1)
	})
	each := inTurn
	if w.ahead {
		each = eachLine
	}
	err = each(f, from, max(from, min(size, info.Size)), func(l checkedLine) bool {
		number++
		if w.passed != nil {
			w.passed(l.size)
		}
		switch {
		case l.err != nil:
			going = w.yield(nil, l.err)
			return false
		case w.restIsVoid(l.rec, next):
			return false
		}
		going = w.accept(l.rec, l.start == 0, func() *Corrupt {
			return &Corrupt{Segment: segmentName(n), Line: skipped() + number, Seq: w.last.Seq}
		})
		return going
	})
	if err != nil {
		return w.yield(nil, err)
	}
	return going
}

// isDropped reports whether err says that a segment was dropped since the walk's beginning was chosen. Segments are dropped
// from the oldest on.
func (w *forwardWalk) isDropped(err error) bool {
	return w.last.Seq == 0 && errors.Is(err, fs.ErrNotExist)
}

// inTurn is [eachLine] without reading ahead.
func inTurn(r io.ReaderAt, from, to int64, yield func(checkedLine) bool) error {
	for lines := newForwardLines(r, from, to); ; {
		l, ok, err := lines.next()
		if err != nil || !ok {
			return err
		}
		if rec, err := nilIfBad(l.record()); !yield(checkedLine{l.start, l.end - l.start, rec, err}) {
			return nil
		}
	}
}

// restIsVoid reports whether the rest of a segment does not count, as the first record of the next one says: a record
// that it declares void, and what is left of records after the last one known to be durable.
func (w *forwardWalk) restIsVoid(rec, next *Record) bool {
	return w.sinceSeen && (rec == nil || rec.Seq >= next.Seq || !rec.follows(w.last))
}

// accept takes one line. rec is nil if the line is bad; first says that it begins a segment.
func (w *forwardWalk) accept(rec *Record, first bool, at func() *Corrupt) bool {
	why := ""
	switch {
	case rec == nil && w.acceptNext:
		return true // report one damage once
	case rec == nil:
		why = "it is no whole record"
	case !w.acceptNext && !w.continues(rec, first):
		why = "it does not continue the record before it"
	case (rec.Kind == Rotate) != first:
		why = "it is in the wrong place of a segment"
	}
	if why != "" {
		c := at()
		if c.Why = why; !w.yield(nil, c) {
			return false
		}
	}
	if w.acceptNext = rec == nil; w.acceptNext {
		return true
	}
	w.last = rec.head()
	w.mayMiss, w.sinceSeen = false, w.sinceSeen || w.last == w.since
	return w.yield(rec, nil)
}

// continues reports whether rec is the next record, allowing for those that a failed sync lost, and for segments that are
// missing before the first: only [Verify] asks whether they were dropped by rule.
func (w *forwardWalk) continues(rec *Record, first bool) bool {
	if rec.follows(w.last) {
		return true
	}
	if w.last.Seq == 0 && first {
		w.before = Head{Seq: rec.Seq - 1, H: rec.Prev}
		return true
	}
	if !w.mayMiss || rec.Seq <= w.last.Seq+1 {
		return false
	}
	w.lost += rec.Seq - w.last.Seq - 1
	return true
}
