package commit

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plant"
	"github.com/emend-dev/emend/internal/vfs"
)

func sortActs(acts []*act) {
	slices.SortStableFunc(acts, func(a, b *act) int {
		if o := slices.Index(order, a.Do) - slices.Index(order, b.Do); o != 0 {
			return o
		}
		switch a.Do {
		case audit.DoMkdir:
			return depth(a.Path) - depth(b.Path)
		case audit.DoRmdir:
			return depth(b.Path) - depth(a.Path)
		}
		return 0
	})
}

// apply does the steps. If one fails, those before it have been done, and the one that failed has not.
func (t *transaction) apply() error {
	looked := false
	for _, a := range t.acts {
		// Removing directories is last and cannot fail: whatever could, has had its chance before.
		if a.Do == audit.DoRmdir && !looked {
			looked = true
			if err := t.still(); err != nil {
				return err
			}
		}
		if err := t.do(a); err != nil {
			return cmp.Or(t.afterAll(a, err), err)
		}
		a.done = true
	}
	if looked {
		return nil
	}
	return t.still()
}

// afterAll finds out whether a step that failed has had its effect nevertheless: a system may do what it was asked and
// report an error. What was not done because of other people's files has none.
func (t *transaction) afterAll(a *act, why error) error {
	if errors.Is(why, fail.Stale) || errors.Is(why, fail.CommandFailed) && fail.All(why)[0].Reason == fail.Indeterminate {
		return nil
	}
	old, staged := a.old, a.staged
	at, err := (&recovery{transaction: t}).stand(a)
	if err != nil {
		return t.stuck(a, errors.Join(err, why))
	}
	if a.Do == audit.DoMkdir {
		a.made = at == did
	}
	a.done = at == did && (a.done || a.Do == audit.DoMkdir)
	a.old, a.staged = old, staged
	if at == did && !a.done {
		return t.stuck(a, errors.Join(errors.New("somebody has changed it since"), why))
	}
	return nil
}

// still checks that the directories are where they were: one that was carried out of the tree meanwhile took what was
// done in it along, and it is taken back.
func (t *transaction) still() error {
	for _, p := range t.touched() {
		same, err := t.dirs.same(p)
		if err != nil {
			return moved(p, err)
		}
		if !same {
			return stale(p, "the directory was moved away while the patch was committed", "", "")
		}
	}
	return nil
}

// do makes one step.
func (t *transaction) do(a *act) error {
	err := t.step(a)
	a.over = err == nil
	a.here = a.over && a.Places()
	return err
}

func (t *transaction) step(a *act) error {
	dir, name, err := t.dirs.parent(a.Path)
	if a.Do == audit.DoRmdir {
		if err == nil {
			t.prune(a, dir, name)
		}
		return nil
	}
	if err != nil {
		return moved(a.Path, err)
	}
	slots, slot := t.s.hist.Slots(), history.Slot(t.id, a.Slot)
	switch a.Do {
	case audit.DoMkdir:
		return t.mkdir(a, dir, name)
	case audit.DoPut:
		return moved(a.Path, rename(slots, slot, dir, name, vfs.NoReplace))
	case audit.DoMove:
		return t.move(a, dir, name)
	case audit.DoSwap:
		return t.swap(a, dir, name, slots, slot)
	}
	return t.take(a, dir, name, slots, slot)
}

func (t *transaction) mkdir(a *act, dir vfs.Dir, name string) error {
	err := dir.Mkdir(name, 0o777)
	a.made = err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return moved(a.Path, err)
	}
	// Opened from the one above, not by its path: what is put into it goes where it was made. When somebody else
	// made it first it is not ours to remove, and serves as well.
	made, err := dir.Dir(name)
	if err != nil {
		return moved(a.Path, err)
	}
	t.dirs.hold(a.Path, made)
	return nil
}

func (t *transaction) move(a *act, dir vfs.Dir, name string) error {
	to, last, err := t.dirs.parent(a.To)
	if err != nil {
		return moved(a.To, err)
	}
	if err := rename(dir, name, to, last, vfs.NoReplace); err != nil {
		return moved(a.Path, err)
	}
	return t.came(a, to, last, func() error { return t.unmove(a, dir, name) })
}

func (t *transaction) swap(a *act, dir vfs.Dir, name string, slots vfs.Dir, slot string) error {
	// In this order of arguments file watchers see the target change; in the other some see nothing.
	if err := exchange(dir, name, slots, slot); err != nil {
		return moved(a.Path, err)
	}
	return t.came(a, slots, slot, func() error { return t.swapBack(a, dir, name, slots, slot) })
}

func (t *transaction) take(a *act, dir vfs.Dir, name string, slots vfs.Dir, slot string) error {
	if err := dir.Rename(name, slots, slot, vfs.Replace); err != nil {
		return moved(a.Path, err)
	}
	return t.came(a, slots, slot, func() error { return t.untake(a, dir, name, slots, slot) })
}

// came checks what came out from under a path, and lies in dir by now: it must be the file that was verified, with
// nothing written to it since. If it is not, back puts it where it was.
func (t *transaction) came(a *act, dir vfs.Dir, name string, back func() error) error {
	if plant.Is(plant.NoVerify) {
		a.release()
		return nil
	}
	err := t.itself(a, dir, name)
	// A writer that asked has waited for the lease, and writes into the file as soon as it ends: that file must be
	// back in its place, whether before or after the first byte.
	if a.release() && err == nil && a.Do != audit.DoMove {
		err = stale(a.Path, "another program opened the file for writing", "", "")
	}
	if err == nil {
		return nil
	}
	if berr := back(); berr != nil {
		return t.stuck(a, berr)
	}
	return err
}

func (t *transaction) itself(a *act, dir vfs.Dir, name string) error {
	is, err := dir.Stat(name)
	if err != nil {
		return broken(a.Path, err)
	}
	same := is.ID == a.old.ID && is.Size == a.old.Size && is.ModTime.Equal(a.old.ModTime) && is.Mode == a.old.Mode
	if same && a.racy && is.Mode.IsRegular() && a.Old.Sum != "" {
		sum, err := digest(dir, name, is)
		if err != nil {
			return broken(a.Path, err)
		}
		same = sum == a.Old.Sum
	}
	if !same {
		return stale(a.Path, "somebody saved the file while the patch was committed", a.Old.Sum, "")
	}
	return nil
}

// swapBack undoes an exchange. What is under the path must be ours, as we staged it: whoever saved over it has saved
// last, and keeps the name.
func (t *transaction) swapBack(a *act, dir vfs.Dir, name string, slots vfs.Dir, slot string) error {
	ours, err := t.ours(a, dir, name)
	if err != nil {
		return err
	}
	if !ours {
		t.shared(a, dir, name)
		t.keepSlot(a)
		return nil
	}
	if err := exchange(dir, name, slots, slot); err != nil {
		return err
	}
	if ours, err = t.ours(a, slots, slot); ours || err != nil {
		return err
	}
	// Saved between the look and the exchange: the newest keeps the name.
	if err := exchange(dir, name, slots, slot); err != nil {
		return err
	}
	t.keepSlot(a)
	return nil
}

// ours reports whether name has the file that was staged for the step, and nobody has written to it.
func (t *transaction) ours(a *act, dir vfs.Dir, name string) (bool, error) {
	is, there, err := exists(dir, name)
	if err != nil || !there || is.ID != a.staged.ID || is.Size != a.staged.Size || !is.ModTime.Equal(a.staged.ModTime) {
		return false, err
	}
	// Times are coarse on some systems, and this is not done often.
	sum, err := says(dir, name, is)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return sum == a.New.Sum, err
}

// keepSlot keeps what a path had before, which cannot go back: somebody else's newer file has its place.
func (t *transaction) keepSlot(a *act) {
	t.kept[a.Slot] = true
	t.conflict("%s: somebody saved it meanwhile, and the newest stays; what it had before is kept as %s.", a.Path,
		history.Slot(t.id, a.Slot))
}

// takeBack undoes what was done, in reverse, and returns why.
func (t *transaction) takeBack(why error) error {
	if plant.Is(plant.NoWalkBack) {
		return t.refusal(why)
	}
	if e, ok := errors.AsType[*fail.Error](why); ok && e.Reason == fail.Indeterminate {
		return why
	}
	t.back = true
	for _, a := range slices.Backward(t.acts) {
		if !a.done {
			continue
		}
		if err := t.undo(a); err != nil {
			return t.stuck(a, errors.Join(err, why))
		}
		if !a.onDirectory() {
			t.undone++
		}
	}
	if err := t.aborted(why); err != nil {
		return indeterminate(errors.Join(err, why))
	}
	return t.refusal(why)
}

// aborted makes it durable that nothing was changed: the names first, then a name that says so, which one of the slots
// is given since a full disk may have no room for a new one. From then on nobody finishes the transaction, even if the
// record cannot be written.
func (t *transaction) aborted(why error) error {
	if err := t.syncDirs(); err != nil {
		return err
	}
	if err := t.proof(); err != nil {
		return err
	}
	t.drop()
	r := &audit.Record{Kind: audit.Abort, Tx: t.id, Actor: t.tx.Record.Actor, Message: t.said(cause(why).Error()), ErrorKind: string(fail.All(why)[0].Kind)}
	err := t.s.log.Append(r, !t.s.opts.NoSync)
	if _, notWritten := errors.AsType[*audit.NotWritten](err); notWritten {
		return nil
	}
	if err == nil {
		t.s.hist.Slots().Remove(history.Back(t.id))
	}
	return err
}

// proof makes the name that says that all was taken back.
func (t *transaction) proof() error {
	slots := t.s.hist.Slots()
	if err := t.sign(slots); err != nil {
		return err
	}
	if t.s.opts.NoSync {
		return nil
	}
	return slots.Sync()
}

func (t *transaction) sign(slots vfs.Dir) error {
	for _, a := range t.acts {
		if !a.Places() || t.only(a) {
			continue
		}
		name := history.Slot(t.id, a.Slot)
		if slot, err := see(slots, name, a); err == nil && slot.what == isNew {
			return slots.Rename(name, slots, history.Back(t.id), vfs.Replace)
		}
	}
	f, err := slots.Create(history.Back(t.id), 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// drop removes the slots of a transaction that was taken back, as far as they are ours: what was staged, what was
// reserved, and second names. What is left takes space, and no more.
func (t *transaction) drop() {
	for _, a := range t.acts {
		if !a.onDirectory() {
			t.dropOne(a, t.s.hist.Slots())
		}
	}
}

func (t *transaction) dropOne(a *act, slots vfs.Dir) {
	name := history.Slot(t.id, a.Slot)
	slot, err := see(slots, name, a)
	if err != nil || t.kept[a.Slot] {
		return
	}
	if slot.what != isNew && slot.what != nothing && !second(a, slot) {
		t.keepSlot(a)
		return
	}
	if slot.what != nothing && t.only(a) {
		slots.Rename(name, slots, a.From, vfs.NoReplace)
		return
	}
	for _, n := range history.Names(name) {
		slots.Remove(n)
	}
}

func (t *transaction) stuck(a *act, err error) error {
	return indeterminate(fmt.Errorf("%s: taking it back failed: %w", a.Path, err))
}

func (t *transaction) undo(a *act) error {
	dir, name, err := t.dirs.parent(a.Path)
	if a.onDirectory() && astray(err) {
		return nil
	}
	if err != nil {
		return err
	}
	slots, slot := t.s.hist.Slots(), history.Slot(t.id, a.Slot)
	switch a.Do {
	case audit.DoMkdir:
		return t.rmdir(a, dir, name)
	case audit.DoRmdir:
		return t.unprune(a, dir, name)
	case audit.DoPut:
		return t.unput(a, dir, name, slots, slot)
	case audit.DoMove:
		return t.unmove(a, dir, name)
	case audit.DoSwap:
		return t.swapBack(a, dir, name, slots, slot)
	}
	return t.untake(a, dir, name, slots, slot)
}

// rmdir removes a directory that was made, unless somebody uses it by now.
func (t *transaction) rmdir(a *act, dir vfs.Dir, name string) error {
	if !a.made {
		return nil
	}
	t.dirs.forget(a.Path)
	err := dir.RemoveDir(name)
	if errors.Is(err, fs.ErrNotExist) || notEmpty(err) {
		return nil
	}
	return err
}

func (t *transaction) unput(a *act, dir vfs.Dir, name string, slots vfs.Dir, slot string) error {
	ours, err := t.ours(a, dir, name)
	if err != nil || !ours {
		t.shared(a, dir, name)
		return err // removed, or saved over: theirs
	}
	if err := rename(dir, name, slots, slot, vfs.NoReplace); err != nil {
		return err
	}
	if ours, err = t.ours(a, slots, slot); ours || err != nil {
		return err
	}
	return rename(slots, slot, dir, name, vfs.NoReplace)
}

func (t *transaction) unmove(a *act, dir vfs.Dir, name string) error {
	to, last, err := t.dirs.parent(a.To)
	if err != nil {
		return err
	}
	err = rename(to, last, dir, name, vfs.NoReplace)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		t.conflict("%s: it could not be moved back from %s, since somebody changed one of the two meanwhile.", a.Path, a.To)
		return nil
	}
	return err
}

func (t *transaction) untake(a *act, dir vfs.Dir, name string, slots vfs.Dir, slot string) error {
	err := rename(slots, slot, dir, name, vfs.NoReplace)
	if errors.Is(err, fs.ErrExist) {
		t.keepSlot(a)
		return nil
	}
	return err
}
