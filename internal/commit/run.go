package commit

import (
	"context"
	"errors"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/panics"
)

// Run carries out tx, entirely or not at all. If it returns an error, the tree is as it was before the call, unless the
// error's reason is [fail.Indeterminate]: then the transaction stays pending, the store refuses others, and
// [Store.Recover] finishes it or takes it back. ctx counts until the commit point; nothing stops a transaction after
// that. A panic is an error as well: before the commit point nothing was changed, after it the error is indeterminate.
func (s *Store) Run(ctx context.Context, tx Tx) (done *Done, err error) {
	t := s.newTransaction(ctx, tx)
	defer func() {
		if p := panics.Recovered(recover()); p != nil {
			s.queue.remove(t) // nobody waits for it any more
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
	s.runInTurn(t)
	if t.done != nil && t.done.Earlier == nil {
		t.dropDirs() // not under the lock: it may take a while
		t.done.Notes = t.notes
	}
	if e, ok := errors.AsType[*fail.Error](t.err); ok {
		e.Notes = append(RecoveryNotes(t.recovered), e.Notes...)
	}
	return t.done, t.err
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

// prepare checks, with the lock held, that the transaction can be committed. It sets done if there is nothing to commit.
func (t *transaction) prepare() (err error) {
	if err := t.s.checkFrozen(); err != nil {
		return err
	}
	if t.done, err = t.earlierCommit(); t.done != nil || err != nil {
		return err
	}
	if err := t.verify(); err != nil {
		return err
	}
	if t.ctx.Err() != nil {
		return cancelled(t.ctx)
	}
	return nil
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
	t.removeFirstNames()
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

// changesEmptyDirs reports whether the transaction removes directories, or makes empty ones. Recovery could not tell a directory that
// somebody made since from one that it has to remove, nor one that somebody removed from one that it has to make.
func (t *transaction) changesEmptyDirs() bool {
	return slices.ContainsFunc(t.acts, func(a *act) bool { return a.Do == audit.DoRmdir || a.Empty })
}

// RecordRefusal appends a record that needs no transaction: a refusal. It does not sync. It waits for the lock as a
// commit does, also when ctx has ended, unless wait is false.
func (s *Store) RecordRefusal(ctx context.Context, r audit.Record, wait bool) error {
	return s.recordRefusal(ctx, &r, wait, func() {})
}

// recordRefusal appends r, and calls then while it holds the lock.
func (s *Store) recordRefusal(ctx context.Context, r *audit.Record, wait bool, then func()) error {
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
	if err := s.log.Append(r, false); err != nil {
		return storeError(err)
	}
	then()
	return nil
}
