package commit

import (
	"context"
	"errors"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/plant"
)

// Run carries out tx, entirely or not at all. If it returns an error, the tree is as it was before the call, unless the
// error's reason is [fail.Indeterminate]: then the transaction stays pending, the store refuses others, and
// [Store.Recover] finishes it or takes it back. ctx counts until the commit point; nothing stops a transaction after
// that. A panic is an error as well: before the commit point nothing was changed, after it the error is indeterminate.
func (s *Store) Run(ctx context.Context, tx Tx) (done *Done, err error) {
	t := s.newTransaction(tx)
	defer func() {
		if p := panics.Recovered(recover()); p != nil {
			done, err = nil, t.defect(p)
		}
	}()
	defer t.close()
	if err := t.stage(ctx); err != nil {
		if p, ok := errors.AsType[*panics.Value](err); ok {
			err = t.defect(p)
		}
		return nil, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	done, err = t.runLocked(ctx)
	if err != nil && !t.committed {
		t.noteRefusal(err)
	}
	if e, ok := errors.AsType[*fail.Error](err); ok {
		e.Notes = append(RecoveryNotes(t.recovered), e.Notes...)
	}
	return done, err
}

// noteRefusal logs why the transaction was refused, without a sync. If that fails, the refusal stays the same.
func (t *transaction) noteRefusal(err error) {
	e, ok := errors.AsType[*fail.Error](err)
	if !ok || t.tx.Refused == nil || e.Reason == fail.StoreUnwritable || e.Reason == fail.Indeterminate {
		return
	}
	r := t.tx.Refused(err)
	e.Noted = t.s.readyLog() == nil && t.s.log.Append(&r, false) == nil
}

// runLocked is the part of the protocol that runs under the lock.
func (t *transaction) runLocked(ctx context.Context) (*Done, error) {
	var err error
	if t.recovered, err = t.s.recover(); err != nil {
		return nil, err
	}
	if first, err := t.earlierCommit(); first != nil || err != nil {
		return first, err
	}
	if err := t.verify(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, cancelled(ctx)
	}
	if err := t.commit(); err != nil {
		return nil, err
	}
	if err := t.apply(); err != nil {
		return nil, t.takeBack(err)
	}
	if plant.Enabled(plant.LogAfterApply) {
		if err := t.writeRecord(); err != nil {
			return nil, err
		}
	}
	if err := t.syncDirs(); err != nil {
		return nil, indeterminate(err)
	}
	if err := t.clearHistory(); err != nil {
		return nil, indeterminate(err)
	}
	if err := t.recordApplied(); err != nil {
		return nil, indeterminate(err)
	}
	return t.result(), nil
}

// recordApplied records that the transaction is in the tree. Without a journal, a power cut may undo the names of the
// slots, and nobody could tell a transaction that people worked on since from an interrupted one. There the record is
// synced, which costs one more sync, and a failed sync is an error. The same holds where directories were removed:
// recovery could not tell them from what people made since. Elsewhere a failure is not reported.
func (t *transaction) recordApplied() error {
	sync := t.s.opts.secondNames() || t.removesDirs() && !t.s.opts.NoSync
	err := t.s.log.Append(&audit.Record{Kind: audit.Applied, Tx: t.id, OK: true}, sync)
	if err == nil || !sync {
		return nil
	}
	if e, ok := errors.AsType[*audit.NotWritten](err); ok && !e.Voided {
		return t.s.hist.Slots().Sync() // no room for the record: synced slots tell recovery the same
	}
	return err
}

// earlierCommit looks for a transaction that was committed under the same key since the caller looked.
func (t *transaction) earlierCommit() (*Done, error) {
	key := t.tx.Record.Idem
	if key == "" {
		return nil, nil
	}
	r, err := t.s.log.ByKey(key)
	if err != nil || r == nil {
		return nil, storeError(err)
	}
	return &Done{Tx: r.Tx, Earlier: r, Head: t.s.log.Head(), Recovered: t.recovered}, nil
}

// commit passes the commit point.
func (t *transaction) commit() error {
	if plant.Enabled(plant.LogAfterApply) {
		t.committed = true
		return nil
	}
	return t.writeRecord()
}

func (t *transaction) writeRecord() error {
	r := t.tx.Record
	r.Tx, r.OK = t.id, true
	for _, a := range t.acts {
		r.Acts = append(r.Acts, a.Act)
	}
	t.committed = true // unless the log says otherwise: then the slots must stay
	err := t.s.log.Append(&r, !t.s.opts.NoSync)
	if _, undecided := errors.AsType[*audit.Undecided](err); undecided {
		return indeterminate(err)
	}
	t.committed = err == nil
	return storeError(err)
}

// result returns what was done. Nothing in here is needed for the promise, so it neither syncs nor fails.
func (t *transaction) result() *Done {
	d := &Done{Tx: t.id, Head: t.s.log.Head(), Slots: make([]string, len(t.tx.Changes)), Notes: t.notes, Recovered: t.recovered}
	for _, a := range t.acts {
		if a.Displaces() && !a.Gone {
			d.Slots[a.change] = history.Slot(t.id, a.Slot)
		}
	}
	t.dropSecondNames()
	t.touchRestored()
	if t.tx.Texts != nil {
		t.keepTexts(d)
	}
	return d
}

func (t *transaction) keepTexts(d *Done) {
	diff, answer := t.tx.Texts(d)
	for name, text := range map[string]string{history.DiffName(t.id): diff, history.AnswerName(t.id): answer} {
		if text != "" {
			t.s.hist.WriteText(name, text)
		}
	}
}

// removesDirs reports whether the transaction removes directories. Recovery could not tell a directory that somebody
// made since from one that it has to remove.
func (t *transaction) removesDirs() bool {
	for _, a := range t.acts {
		if a.Do == audit.DoRmdir {
			return true
		}
	}
	return false
}

// RecordRefusal appends a record that needs no transaction: a refusal. It does not sync. It waits for the lock as a
// commit does, also when ctx has ended, unless wait is false.
func (s *Store) RecordRefusal(ctx context.Context, r audit.Record, wait bool) error {
	unlock, err := s.tryLock()
	if err != nil {
		return err
	}
	if unlock == nil && !wait {
		return s.lockedError(ctx, "somebody")
	}
	if unlock == nil {
		if unlock, err = s.lock(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	defer unlock()
	if err := s.readyLog(); err != nil {
		return err
	}
	return storeError(s.log.Append(&r, false))
}
