package audit

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/emend-dev/emend/internal/vfs"
)

// maxDamages is how many damages a report lists.
const maxDamages = 100

// Report is the result of [Verify].
type Report struct {
	Head     Head // the last record
	Segments int
	Records  int          // good records, without void ones
	Kinds    map[Kind]int // how many of each
	Void     int          // records that the log itself declared void
	Lost     uint64       // records appended without sync that a power cut after a failed sync took
	Torn     int64        // bytes at the end that are no whole record; the next append sets them aside
	Breaks   []*Corrupt   // the first hundred damages, oldest first
	Missing  []Head       // witnesses that are not in the log
	Dropped  *Record      // says that what is before the first record was dropped by rule; nil if nothing is
	Since    Head         // what is before this record was not checked; zero if all was
}

// Whole reports whether the log is what was written, as far as Verify can tell.
func (r *Report) Whole() bool { return len(r.Breaks) == 0 && len(r.Missing) == 0 }

// Verify checks every record of every segment: its hash, its number, that it continues the record before it, also
// across segments, and that the log has the witnesses, which are heads that somebody kept. The report has what it
// finds; the error is for what it cannot read. Verify takes no lock: an append that is under way looks like a torn
// tail.
func Verify(dir vfs.Dir, witnesses ...Head) (Report, error) {
	return Check{Witnesses: witnesses}.Run(context.Background(), dir)
}

// Check is [Verify] for callers that want more of it.
type Check struct {
	Witnesses []Head
	// Since is a head that somebody kept: what is before it is not checked. If the log does not have it, it counts as
	// missing, and all is checked.
	Since Head
	// Each is called with every good record, in order. Optional.
	Each func(*Record)
	// Progress is called now and then with how many bytes were checked. Optional.
	Progress func(done, total int64)

	inTurn bool // one record after the other; for tests
}

// Run checks the log in dir, on all processors.
func (c Check) Run(ctx context.Context, dir vfs.Dir) (Report, error) {
	rep := Report{Kinds: map[Kind]int{}, Missing: slices.Clone(c.Witnesses)}
	l, err := Open(dir, Options{})
	if err != nil {
		return rep, err
	}
	w := &forwardWalk{dir: dir, segs: l.state.segmentsToHead(), end: l.state.headEnd, ahead: !c.inTurn}
	rep.Segments, rep.Torn = len(l.state.segments), l.state.tornSize
	if c.Since.Seq > 0 {
		c.begin(l, w, &rep)
	}
	if c.Progress != nil {
		w.passed = c.progress(dir, w)
	}
	w.yield = func(r *Record, broken error) bool {
		if err = ctx.Err(); err != nil {
			return false
		}
		if broken == nil {
			if r.Dropped != nil {
				if rep.found(r.Dropped.Head()); r.Dropped.covers(w.before) {
					rep.Dropped = r
				}
			}
			if rep.add(r); c.Each != nil {
				c.Each(r)
			}
			return true
		}
		var damage *Corrupt
		if damage, err = asCorrupt(broken); damage != nil && len(rep.Breaks) < maxDamages {
			rep.Breaks = append(rep.Breaks, damage)
		}
		return err == nil
	}
	w.run()
	if w.before.Seq > 0 && rep.Dropped == nil && err == nil {
		lost := &Corrupt{Segment: segmentName(l.state.segments[0]), Line: 1, Why: "the segments before it are missing, and no record says that they were dropped"}
		rep.Breaks = append([]*Corrupt{lost}, rep.Breaks[:min(len(rep.Breaks), maxDamages-1)]...)
	}
	if c := l.forged(); c != nil && err == nil {
		rep.Breaks = append(rep.Breaks, c)
	}
	if rep.Lost = w.lost; len(rep.Breaks) == 0 && l.state.damage != nil {
		rep.Breaks = append(rep.Breaks, l.state.damage)
	}
	return rep, err
}

// begin makes w begin behind the record Since, if the log has it where its number says.
func (c *Check) begin(l *Log, w *forwardWalk, rep *Report) {
	at, ok := l.seek(l.state, func(r *Record) bool { return r.Seq >= c.Since.Seq })
	if !ok || at.record.head() != c.Since {
		rep.Missing = append(rep.Missing, c.Since) // unless the walk meets it
		return
	}
	rep.Since = c.Since
	for _, h := range c.Witnesses { // those that the walk does not pass
		at, ok := l.seek(l.state, func(r *Record) bool { return r.Seq >= h.Seq })
		if ok && h.Seq < c.Since.Seq && at.record.head() == h {
			rep.found(h)
		}
	}
	if at.end == math.MaxInt64 { // the first of the next segment: the walk meets it
		w.segs, w.last = w.segs[at.index+1:], Head{Seq: at.record.Seq - 1, H: at.record.Prev}
		return
	}
	w.segs, w.from, w.last = w.segs[at.index:], at.end, c.Since
	rep.Head = c.Since
	rep.found(c.Since)
}

// progress returns a function for the bytes of each line that a walk passes.
func (c *Check) progress(dir vfs.Dir, w *forwardWalk) func(bytes int64) {
	total, done, told := -w.from, int64(0), int64(0)
	for _, n := range w.segs {
		if f, info, err := openSegment(dir, n); err == nil {
			total += info.Size
			f.Close()
		}
	}
	return func(bytes int64) {
		if done += bytes; done-told >= progressBytes {
			told = done
			c.Progress(done, total)
		}
	}
}

// progressBytes is how many bytes are checked between two reports of progress.
const progressBytes = 1 << 20

// forged looks for an edit in the end that counts as torn. A crash leaves lines there that are cut short, are no JSON,
// or are old blocks, which match their own hash. Somebody changed a whole JSON line that does not.
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

func (rep *Report) add(r *Record) {
	rep.Records++
	rep.Kinds[r.Kind]++
	if r.Void != "" {
		rep.Void += 1 + r.Group
	}
	rep.Head = r.head()
	rep.found(rep.Head)
}

// found notes that the log has a record, which may be a witness.
func (rep *Report) found(h Head) {
	rep.Missing = slices.DeleteFunc(rep.Missing, func(m Head) bool { return m == h })
}
