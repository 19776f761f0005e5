package commit

import (
	"context"
	"errors"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// Seen is a change that somebody else made, and that is in the tree already.
type Seen struct {
	// Record has who made it, as far as that is known, the operations, and what was seen. RecordSeen fills in the rest.
	Record  audit.Record
	Changes []SeenChange
	Diff    string // stored beside what is kept, as for other changes
}

// SeenChange is one step of it, as if a transaction had done it. If what was there before is not kept, RecordSeen sets
// Act.Gone, and says so in the operation.
type SeenChange struct {
	Act audit.Act // without a slot
	// Keep puts what was at the path before into a slot of that name. If it is nil, or fails, the change is recorded all the
	// same, as one whose old file is not kept.
	Keep func(slots vfs.Dir, name string) error
}

// RecordSeen writes a change into the log that is in the tree already, with what is kept of the files before it: as a commit
// that was applied, so that whatever reads the log, or takes changes back, need not know that emend did not make it. The record
// is durable when RecordSeen returns. What is kept is not synced: the tree itself was not either, and an undo checks it.
func (s *Store) RecordSeen(ctx context.Context, seen Seen) (tx string, head audit.Head, err error) {
	t := s.newTransaction(ctx, Tx{Record: seen.Record, Changes: make([]Change, len(seen.Changes))})
	defer t.close()
	if err := t.markStaging(); err != nil {
		return "", head, storeError(err)
	}
	acts, notKept := make([]audit.Act, len(seen.Changes)), map[string]bool{}
	for i, c := range seen.Changes {
		acts[i] = c.Act
		a := &acts[i]
		a.Slot = i
		if !a.Displaces() {
			continue
		}
		a.Gone = c.Keep == nil || !t.keepSeen(a, c.Keep)
		if seen.Changes[i].Act.Gone = a.Gone; a.Gone {
			s.hist.Slots().Remove(history.Slot(t.id, i))
			notKept[a.Path] = true
		}
	}
	for i := range seen.Record.Ops {
		if op := &seen.Record.Ops[i]; notKept[op.Path] && op.Before != "" {
			op.NoUndo = "what was there before was not kept"
		}
	}
	if seen.Diff != "" {
		s.hist.WriteText(history.DiffName(t.id), seen.Diff)
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return "", head, err
	}
	defer unlock()
	if _, err := s.recoverBefore(); err != nil {
		return "", head, err
	}
	r := t.tx.Record
	r.Kind, r.Tx, r.OK, r.Acts = audit.Commit, t.id, true, acts
	err = s.log.AppendAll([]*audit.Record{&r, {Kind: audit.Applied, Tx: t.id, OK: true}}, !s.opts.NoSync)
	_, undecided := errors.AsType[*audit.Undecided](err)
	t.committed = err == nil || undecided
	return t.id, s.log.Head(), storeError(err)
}

// keepSeen fills the slot of an act and notes what is in it.
func (t *transaction) keepSeen(a *audit.Act, keep func(slots vfs.Dir, name string) error) bool {
	slots, name := t.s.hist.Slots(), history.Slot(t.id, a.Slot)
	if keep(slots, name) != nil {
		return false
	}
	is, err := slots.Stat(name)
	if err != nil || a.Old == nil || isLink(is.Mode) != a.Old.Link {
		return false
	}
	a.Old = newIdent(is, a.Old.Sum)
	return true
}
