package audit

import (
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/emend-dev/emend/internal/vfs"
)

// maxBreaks is how many damages a report lists.
const maxBreaks = 100

// Report is what [Verify] found.
type Report struct {
	Head     Head         // of the last record
	Segments int          //
	Records  int          // good ones, without void ones
	Kinds    map[Kind]int // how many of each
	Void     int          // records that the log itself declared void
	Lost     uint64       // records appended without a sync that a power cut after a failed sync took
	Torn     int64        // bytes at the end that are no whole record; the next append sets them aside
	Breaks   []*Corrupt   // the first hundred damages, the first one first
	Missing  []Head       // witnesses that are not in the log
}

// Whole reports whether the log is what was written, as far as it can tell.
func (r *Report) Whole() bool { return len(r.Breaks) == 0 && len(r.Missing) == 0 }

// Verify checks every record of every segment: its hash, its number, that it continues the one before, also from one
// segment to the next, and that witnesses, which are heads that somebody kept, are in the log. What it finds is in the
// report; the error is for what it cannot read. It takes no lock: an append under way looks like a torn tail.
func Verify(dir vfs.Dir, witnesses ...Head) (Report, error) {
	rep := Report{Kinds: map[Kind]int{}, Missing: slices.Clone(witnesses)}
	l, err := Open(dir, Options{})
	if err != nil {
		return rep, err
	}
	w := &walk{dir: dir, segs: l.state.filled(), end: l.state.upTo}
	rep.Segments, rep.Torn = len(l.state.segs), l.state.torn
	w.yield = func(r *Record, broken error) bool {
		if broken == nil {
			rep.add(r)
			return true
		}
		var c *Corrupt
		if c, err = asCorrupt(broken); c != nil && len(rep.Breaks) < maxBreaks {
			rep.Breaks = append(rep.Breaks, c)
		}
		return err == nil
	}
	w.run()
	if c := l.forged(); c != nil && err == nil {
		rep.Breaks = append(rep.Breaks, c)
	}
	if rep.Lost = w.lost; len(rep.Breaks) == 0 && l.state.broken != nil {
		rep.Breaks = append(rep.Breaks, l.state.broken)
	}
	return rep, err
}

// forged looks at the end that counts as torn. What a crash leaves there is cut short, or no JSON, or a record of an old
// block, which is what its own hash says; a whole line that is not was changed by somebody.
func (l *Log) forged() *Corrupt {
	n := l.state.last()
	if l.state.torn == 0 || l.state.broken != nil {
		return nil
	}
	f, info, err := openSegment(l.dir, n)
	if err != nil {
		return nil // who reads it has said so
	}
	defer f.Close()
	for lines := newForward(f, l.state.end, info.Size); ; {
		line, ok, err := lines.next()
		if err != nil || !ok {
			return nil
		}
		if rec, err := soft(line.record()); err == nil && rec == nil && line.whole && json.Valid(line.text) {
			return &Corrupt{Segment: segmentName(n), Line: lineAt(f, line.start), Seq: l.state.head.Seq, Why: "it is a whole line, and not what its hash says"}
		}
	}
}

// asCorrupt tells a damage from an error of reading.
func asCorrupt(err error) (*Corrupt, error) {
	if c, ok := errors.AsType[*Corrupt](err); ok {
		return c, nil
	}
	return nil, err
}

func (rep *Report) add(r *Record) {
	rep.Records++
	rep.Kinds[r.Kind]++
	if r.Void != "" {
		rep.Void++
	}
	rep.Head = r.head()
	rep.Missing = slices.DeleteFunc(rep.Missing, func(h Head) bool { return h == rep.Head })
}

// walk goes through segments along the chain.
type walk struct {
	dir   vfs.Dir
	segs  []int
	from  int64 // where to begin in the first segment
	end   int64 // of what counts in the last one
	yield func(*Record, error) bool

	cur   Head // the last good record
	since Head // of the next segment's first record
	sure  bool // since is on the chain: what follows it in its segment may be missing
	gap   bool // it was, in the segment before: records before this one's first may be missing
	lost  uint64
	skip  bool // the next good record is taken as it is
}

func (w *walk) run() {
	for i, n := range w.segs {
		var next *Record
		end := w.end
		if i+1 < len(w.segs) {
			var err error
			if next, err = firstRecord(w.dir, w.segs[i+1]); err != nil {
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

// segment yields what is in the first size bytes of segment n; next is the first record of the one after.
func (w *walk) segment(n int, size int64, next *Record) bool {
	f, info, err := openSegment(w.dir, n)
	if err != nil {
		return w.yield(nil, err)
	}
	defer f.Close()
	from := w.from
	w.from, w.since = 0, Head{}
	w.gap, w.sure = w.sure, false
	if next != nil {
		w.since, _ = next.doubts()
	}
	for lines := newForward(f, from, max(from, min(size, info.Size))); ; {
		l, ok, err := lines.next()
		if err != nil {
			return w.yield(nil, err)
		}
		if !ok {
			return true
		}
		rec, err := soft(l.record())
		if err != nil {
			return w.yield(nil, err)
		}
		if w.over(rec, next) {
			return true
		}
		at := &Corrupt{Segment: segmentName(n), Line: lines.number, Seq: w.cur.Seq}
		if !w.line(rec, l.start == 0, at) {
			return false
		}
	}
}

// over reports whether the rest of a segment does not count, as the first record of the next one says: what it
// declares void, and what is left of records after the last one that was known to be durable.
func (w *walk) over(rec, next *Record) bool {
	return w.sure && (rec == nil || rec.Seq >= next.Seq || !rec.follows(w.cur))
}

// line takes one line; rec is nil when it is bad, and first says that it begins a segment.
func (w *walk) line(rec *Record, first bool, at *Corrupt) bool {
	switch {
	case rec == nil && w.skip:
		return true // one damage, one error
	case rec == nil:
		at.Why = "it is no whole record"
	case !w.skip && !w.continues(rec):
		at.Why = "it does not continue the record before it"
	case (rec.Kind == Rotate) != first:
		at.Why = "it is in the wrong place of a segment"
	}
	if at.Why != "" && !w.yield(nil, at) {
		return false
	}
	if w.skip = rec == nil; w.skip {
		return true
	}
	w.cur = rec.head()
	w.gap, w.sure = false, w.sure || w.cur == w.since
	return w.yield(rec, nil)
}

// continues reports whether rec is the next one, but for records that a failed sync lost.
func (w *walk) continues(rec *Record) bool {
	if rec.follows(w.cur) {
		return true
	}
	if !w.gap || rec.Seq <= w.cur.Seq+1 {
		return false
	}
	w.lost += rec.Seq - w.cur.Seq - 1
	return true
}
