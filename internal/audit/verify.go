package audit

import (
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/emend-dev/emend/internal/vfs"
)

// maxDamages is how many damages a report lists.
const maxDamages = 100

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
	w := &forwardWalk{dir: dir, segs: l.state.segmentsToHead(), end: l.state.headEnd}
	rep.Segments, rep.Torn = len(l.state.segments), l.state.tornSize
	w.yield = func(r *Record, broken error) bool {
		if broken == nil {
			rep.add(r)
			return true
		}
		var c *Corrupt
		if c, err = asCorrupt(broken); c != nil && len(rep.Breaks) < maxDamages {
			rep.Breaks = append(rep.Breaks, c)
		}
		return err == nil
	}
	w.run()
	if c := l.forged(); c != nil && err == nil {
		rep.Breaks = append(rep.Breaks, c)
	}
	if rep.Lost = w.lost; len(rep.Breaks) == 0 && l.state.damage != nil {
		rep.Breaks = append(rep.Breaks, l.state.damage)
	}
	return rep, err
}

// forged looks at the end that counts as torn. What a crash leaves there is cut short, or no JSON, or a record of an old
// block, which is what its own hash says; a whole line that is not was changed by somebody.
func (l *Log) forged() *Corrupt {
	n := l.state.lastSegment()
	if l.state.tornSize == 0 || l.state.damage != nil {
		return nil
	}
	f, info, err := openSegment(l.dir, n)
	if err != nil {
		return nil // who reads it has said so
	}
	defer f.Close()
	for lines := newForwardLines(f, l.state.goodEnd, info.Size); ; {
		line, ok, err := lines.next()
		if err != nil || !ok {
			return nil
		}
		if rec, err := nilIfBad(line.record()); err == nil && rec == nil && line.whole && json.Valid(line.text) {
			return &Corrupt{Segment: segmentName(n), Line: lineNumber(f, line.start), Seq: l.state.head.Seq, Why: "it is a whole line, and not what its hash says"}
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

// forwardWalk goes through segments along the chain.
type forwardWalk struct {
	dir   vfs.Dir
	segs  []int
	from  int64 // where to begin in the first segment
	end   int64 // of what counts in the last one
	yield func(*Record, error) bool

	last       Head // the last good record
	since      Head // of the next segment's first record
	sinceSeen  bool // since is on the chain: what follows it in its segment may be missing
	mayMiss    bool // it was, in the segment before: records before this one's first may be missing
	lost       uint64
	acceptNext bool // the next good record is taken as it is
}

func (w *forwardWalk) run() {
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
func (w *forwardWalk) segment(n int, size int64, next *Record) bool {
	f, info, err := openSegment(w.dir, n)
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
	for lines := newForwardLines(f, from, max(from, min(size, info.Size))); ; {
		l, ok, err := lines.next()
		if err != nil {
			return w.yield(nil, err)
		}
		if !ok {
			return true
		}
		rec, err := nilIfBad(l.record())
		if err != nil {
			return w.yield(nil, err)
		}
		if w.restIsVoid(rec, next) {
			return true
		}
		at := &Corrupt{Segment: segmentName(n), Line: lines.number, Seq: w.last.Seq}
		if !w.accept(rec, l.start == 0, at) {
			return false
		}
	}
}

// restIsVoid reports whether the rest of a segment does not count, as the first record of the next one says: what it
// declares void, and what is left of records after the last one that was known to be durable.
func (w *forwardWalk) restIsVoid(rec, next *Record) bool {
	return w.sinceSeen && (rec == nil || rec.Seq >= next.Seq || !rec.follows(w.last))
}

// accept takes one line; rec is nil when it is bad, and first says that it begins a segment.
func (w *forwardWalk) accept(rec *Record, first bool, at *Corrupt) bool {
	switch {
	case rec == nil && w.acceptNext:
		return true // one damage, one error
	case rec == nil:
		at.Why = "it is no whole record"
	case !w.acceptNext && !w.continues(rec):
		at.Why = "it does not continue the record before it"
	case (rec.Kind == Rotate) != first:
		at.Why = "it is in the wrong place of a segment"
	}
	if at.Why != "" && !w.yield(nil, at) {
		return false
	}
	if w.acceptNext = rec == nil; w.acceptNext {
		return true
	}
	w.last = rec.head()
	w.mayMiss, w.sinceSeen = false, w.sinceSeen || w.last == w.since
	return w.yield(rec, nil)
}

// continues reports whether rec is the next one, but for records that a failed sync lost.
func (w *forwardWalk) continues(rec *Record) bool {
	if rec.follows(w.last) {
		return true
	}
	if !w.mayMiss || rec.Seq <= w.last.Seq+1 {
		return false
	}
	w.lost += rec.Seq - w.last.Seq - 1
	return true
}
