package audit

import (
	"encoding/json"
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
}

// Whole reports whether the log is what was written, as far as Verify can tell.
func (r *Report) Whole() bool { return len(r.Breaks) == 0 && len(r.Missing) == 0 }

// Verify checks every record of every segment: its hash, its number, that it continues the record before it, also
// across segments, and that the log has the witnesses, which are heads that somebody kept. The report has what it
// finds; the error is for what it cannot read. Verify takes no lock: an append that is under way looks like a torn
// tail.
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
		rep.Void++
	}
	rep.Head = r.head()
	rep.Missing = slices.DeleteFunc(rep.Missing, func(h Head) bool { return h == rep.Head })
}
