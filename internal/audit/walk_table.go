package audit

import (
	"cmp"
	"maps"
	"slices"

	"github.com/emend-dev/emend/internal/vfs"
)

// passedTable is the index of a segment of which a walk skips records.
type passedTable struct {
	*table
	known int      // how many of its records the walk can meet
	begin int64    // where in the segment the part begins that the walk is done with
	end   int64    // where that ends
	seg   vfs.File // the segment; nil if it is not open
	dead  bool     // it is damaged: what the part has was learned
}

// maxOpenTables bounds the indexes that a walk keeps open.
const maxOpenTables = 64

// withTable reads the segment with the help of its index. What is not in the index is read line by line, and so is what is
// left when the index turns out to be damaged, or to lead to something else than it says.
func (s *segmentWalk) withTable(t *table) bool {
	known, ok := t.until(s.rest)
	floor, err := t.start(known)
	if !ok || err != nil || known == 0 {
		t.close()
		return s.read(0)
	}
	if !s.read(floor) {
		t.close()
		return false
	}
	if !s.continues(t, known) {
		t.close()
		return s.read(0)
	}
	p := s.pass(t, known)
	defer func() { p.seg = nil }() // the caller closes it
	high := known
	if s.q.Before > 0 && s.q.Before < t.firstSeq+uint64(known) {
		high = int(max(s.q.Before, t.firstSeq) - t.firstSeq)
	}
	if s.q.Keys == nil && high > 0 {
		s.jump(p, high)
		return s.read(0)
	}
	if more, ok := s.lookUp(p, high); !more || !ok {
		return more && s.read(0)
	}
	first, err := p.read(0, &Query{})
	if err != nil {
		return s.read(0)
	}
	s.newer, s.nextFirst, s.broken, s.mayMiss, s.rest, p.begin = *first, first, false, false, 0, 0
	return true
}

// continues reports whether the walk, which has come to the end of record known-1 of the table, expects that record.
func (s *segmentWalk) continues(t *table, known int) bool {
	e, err := t.entry(known - 1)
	return err == nil && (s.broken || s.newer.Seq == t.firstSeq+uint64(known) && printOf(s.newer.Prev) == e.print)
}

// jump goes on before record high, if it can.
func (s *segmentWalk) jump(p *passedTable, high int) {
	if high == p.known {
		return
	}
	if r, at, err := p.readAt(high, &Query{Need: func(Kind, []byte) Detail { return Header }}); err == nil {
		s.newer, s.broken, s.mayMiss, s.rest, p.begin = *r, false, false, at.start, at.start
		s.learnEnd(high)
	}
}

// learnEnd learns how the newest transaction before record i of the last table ended, or one of its group: a query may decode
// a transaction only if an end is known.
func (s *segmentWalk) learnEnd(i int) {
	for _, p := range slices.Backward(s.passed) {
		for ; i < p.known; i++ {
			e, err := p.entry(i)
			if err != nil || e.kind.isCommit() && !p.followsCommit(i) || s.q.Learn == nil {
				return
			}
			if e.kind.isEnd() {
				if r, err := p.read(i, &Query{}); err == nil {
					s.q.Learn(r)
				}
				return
			}
		}
		i = 0
	}
}

// followsCommit reports whether record i comes right after a commit. Then it is of the same group, if it is one too.
func (t *table) followsCommit(i int) bool {
	if i == 0 {
		return false
	}
	e, err := t.entry(i - 1)
	return err == nil && e.kind.isCommit()
}

// lookUp yields the records before record high that have one of the keys. more is false if the walk ends, ok if the rest has
// to be read line by line.
func (s *segmentWalk) lookUp(p *passedTable, high int) (more, ok bool) {
	asked := Keys{}
	var hits []int // the oldest first
	for high > 0 {
		if len(asked) < len(s.q.Keys) {
			for _, k := range slices.Sorted(maps.Keys(s.q.Keys)) { // in the order of the table
				if _, done := asked[k]; done {
					continue
				}
				asked[k] = struct{}{}
				found, err := p.find(k, 0, high)
				if err != nil {
					return true, false
				}
				hits = append(hits, found...)
			}
			slices.Sort(hits)
		}
		for len(hits) > 0 && hits[len(hits)-1] >= high {
			hits = hits[:len(hits)-1]
		}
		if len(hits) == 0 {
			break
		}
		high = hits[len(hits)-1]
		r, at, err := p.readAt(high, &s.q)
		if err != nil {
			return true, false
		}
		s.newer, s.broken, s.mayMiss, s.rest, p.begin = *r, false, false, at.start, at.end
		if !s.emit(r) {
			return false, true
		}
	}
	return true, true
}

// read reads record i, which must be the one that was indexed.
func (p *passedTable) read(i int, q *Query) (*Record, error) {
	r, _, err := p.readAt(i, q)
	return r, err
}

func (p *passedTable) readAt(i int, q *Query) (*Record, line, error) {
	if p.seg == nil {
		var err error
		if p.seg, _, err = openSegment(p.dir, p.n); err != nil {
			p.seg = nil
			return nil, line{}, err
		}
	}
	l, e, err := p.line(p.seg, i)
	if err != nil {
		return nil, l, err
	}
	r, err := q.decode(l)
	if err == nil && (r.Seq != p.firstSeq+uint64(i) || printOf(r.H) != e.print) {
		err = errTable
	}
	return r, l, err
}

// pass notes a table that the walk skips records by.
func (s *segmentWalk) pass(t *table, known int) *passedTable {
	if n := len(s.passed) - maxOpenTables; n >= 0 {
		s.passed[n].sleep()
	}
	p := &passedTable{table: t, known: known, begin: s.rest, end: s.rest, seg: s.f}
	s.passed = append(s.passed, p)
	return p
}

// sleep closes the files of a table until it is asked again.
func (p *passedTable) sleep() {
	p.close()
	if p.seg != nil {
		p.seg.Close()
		p.seg = nil
	}
}

// close closes the indexes.
func (w *Walk) close() {
	for _, p := range w.passed {
		p.sleep()
	}
}

// End returns the record that says how r, the transaction that was yielded last, ended, if the walk skipped that record; else
// nil.
func (w *Walk) End(r *Record) (end *Record) {
	for _, p := range slices.Backward(w.passed) {
		low := int(max(r.Seq+1, p.firstSeq) - p.firstSeq)
		next := int(max(r.groupEnd()+1, p.firstSeq) - p.firstSeq) // where the next transaction can begin
		if p.dead || low >= p.known {
			continue
		}
		found, err := p.find(valueKey(ByTx, r.Tx), low, p.known)
		for _, i := range found {
			e, broken := p.entry(i)
			if err = cmp.Or(err, broken); err != nil || e.kind.isCommit() {
				break
			}
			if !e.kind.isEnd() {
				continue
			}
			if next, broken := p.read(i, &Query{}); broken == nil && next.Tx == r.Tx {
				end = next // the newest decides
			}
		}
		if err != nil {
			w.learn(p)
		}
		if p.lastCommit >= next && p.lastCommit < p.known {
			break // it ended before the next transaction began
		}
	}
	return end
}

// Undos returns the records that the walk skipped and that undo a transaction, or a part of it, newest first.
func (w *Walk) Undos(tx string) (all []*Record) {
	for _, p := range w.passed {
		if p.dead {
			continue
		}
		found, err := p.find(valueKey(ByUndone, tx), 0, p.known)
		for _, i := range slices.Backward(found) {
			if r, err := p.read(i, &Query{}); err == nil && slices.Contains(r.TakesBack(), tx) {
				all = append(all, r)
			}
		}
		if err != nil {
			w.learn(p)
		}
	}
	return all
}

// learn reads what the walk skipped of a segment whose index is damaged.
func (w *Walk) learn(p *passedTable) {
	p.dead = true
	f, _, err := openSegment(p.dir, p.n)
	if err != nil || w.q.Learn == nil {
		return
	}
	defer f.Close()
	for lines := newBackwardLines(f, p.begin, p.end); ; {
		l, ok, err := lines.next()
		if err != nil || !ok {
			return
		}
		if r, err := w.q.decode(l); err == nil {
			w.q.Learn(r)
		}
	}
}
