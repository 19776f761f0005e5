package commit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plant"
)

// Run makes tx true, entirely or not at all. If it returns an error the tree is as it was before the call, unless the
// error's reason is [fail.Indeterminate]: then the transaction stays pending, the store refuses further ones, and
// [Store.Recover] will finish it or take it back. ctx counts until the commit point; then nothing stops it.
func (s *Store) Run(ctx context.Context, tx Tx) (*Done, error) {
	t := s.begin(tx)
	defer t.close()
	err := t.stage(ctx)
	if err != nil {
		t.discard()
		return nil, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		t.discard()
		return nil, err
	}
	defer unlock()
	done, err := t.locked(ctx)
	if err != nil && !t.logged {
		t.discard()
		t.noteRefusal(err)
	}
	if e, ok := errors.AsType[*fail.Error](err); ok {
		e.Notes = append(t.found.Words(), e.Notes...)
	}
	return done, err
}

// noteRefusal notes why the transaction did not come to be, without a sync. That it cannot is no other refusal.
func (t *transaction) noteRefusal(err error) {
	e, ok := errors.AsType[*fail.Error](err)
	if !ok || t.tx.Refused == nil || e.Reason == fail.StoreUnwritable || e.Reason == fail.Indeterminate {
		return
	}
	r := t.tx.Refused(err)
	e.Noted = t.s.ready() == nil && t.s.log.Append(&r, false) == nil
}

// locked is the part of the protocol that happens under the lock.
func (t *transaction) locked(ctx context.Context) (*Done, error) {
	var err error
	if t.found, err = t.s.recover(); err != nil {
		return nil, err
	}
	if first, err := t.before(); first != nil || err != nil {
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
	if plant.Is(plant.LogAfterApply) {
		if err := t.write(); err != nil {
			return nil, err
		}
	}
	if err := t.syncDirs(); err != nil {
		return nil, indeterminate(err)
	}
	if err := t.tidy(); err != nil {
		return nil, indeterminate(err)
	}
	if err := t.applied(); err != nil {
		return nil, indeterminate(err)
	}
	return t.finish(), nil
}

// applied marks in the log that the transaction is in the tree. Without a journal a power cut may undo the names of the
// slots, and nobody could tell a transaction that people have worked on since from one that was interrupted: there the
// mark is synced, one sync more, and a sync that fails is no success. So it is where something was removed for good:
// of that recovery could not tell either what people have made since. Elsewhere it is worth no error.
func (t *transaction) applied() error {
	sync := t.s.opts.links() || t.removes() && !t.s.opts.NoSync
	err := t.s.log.Append(&audit.Record{Kind: audit.Applied, Tx: t.id, OK: true}, sync)
	if err == nil || !sync {
		return nil
	}
	if e, ok := errors.AsType[*audit.NotWritten](err); ok && !e.Voided {
		return t.s.hist.Slots().Sync() // there was no room for the mark: the slots serve as well
	}
	return err
}

// before looks for a transaction that was committed under the same key since the caller looked.
func (t *transaction) before() (*Done, error) {
	key := t.tx.Record.Idem
	if key == "" {
		return nil, nil
	}
	r, err := t.s.log.ByKey(key)
	if err != nil || r == nil {
		return nil, unwritable(err)
	}
	t.discard()
	return &Done{Tx: r.Tx, First: r, Head: t.s.log.Head(), Found: t.found}, nil
}

// commit passes the commit point.
func (t *transaction) commit() error {
	if plant.Is(plant.LogAfterApply) {
		t.logged = true
		return nil
	}
	return t.write()
}

func (t *transaction) write() error {
	r := t.tx.Record
	r.Tx, r.OK = t.id, true
	for _, a := range t.acts {
		r.Acts = append(r.Acts, a.Act)
	}
	err := t.s.log.Append(&r, !t.s.opts.NoSync)
	if _, undecided := errors.AsType[*audit.Undecided](err); undecided {
		t.logged = true // it may be: the slots must stay
		return indeterminate(err)
	}
	if err != nil {
		return unwritable(err)
	}
	t.logged = true
	return nil
}

// finish says what was done. None of it is needed for the promise, so nothing of it is synced and nothing fails.
func (t *transaction) finish() *Done {
	d := &Done{Tx: t.id, Head: t.s.log.Head(), Slots: make([]string, len(t.tx.Changes)), Notes: t.notes, Found: t.found}
	for _, a := range t.acts {
		if a.Displaces() && !a.Gone {
			d.Slots[a.change] = history.Slot(t.id, a.Slot)
		}
	}
	t.unlink()
	t.freshen()
	if t.tx.Keep != nil {
		t.keep(d)
	}
	return d
}

func (t *transaction) keep(d *Done) {
	diff, answer := t.tx.Keep(d)
	for name, text := range map[string]string{history.Diff(t.id): diff, history.Answer(t.id): answer} {
		if text != "" {
			t.s.hist.Keep(name, text)
		}
	}
}

// unlink takes away the second names of users' files, which are under their own names durably by now. Those of what was
// displaced stay: a power cut may still undo the names of the slots, which nothing syncs after the exchange.
func (t *transaction) unlink() {
	if !t.s.opts.links() {
		return
	}
	slots := t.s.hist.Slots()
	for _, a := range t.acts {
		name := history.Slot(t.id, a.Slot)
		slots.Remove(history.NewLink(name))
		if a.Do == audit.DoMove {
			slots.Remove(history.OldLink(name))
		}
	}
}

// discard takes away the slots of a transaction that changed nothing. That it fails loses no more than space.
func (t *transaction) discard() {
	t.s.hist.Discard(t.id, len(t.tx.Changes))
}

func (t *transaction) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

func (t *transaction) conflict(format string, args ...any) {
	t.conflicts = append(t.conflicts, fmt.Sprintf(format, args...))
}

// syncDirs makes every directory durable in which a name changed.
func (t *transaction) syncDirs() error {
	if t.s.opts.NoSync || plant.Is(plant.NoDirSync) {
		return nil
	}
	for _, p := range t.touched() {
		dir, err := t.dirs.at(p)
		if t.back && astray(err) {
			continue // it was never made, or is removed again; or what was in it went where somebody has put it
		}
		if err == nil {
			err = dir.Sync()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return nil
}

// touched lists the directories in which steps changed a name.
func (t *transaction) touched() []string {
	seen := map[string]bool{}
	var out []string
	add := func(p string) {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	for _, a := range t.acts {
		seen[a.Path] = seen[a.Path] || a.Do == audit.DoRmdir && a.made // it is there no more
	}
	for _, a := range t.acts {
		up, _ := split(a.Path)
		add(up)
		if a.Do == audit.DoMove {
			to, _ := split(a.To)
			add(to)
		}
	}
	return out
}

// refusal attaches to an error what was taken back, and what is kept where.
func (t *transaction) refusal(err error) error {
	if e, ok := errors.AsType[*fail.Error](err); ok {
		e.Undone = t.undone
		if t.undone > 0 {
			e.Msg += fmt.Sprintf(" (%d changes were taken back)", t.undone)
		}
		e.Notes = append(e.Notes, t.conflicts...)
	}
	return err
}

// said adds the conflicts to what the log says of an end.
func (t *transaction) said(message string) string {
	return strings.Join(append([]string{message}, t.conflicts...), " ")
}
