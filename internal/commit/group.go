package commit

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/plant"
	"github.com/emend-dev/emend/internal/vfs"
)

// Transactions of one process that wait for the lock are committed in groups: one hold of the lock, one sync of the log and
// one of each directory for all of them. Each has its own record, verification and answer, and fails alone. The members of a
// group exchange files at different paths and do nothing else, so it does not matter in which order they are applied. Every
// other transaction is a group of its own.

// maxGroup is how many transactions are in a group at most, and maxGroupActs how many acts they have together: each holds a
// file open.
const (
	maxGroup     = 64
	maxGroupActs = 128
)

// txQueue holds the transactions that are staged and wait for the lock, first come first served.
type txQueue struct {
	mu  sync.Mutex
	all []*transaction
}

func (q *txQueue) add(t *transaction) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all = append(q.all, t)
}

// remove takes t out of the queue and reports whether it was there.
func (q *txQueue) remove(t *transaction) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.all, t)
	if i >= 0 {
		q.all = slices.Delete(q.all, i, i+1)
	}
	return i >= 0
}

// take takes the next group out of the queue: the first transaction, and those after it that may be in its group. One that
// shares a path with an earlier one stays behind it.
func (q *txQueue) take(maxActs int) (group []*transaction) {
	q.mu.Lock()
	defer q.mu.Unlock()
	claimed, acts := map[string]bool{}, 0
	var left []*transaction
	for i, t := range q.all {
		fits := i == 0 || group[0].groups() && t.groups() && len(group) < maxGroup && acts+len(t.acts) <= maxActs
		for _, name := range t.claims() {
			fits = fits && !claimed[name]
			claimed[name] = true
		}
		if !fits {
			left = append(left, t)
			continue
		}
		group, acts = append(group, t), acts+len(t.acts)
	}
	q.all = left
	return group
}

// groups reports whether the transaction may be in a group: it gives files that exist new contents, and does nothing else.
func (t *transaction) groups() bool {
	return !slices.ContainsFunc(t.acts, func(a *act) bool { return a.Do != audit.DoSwap || a.From != "" || a.Gone })
}

// claims returns the paths of the transaction, and its idempotency key: what no two members of a group may share.
func (t *transaction) claims() []string {
	out := []string{"key:" + t.tx.Record.Idem}[:min(1, len(t.tx.Record.Idem))]
	for _, a := range t.acts {
		out = append(out, "path:"+a.Path)
	}
	return out
}

// runInTurn commits t, which is staged, or lets another call commit it. Whoever gets the lock commits the group at the head
// of the queue.
func (s *Store) runInTurn(t *transaction) {
	s.queue.add(t)
	for !t.hasEnded() {
		unlock, err := s.lockUnless(t.ctx, t.ended)
		switch {
		case unlock != nil:
			s.runNextGroup(unlock)
		case err != nil && s.queue.remove(t):
			t.err = err
			return
		default:
			<-t.ended
		}
	}
}

// runNextGroup commits a group and gives the lock back.
func (s *Store) runNextGroup(unlock func()) {
	defer unlock()
	group := s.queue.take(max(1, min(maxGroupActs, s.openLimit/8)))
	err := panics.Call(func() error { s.runGroup(group); return nil })
	for _, t := range group {
		if p, ok := errors.AsType[*panics.Value](err); ok && t.done == nil && t.err == nil {
			t.err = t.defect(p)
		}
		close(t.ended)
	}
}

// runGroup is the part of the protocol that runs under the lock. It sets done or err of each transaction.
func (s *Store) runGroup(group []*transaction) {
	if len(group) == 0 {
		return
	}
	recovered, err := s.recoverBefore()
	group[0].recovered = recovered
	ready := s.each(group, s.hands, func(t *transaction) error {
		if err != nil {
			return ownError(err)
		}
		return t.prepare()
	})
	for _, t := range group {
		if t.err != nil {
			t.noteRefusal(t.err)
		}
	}
	ready = slices.DeleteFunc(ready, func(t *transaction) bool { return t.done != nil })
	if len(ready) == 0 || !plant.Enabled(plant.LogAfterApply) && !s.commitAll(ready) {
		return
	}
	applied := s.each(ready, s.hands, func(t *transaction) error {
		t.committed = true
		return t.apply()
	})
	for _, t := range ready {
		if t.err != nil {
			s.each([]*transaction{t}, 1, func(t *transaction) error { return t.takeBack(t.err) })
		}
	}
	if plant.Enabled(plant.LogAfterApply) && !s.commitAll(applied) {
		return
	}
	applied = s.syncTouched(applied)
	applied = s.each(applied, 1, func(t *transaction) error {
		if err := t.clearHistory(); err != nil {
			return indeterminate(err)
		}
		return nil
	})
	if err := s.recordApplied(applied); err != nil {
		for _, t := range applied {
			t.err = indeterminate(err)
		}
		return
	}
	s.each(applied, s.hands, func(t *transaction) error {
		t.done = t.result()
		return nil
	})
}

// each calls do for every transaction, with so many at once. It returns those for which do succeeded. For the others it
// sets err; a panic is an error as well.
func (s *Store) each(group []*transaction, hands int, do func(*transaction) error) (ok []*transaction) {
	failed := make([]bool, len(group))
	parallel(len(group), hands, func(i int) error { //nolint:errcheck // each has its own
		t := group[i]
		err := panics.Call(func() error { return do(t) })
		if p, panicked := err.(*panics.Value); panicked {
			err = t.defect(p)
		}
		if failed[i] = err != nil; failed[i] {
			t.err = err
		}
		return nil
	})
	for i, t := range group {
		if !failed[i] {
			ok = append(ok, t)
		}
	}
	return ok
}

// ownError returns a copy of an error that several transactions get, since each adds notes to its own.
func ownError(err error) error {
	if e, ok := err.(*fail.Error); ok {
		c := *e
		return &c
	}
	return err
}

// commitAll passes the commit point of all transactions, with one sync. If it returns false, none of them goes on.
func (s *Store) commitAll(group []*transaction) bool {
	if len(group) == 0 {
		return true
	}
	open := newOpenGroup(len(group))
	records := make([]*audit.Record, len(group))
	for i, t := range group {
		r := t.tx.Record
		r.Tx, r.OK, r.Group = t.id, true, len(group)-1-i
		for _, a := range t.acts {
			r.Acts = append(r.Acts, a.Act)
		}
		records[i], t.group = &r, open
	}
	var err error
	if len(group) > 1 && !s.grouped {
		err = s.raiseFormat()
		s.grouped = err == nil
	}
	if err == nil {
		for _, t := range group {
			t.committed = true // unless the log says otherwise: then the slots must stay
		}
		err = s.log.AppendAll(records, !s.opts.NoSync)
	}
	if err == nil {
		return true
	}
	_, undecided := errors.AsType[*audit.Undecided](err)
	for _, t := range group {
		if t.committed = undecided; undecided {
			t.err = indeterminate(err)
		} else {
			t.err = ownError(storeError(err))
		}
	}
	return false
}

// syncTouched makes every directory durable in which a name changed, once for all transactions, and returns those whose
// directories are.
func (s *Store) syncTouched(group []*transaction) []*transaction {
	if len(group) < 2 || s.opts.NoSync || plant.Enabled(plant.NoDirSync) {
		return s.each(group, 1, func(t *transaction) error {
			if err := t.syncDirs(); err != nil {
				return indeterminate(err)
			}
			return nil
		})
	}
	type touched struct {
		path string
		dir  vfs.Dir
		err  error
	}
	byID, all := map[vfs.ID]*touched{}, []*touched{}
	mine := map[*transaction][]*touched{}
	group = s.each(group, 1, func(t *transaction) error {
		for _, p := range t.touched() {
			dir, err := t.dirs.open(p)
			if err != nil {
				return indeterminate(err)
			}
			id, err := t.dirs.id(p)
			if err != nil {
				return indeterminate(err)
			}
			if byID[id] == nil {
				byID[id] = &touched{path: p, dir: dir}
				all = append(all, byID[id])
			}
			mine[t] = append(mine[t], byID[id])
		}
		return nil
	})
	parallel(len(all), syncWorkers, func(i int) error { //nolint:errcheck // each has its own
		all[i].err = panics.Call(all[i].dir.Sync)
		return nil
	})
	return s.each(group, 1, func(t *transaction) error {
		for _, d := range mine[t] {
			if d.err != nil {
				return indeterminate(fmt.Errorf("%s: %w", d.path, d.err))
			}
		}
		return nil
	})
}

// recordApplied records that the transactions are in the tree. Without a journal, a power cut may undo the names of the
// slots, and nobody could tell a transaction that people worked on since from an interrupted one. There the records are
// synced, which costs one more sync, and a failed sync is an error. The same holds where directories were removed:
// recovery could not tell them from what people made since. Elsewhere a failure is not reported.
func (s *Store) recordApplied(group []*transaction) error {
	if len(group) == 0 {
		return nil
	}
	open := group[0].group
	sync := s.opts.secondNames() || !s.opts.NoSync && slices.ContainsFunc(group, (*transaction).changesEmptyDirs)
	ends := make([]*audit.Record, len(group))
	for i, t := range group {
		ends[i] = &audit.Record{Kind: audit.Applied, Tx: t.id, OK: true, Group: open.mark(i)}
	}
	err := s.log.AppendAll(ends, sync)
	if err == nil {
		open.open -= len(group)
	}
	if err == nil || !sync {
		return nil
	}
	if e, ok := errors.AsType[*audit.NotWritten](err); ok && !e.Voided {
		return s.hist.Slots().Sync() // no room for the records: synced slots tell recovery the same
	}
	return err
}
