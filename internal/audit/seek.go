package audit

import (
	"io"
	"math"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
)

// near is how close a search comes by halving, before it goes line by line; less in tests.
var near int64 = 64 << 10

// place is where in the log a walk begins.
type place struct {
	seg        int     // the index of the segment
	top        *Record // the record before which it begins
	start, end int64   // where top is, or math.MaxInt64 when it is the first of the next segment
}

// place finds where q begins; not ok is at the newest record. A log that is not in order, or of which the end of a segment
// is in doubt, is read from there, whatever it takes.
func (l *Log) place(s state, q *Query) (place, bool) {
	beyond := func(r *Record) bool { return r.Seq >= q.Before }
	if q.Before == 0 {
		limit := q.Until.Add(24 * time.Hour)
		beyond = func(r *Record) bool { return r.TS.After(limit) }
	}
	if q.Before == 0 && q.Until.IsZero() {
		return place{}, false
	}
	at, ok := l.seek(s, beyond)
	if !ok || q.Before > 0 && at.top.Seq != q.Before {
		return place{}, false
	}
	return l.behind(s, at)
}

// seek finds the oldest record that is beyond, as all newer ones are.
func (l *Log) seek(s state, beyond func(*Record) bool) (place, bool) {
	segs := s.filled()
	var next *Record
	i := len(segs) - 1
	for ; i > 0; i-- {
		first, err := firstRecord(l.dir, segs[i])
		if err != nil || first == nil {
			return place{}, false
		}
		if !beyond(first) {
			break
		}
		next = first
	}
	if i < 0 || next.unsure() {
		return place{}, false
	}
	f, size, err := l.sized(s, i)
	if err != nil {
		return place{}, false
	}
	defer f.Close()
	at, ok := search(f, size, beyond)
	if at.seg = i; ok && at.top == nil {
		at.top, at.start, at.end = next, math.MaxInt64, math.MaxInt64
	}
	return at, ok && at.top != nil
}

var marks = Query{Much: func(Kind, []byte) Part { return Mark }}

// search finds in a segment the first record that is beyond; nil when none is. Not ok is a line that cannot be read.
func search(f io.ReaderAt, size int64, beyond func(*Record) bool) (place, bool) {
	low, high := int64(0), size // low is where a record begins that is not beyond, or the first
	for top := high; top-low > near; {
		middle := low + (top-low)/2
		lines := newForward(f, middle, size)
		if _, _, err := lines.next(); err != nil { // a part of one
			return place{}, false
		}
		l, ok, err := lines.next()
		if err != nil {
			return place{}, false
		}
		if !ok || l.start >= top {
			top = middle
			continue
		}
		r, err := marks.read(l)
		if err != nil {
			return place{}, false
		}
		if beyond(r) {
			top = middle
		} else {
			low = l.start
		}
	}
	for lines := newForward(f, low, size); ; {
		l, ok, err := lines.next()
		if err != nil || !ok {
			return place{}, err == nil
		}
		r, err := marks.read(l)
		if err != nil {
			return place{}, false
		}
		if beyond(r) {
			return place{top: r, start: l.start, end: l.end}, true
		}
	}
}

// behind moves a place on, behind the record that says how the newest transaction before it ended.
func (l *Log) behind(s state, at place) (place, bool) {
	if at.top.Kind.decides() {
		return at, true
	}
	from, end := at.start, false
	for i := range s.filled()[at.seg:] {
		next, done, ok := l.pass(s, at.seg+i, from, &end)
		if !ok || done {
			return next, ok
		}
		from = 0
	}
	return at, !end // at the end of the log
}

// pass looks for the record after the one that ends a transaction, or the next transaction, in segment i.
func (l *Log) pass(s state, i int, from int64, end *bool) (at place, done, ok bool) {
	f, size, err := l.sized(s, i)
	if err != nil {
		return at, false, false
	}
	defer f.Close()
	for lines := newForward(f, min(from, size), size); ; {
		one, more, err := lines.next()
		if err != nil || !more {
			return at, false, err == nil
		}
		r, err := marks.read(one)
		if err != nil {
			return at, false, false
		}
		at = place{seg: i, top: r, start: one.start, end: one.end}
		if one.start == 0 && i > 0 {
			r, err = one.record()
			if err != nil || r.unsure() {
				return at, false, false
			}
			at = place{seg: i - 1, top: r, start: math.MaxInt64, end: math.MaxInt64}
		}
		if *end || r.Kind.decides() {
			return at, true, true
		}
		*end = r.Kind.ends()
	}
}

// sized opens a segment, and says how much of it counts.
func (l *Log) sized(s state, i int) (vfs.File, int64, error) {
	segs := s.filled()
	f, info, err := openSegment(l.dir, segs[i])
	if i == len(segs)-1 {
		return f, min(info.Size, s.upTo), err
	}
	return f, info.Size, err
}

// unsure reports whether r, the first record of a segment, says that the end of the one before is in doubt.
func (r *Record) unsure() bool { return r != nil && (r.restarts() || r.Void != "" || r.Since != "") }
