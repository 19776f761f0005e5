package audit

import (
	"errors"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/emend-dev/emend/internal/vfs"
)

// Backward returns the records from the newest to the oldest, without void ones. An error stands for what cannot be
// read; after a *[Corrupt] the iteration can go on, with what is before the damage.
func (l *Log) Backward() iter.Seq2[*Record, error] { return l.Query(Query{}) }

// Query is Backward for who does not need all.
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

func (l *Log) snapshot() state {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

// backwardWalk goes through segments against the chain.
type backwardWalk struct {
	dir       vfs.Dir
	yield     func(*Record, error) bool
	decode    func(line) (*Record, error)
	newer     Record  // the record that was yielded last: the next one has to be the one before it
	nextFirst *Record // the first record of the segment after this one, nil at first
	mayMiss   bool    // records before want may be missing
	broken    bool    // the chain is broken here: the next good record is taken as it is
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

// soundSize returns how much of a segment counts, by what the first record of the next one says: it may declare records
// void, and after a failed sync or a restart the end may be in any state.
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
		return size, err // base is missing, which is damage
	}
	b.mayMiss = doubt
	return end, nil
}

// soundEnd returns the end of the last record that continues base, before number limit; 0 when base is not there.
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

// accept takes one line; rec is nil when it is bad.
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
		return true // one damage, one error
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

// Forward returns the records from number from on, oldest first, without void ones. Errors are as for
// [Log.Backward].
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
		if err != nil {
			return nil, err
		}
		if first != nil && first.Seq <= from {
			return segs[i:], nil
		}
	}
	return segs, nil
}

// Pending returns the transaction that may be unfinished, nil when there is none: the last one, if no mark of an end
// follows it. Transactions happen one after the other, so any mark ends every one before it.
func (l *Log) Pending() (*Record, error) {
	if err := l.Err(); err != nil || l.snapshot().nonePending {
		return nil, err
	}
	restarted := false
	for r, err := range l.Backward() {
		if _, ok := errors.AsType[*Corrupt](err); ok && restarted {
			return nil, nil // a person has seen to the damage
		}
		switch {
		case err != nil:
			return nil, err
		case r.Kind.isEnd():
			return nil, nil
		case r.Kind.isCommit():
			return r, nil
		}
		restarted = restarted || r.restarts()
	}
	return nil, nil
}
