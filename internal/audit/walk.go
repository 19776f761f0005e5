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
func (l *Log) Backward() iter.Seq2[*Record, error] { return l.Back(Query{}) }

// Back is Backward for who does not need all.
func (l *Log) Back(q Query) iter.Seq2[*Record, error] {
	s := l.snapshot()
	return func(yield func(*Record, error) bool) {
		if q.Sieve != nil && q.Before == 0 && q.Until.IsZero() && l.sifted(s, &q, yield) {
			return
		}
		b := &backwards{dir: l.dir, yield: yield, read: q.read, want: Record{Seq: s.head.Seq + 1, Prev: s.head.H}}
		segs, size := s.filled(), s.upTo
		if at, ok := l.place(s, &q); ok {
			b.want = *at.top
			segs, size = segs[:at.seg+1], at.start
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

// backwards goes through segments against the chain.
type backwards struct {
	dir   vfs.Dir
	yield func(*Record, error) bool
	read  func(line) (*Record, error)
	want  Record  // the record that was yielded last: the next one has to be the one before it
	after *Record // the first record of the segment after this one, nil at first
	gap   bool    // records before want may be missing
	lost  bool    // the chain is broken here: the next good record is taken as it is
}

// segment yields what is in the first size bytes of segment n.
func (b *backwards) segment(n int, size int64) bool {
	f, info, err := openSegment(b.dir, n)
	if err != nil {
		return b.yield(nil, err)
	}
	defer f.Close()
	size, err = b.sound(f, min(size, info.Size))
	if err != nil {
		return b.yield(nil, err)
	}
	b.after = nil
	for lines := newBackward(f, size); ; {
		l, ok, err := lines.next()
		if err != nil {
			return b.yield(nil, err)
		}
		if !ok {
			return true
		}
		rec, err := soft(b.read(l))
		if err != nil {
			return b.yield(nil, err)
		}
		if !b.line(rec, func() *Corrupt { return &Corrupt{Segment: segmentName(n), Line: lineAt(f, l.start)} }) {
			return false
		}
		if l.start == 0 {
			b.after = rec
		}
	}
}

// sound returns how much of a segment counts, by what the first record of the next one says: it may declare records
// void, and after a failed sync or a restart the end may be in any state.
func (b *backwards) sound(r io.ReaderAt, size int64) (int64, error) {
	b.gap = false
	if b.after == nil {
		return size, nil
	}
	base, doubt := b.after.doubts()
	switch {
	case b.after.restarts():
		base = Head{Seq: b.after.Seq - 1, H: b.after.Prev}
	case !doubt:
		return size, nil
	}
	end, err := soundEnd(r, size, base, b.after.Seq)
	if err != nil || end == 0 {
		return size, err // base is missing, which is damage
	}
	b.gap = doubt
	return end, nil
}

// soundEnd returns the end of the last record that continues base, before number limit; 0 when base is not there.
func soundEnd(r io.ReaderAt, size int64, base Head, limit uint64) (int64, error) {
	var lines []seen // newest first
	for back := newBackward(r, size); ; {
		l, ok, err := back.next()
		if err != nil || !ok {
			return 0, err
		}
		rec, err := soft(l.record())
		if err != nil {
			return 0, err
		}
		if rec != nil && rec.Seq >= limit {
			rec = nil
		}
		lines = add(lines, seen{l.start, l.end, rec})
		// A copy of base, in an old block, continues nothing.
		n := len(lines) - 1
		if n > 0 && chained(lines[n], lines[n-1]) && lines[n-1].rec.head() == base ||
			l.start == 0 && rec != nil && rec.head() == base {
			t, _ := follow(lines)
			return t.end, nil
		}
	}
}

// line takes one line; rec is nil when it is bad.
func (b *backwards) line(rec *Record, at func() *Corrupt) bool {
	switch {
	case rec != nil && (b.lost || b.want.follows(rec.head())):
	case rec != nil && b.gap && rec.Seq+1 < b.want.Seq:
	default:
		return b.broken(rec, at())
	}
	b.want, b.gap, b.lost = *rec, false, false
	return b.yield(rec, nil)
}

func (b *backwards) broken(rec *Record, at *Corrupt) bool {
	if rec == nil && b.lost {
		return true // one damage, one error
	}
	at.Why = "the record after it does not continue it"
	if rec == nil {
		at.Why = "it is no whole record"
	} else {
		at.Seq = rec.Seq
	}
	b.lost = true
	if !b.yield(nil, at) {
		return false
	}
	return rec == nil || b.line(rec, nil)
}

// Forward returns the records from number from on, oldest first, without void ones. Errors are as for
// [Log.Backward].
func (l *Log) Forward(from uint64) iter.Seq2[*Record, error] {
	s := l.snapshot()
	return func(yield func(*Record, error) bool) {
		segs, err := after(l.dir, s.filled(), from)
		if err != nil {
			yield(nil, err)
			return
		}
		w := &walk{dir: l.dir, segs: segs, end: s.upTo, skip: len(segs) < len(s.filled())}
		w.yield = func(r *Record, err error) bool { return r != nil && r.Seq < from || yield(r, err) }
		w.run()
	}
}

// after leaves out the segments that have only records before number from.
func after(dir vfs.Dir, segs []int, from uint64) ([]int, error) {
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
	if err := l.Err(); err != nil || l.snapshot().settled {
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
		case r.Kind.ends():
			return nil, nil
		case r.Kind.decides():
			return r, nil
		}
		restarted = restarted || r.restarts()
	}
	return nil, nil
}
