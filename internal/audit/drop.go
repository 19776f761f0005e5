package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Retention says how much of the log is kept. The zero value keeps all of it.
type Retention struct {
	Age   time.Duration // a segment whose records are all older is dropped; 0 for no bound
	Bytes int64         // the oldest segments beyond this size are dropped; 0 for no bound
	// InUse reports whether the history has something of a transaction. Its segment stays, and all after it.
	InUse func(tx string) bool
}

// Droppable is what [Log.Drop] drops: the oldest segments.
type Droppable struct {
	Dropped
	Segments int // 0 if there is nothing to drop
	Bytes    int64
	// HeldBy is the transaction in use that keeps the next segment, which the retention would drop too; "" for none.
	HeldBy string
}

// Droppable returns what a retention drops. It never drops the last segment. A segment that cannot be read, or that the next
// one does not continue, stays, and so do all after it: what is damaged has to be found.
func (l *Log) Droppable(k Retention) (d Droppable, err error) {
	s := l.snapshot()
	if s.damage != nil {
		return d, nil
	}
	segs := s.segmentsToHead()
	sizes, total := make([]int64, len(segs)), int64(0)
	for i, n := range segs {
		is, err := l.dir.Stat(segmentName(n))
		if err != nil {
			return d, fmt.Errorf("the log: %w", err)
		}
		sizes[i] = is.Size
		total += is.Size
	}
	for i, n := range segs[:max(0, len(segs)-1)] {
		first, err := firstRecord(l.dir, n)
		if err != nil || first == nil {
			return d, err
		}
		next, err := firstRecord(l.dir, segs[i+1])
		if err != nil || next == nil || next.doubtsPrevious() || segs[i+1] != n+1 {
			return d, err
		}
		rule := k.rule(l.now().Sub(next.TS), total)
		if rule == "" {
			return d, nil
		}
		if d.HeldBy, err = l.neededIn(n, k.InUse); d.HeldBy != "" || err != nil {
			return d, err
		}
		if d.Segments == 0 {
			d.From, d.First, d.Rule = n, first.Seq, rule
		} else if !strings.Contains(d.Rule, rule) {
			d.Rule += ", " + rule
		}
		d.To, d.Last, d.Until = n, Head{Seq: next.Seq - 1, H: next.Prev}.String(), next.TS
		d.Segments++
		d.Bytes += sizes[i]
		total -= sizes[i]
	}
	return d, nil
}

// rule returns why a segment is dropped that ended so long ago, in a log of so many bytes from it on; "" if it stays.
func (k *Retention) rule(age time.Duration, bytes int64) string {
	const day = 24 * time.Hour
	switch {
	case k.Age > 0 && age > k.Age && k.Age%day == 0:
		return fmt.Sprintf("older than %dd", k.Age/day)
	case k.Age > 0 && age > k.Age:
		return fmt.Sprintf("older than %gh", k.Age.Hours())
	case k.Bytes > 0 && bytes > k.Bytes:
		return fmt.Sprintf("beyond %d bytes", k.Bytes)
	}
	return ""
}

// neededIn returns a transaction of a segment that is in use, "" for none.
func (l *Log) neededIn(n int, inUse func(string) bool) (tx string, err error) {
	if inUse == nil {
		return "", nil
	}
	f, info, err := openSegment(l.dir, n)
	if err != nil {
		return "", err
	}
	defer f.Close()
	for lines := newForwardLines(f, 0, info.Size); ; {
		one, ok, err := lines.next()
		if err != nil || !ok {
			return "", err
		}
		if tx := TxOf(one.text); tx != "" && inUse(tx) {
			return tx, nil
		}
	}
}

// errOtherDrop says that the log does not begin as it did when somebody looked what to drop.
var errOtherDrop = errors.New("somebody else dropped segments of the log meanwhile; try again")

// Drop removes the segments of d, and what lies beside them. First it appends r, durably, as a record that says which they
// are, so that nobody takes them for lost. After a crash some of them may be there; they are as good as before, and another
// drop finds them. The caller holds the lock, and no transaction is pending.
func (l *Log) Drop(d Droppable, r Record) error {
	if d.Segments == 0 {
		return nil
	}
	if same, err := l.beginsWith(&d); err != nil || !same {
		return errors.Join(err, errOtherDrop)
	}
	r.Kind, r.OK, r.Dropped = Drop, true, &d.Dropped
	r.Message = fmt.Sprintf("dropped %d segment(s) of the log, records %d to %d: %s", d.Segments, d.First, d.Head().Seq, d.Rule)
	if err := l.Append(&r, true); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mustLoad = true
	for n := d.From; n <= d.To; n++ {
		// A power cut must not leave a segment whose successor is gone.
		if err := errors.Join(l.removeSegment(n), l.dir.Sync()); err != nil {
			return fmt.Errorf("the log: %w", err)
		}
	}
	return l.load()
}

// beginsWith reports whether the log begins with the segments of d.
func (l *Log) beginsWith(d *Droppable) (bool, error) {
	s := l.snapshot()
	if len(s.segments) <= d.Segments || s.segments[0] != d.From || s.segments[d.Segments] != d.To+1 {
		return false, nil
	}
	next, err := firstRecord(l.dir, d.To+1)
	return next != nil && next.follows(d.Head()), err
}

// removeSegment removes a segment and what lies beside it.
func (l *Log) removeSegment(n int) error {
	names, err := l.dir.Names()
	if err != nil {
		return err
	}
	stem := strings.TrimSuffix(segmentName(n), segmentSuffix) + "."
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, stem) || name == segmentName(n) })
	for _, name := range append(names, segmentName(n)) {
		if err := l.dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// First returns the first record of the log, nil for an empty one. Its number is above 1 if older records were dropped.
func (l *Log) First() (*Record, error) {
	s := l.snapshot()
	for _, n := range s.segmentsToHead() {
		r, err := firstRecord(l.dir, n)
		if !errors.Is(err, fs.ErrNotExist) { // else it was dropped meanwhile
			return r, err
		}
	}
	return nil, nil
}

// covers reports whether the records up to h were dropped.
func (d *Dropped) covers(h Head) bool {
	last := d.Head()
	return h.Seq > 0 && (last.Seq > h.Seq || last == h)
}
