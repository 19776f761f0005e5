package commit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plant"
	"github.com/emend-dev/emend/internal/vfs"
)

// takeBack undoes what was done, in reverse, and returns why.
func (t *transaction) takeBack(why error) error {
	if plant.Enabled(plant.NoWalkBack) {
		return t.refusal(why)
	}
	if e, ok := errors.AsType[*fail.Error](why); ok && e.Reason == fail.Indeterminate {
		return why
	}
	t.settling = true
	for _, a := range slices.Backward(t.acts) {
		if !a.undoable {
			continue
		}
		if err := t.undoAct(a); err != nil {
			return t.cannotTakeBack(a, errors.Join(err, why))
		}
		if !a.onDirectory() {
			t.undoneCount++
		}
	}
	if err := t.recordAbort(why); err != nil {
		return indeterminate(errors.Join(err, why))
	}
	return t.refusal(why)
}

// recordAbort makes it durable that nothing was changed. First it syncs the names, then it makes a marker file that
// says so. From then on nobody finishes the transaction, even if the record cannot be written.
func (t *transaction) recordAbort(why error) error {
	if err := t.syncDirs(); err != nil {
		return err
	}
	if err := t.markTakenBack(); err != nil {
		return err
	}
	t.dropSlots()
	r := &audit.Record{Kind: audit.Abort, Actor: t.tx.Record.Actor, Message: t.messageWithConflicts(cause(why).Error()), ErrorKind: string(fail.All(why)[0].Kind)}
	err := t.appendEnd(r, !t.s.opts.NoSync)
	if _, notWritten := errors.AsType[*audit.NotWritten](err); notWritten {
		return nil
	}
	if err == nil {
		t.s.hist.Slots().Remove(history.TakenBackName(t.id))
	}
	return err
}

// markTakenBack makes the marker file durable that says that the transaction was taken back.
func (t *transaction) markTakenBack() error {
	slots := t.s.hist.Slots()
	if err := t.createMark(slots); err != nil {
		return err
	}
	if t.s.opts.NoSync {
		return nil
	}
	return slots.Sync()
}

// createMark renames one of the transaction's slots to the marker file, since a full disk may have no room for a new
// one. If none can be used it creates the file.
func (t *transaction) createMark(slots vfs.Dir) error {
	for _, a := range t.acts {
		if !a.Places() || t.hasOnlyName(a) {
			continue
		}
		name := history.Slot(t.id, a.Slot)
		if slot, err := observe(slots, name, a); err == nil && slot.class == newFile {
			return slots.Rename(name, slots, history.TakenBackName(t.id), vfs.Replace)
		}
	}
	f, err := slots.Create(history.TakenBackName(t.id), 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// dropSlots removes the slots of a transaction that was taken back, as far as they are its own: staged and reserved
// files, and second names. What remains takes space, and no more.
func (t *transaction) dropSlots() {
	for _, a := range t.acts {
		if !a.onDirectory() && !a.WholeDir() {
			t.dropSlot(a, t.s.hist.Slots())
		}
	}
}

func (t *transaction) dropSlot(a *act, slots vfs.Dir) {
	name := history.Slot(t.id, a.Slot)
	slot, err := observe(slots, name, a)
	if err != nil || t.keptSlots[a.Slot] {
		return
	}
	if slot.class != newFile && slot.class != absent && !isSecondName(a, slot) {
		t.keepSlot(a)
		return
	}
	if slot.class != absent && t.hasOnlyName(a) {
		slots.Rename(name, slots, a.From, vfs.NoReplace)
		return
	}
	for _, n := range history.Names(name) {
		slots.Remove(n)
	}
}

func (t *transaction) cannotTakeBack(a *act, err error) error {
	return indeterminate(fmt.Errorf("%s: rolling it back failed: %w", a.Path, err))
}

func (t *transaction) undoAct(a *act) error {
	dir, name, err := t.dirs.parent(a.Path)
	if a.onDirectory() && pathChanged(err) {
		return nil
	}
	if err != nil {
		return err
	}
	slots, slot := t.s.hist.Slots(), history.Slot(t.id, a.Slot)
	switch a.Do {
	case audit.DoMkdir:
		return t.undoMkdir(a, dir, name)
	case audit.DoRmdir:
		return t.undoRmdir(a, dir, name)
	case audit.DoPutDir, audit.DoSwapDir, audit.DoTakeDir:
		return t.undoMoveDir(a, dir, name)
	case audit.DoPut:
		return t.undoPut(a, dir, name, slots, slot)
	case audit.DoMove:
		return t.undoMove(a, dir, name)
	case audit.DoSwap:
		return t.undoSwap(a, dir, name, slots, slot)
	}
	return t.undoTake(a, dir, name, slots, slot)
}

// undoMkdir removes a directory that the transaction made, unless somebody uses it by now.
func (t *transaction) undoMkdir(a *act, dir vfs.Dir, name string) error {
	if !a.dirChanged {
		return nil
	}
	t.dirs.drop(a.Path)
	err := dir.RemoveDir(name)
	if errors.Is(err, fs.ErrNotExist) || notEmpty(err) {
		return nil
	}
	return err
}

// undoRmdir makes a removed directory again, for what is put back into it.
func (t *transaction) undoRmdir(a *act, dir vfs.Dir, name string) error {
	if !a.dirChanged {
		return nil
	}
	err := dir.Mkdir(name, a.Mode.Perm())
	a.dirChanged = err != nil && !errors.Is(err, fs.ErrExist)
	if err != nil {
		return ignore(err, fs.ErrExist) // somebody else made it, and it serves as well
	}
	again, err := dir.Dir(name)
	if err != nil {
		return err
	}
	t.dirs.drop(a.Path)
	t.dirs.put(a.Path, again)
	is, err := again.Stat(".")
	if err != nil || is.Mode&^fs.ModeType == a.Mode {
		return err
	}
	return again.Chmod(a.Mode)
}

func (t *transaction) undoPut(a *act, dir vfs.Dir, name string, slots vfs.Dir, slot string) error {
	ours, err := t.isStaged(a, dir, name)
	if err != nil || !ours {
		t.noteShared(a, dir, name)
		return err // somebody removed it or saved over it
	}
	if err := rename(dir, name, slots, slot, vfs.NoReplace); err != nil {
		return err
	}
	if ours, err = t.isStaged(a, slots, slot); ours || err != nil {
		return err
	}
	return rename(slots, slot, dir, name, vfs.NoReplace)
}

func (t *transaction) undoMove(a *act, dir vfs.Dir, name string) error {
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

// undoSwap undoes an exchange, if the file at the path is the staged one, unchanged. If somebody saved over it, theirs
// is the newest and keeps the name.
func (t *transaction) undoSwap(a *act, dir vfs.Dir, name string, slots vfs.Dir, slot string) error {
	ours, err := t.isStaged(a, dir, name)
	if err != nil {
		return err
	}
	if !ours {
		t.noteShared(a, dir, name)
		t.keepSlot(a)
		return nil
	}
	if err := exchange(dir, name, slots, slot); err != nil {
		return err
	}
	if ours, err = t.isStaged(a, slots, slot); ours || err != nil {
		return err
	}
	// Somebody saved between the look and the exchange. The newest file keeps the name.
	if err := t.keepSave(a, slots, slot, func() error { return exchange(dir, name, slots, slot) }); err != nil {
		return err
	}
	t.keepSlot(a)
	return nil
}

func (t *transaction) undoTake(a *act, dir vfs.Dir, name string, slots vfs.Dir, slot string) error {
	err := rename(slots, slot, dir, name, vfs.NoReplace)
	if errors.Is(err, fs.ErrExist) {
		t.keepSlot(a)
		return nil
	}
	return err
}

// isStaged reports whether name is the file that was staged for the act, with nothing written to it since.
func (t *transaction) isStaged(a *act, dir vfs.Dir, name string) (bool, error) {
	is, there, err := exists(dir, name)
	if err != nil || !there || is.ID != a.stagedInfo.ID || is.Size != a.stagedInfo.Size || !is.ModTime.Equal(a.stagedInfo.ModTime) {
		return false, err
	}
	// Times are coarse on some systems, so compare the content too; this is rare.
	sum, err := hashContent(dir, name, is)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return sum == a.New.Sum, err
}

// keepSlot keeps a displaced file that cannot go back, since somebody's newer file has its place.
func (t *transaction) keepSlot(a *act) {
	t.keptSlots[a.Slot] = true
	t.conflict("%s: somebody saved it meanwhile, and the newest stays; what it had before is kept as %s.", a.Path,
		history.Slot(t.id, a.Slot))
}

// keepSave puts back what somebody saved in the instant of the commit, and keeps a copy of it. Until it is back, a reader
// sees the agent's version, or no file, and may base the next save on that: it would replace this one.
func (t *transaction) keepSave(a *act, dir vfs.Dir, name string, back func() error) error {
	kept, f := t.copySave(a, dir, name)
	err := back()
	if f != nil {
		if !t.s.opts.NoSync {
			f.Sync()
		}
		f.Close()
	}
	if kept != "" {
		t.conflict("%s: what was saved in that moment is back in its place, and the store has a copy of it in slots/%s.", a.Path, kept)
	}
	return err
}

// maxCopied is how large a save is copied while it is out of its place. A larger one gets a second name instead: that
// takes no time, but a program that writes into the file then writes into both.
const maxCopied = 1 << 20

// copySave keeps a file that somebody saved in a slot of its own, as a copy or under a second name. If neither can be had,
// the file is not kept: a full disk must not keep it from its place.
func (t *transaction) copySave(a *act, dir vfs.Dir, name string) (slot string, f vfs.File) {
	is, err := dir.Stat(name)
	if err != nil || !is.Mode.IsRegular() {
		return "", nil
	}
	slots := t.s.hist.Slots()
	if is.Size <= maxCopied {
		slot, err = t.freeSlot(func(slot string) (err error) {
			f, err = slots.Create(slot, 0o600)
			return err
		})
		if err == nil {
			if err = copyFile(f, dir, name); err == nil {
				return slot, f
			}
			f.Close()
			slots.Remove(slot)
		}
	}
	slot, err = t.freeSlot(func(slot string) error { return dir.Link(name, slots, slot) })
	if err != nil {
		return "", nil
	}
	return slot, nil
}

// freeSlot makes a slot that is no act's, and returns its name. create fails with fs.ErrExist if the name is taken.
func (t *transaction) freeSlot(create func(slot string) error) (string, error) {
	n := 0
	for _, a := range t.acts {
		n = max(n, a.Slot+1)
	}
	for {
		slot := history.Slot(t.id, n)
		if err := create(slot); !errors.Is(err, fs.ErrExist) {
			return slot, err
		}
		n++
	}
}

// copyFile copies content and attributes of the file called name to f.
func copyFile(f vfs.File, dir vfs.Dir, name string) error {
	from, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	if _, err := io.Copy(f, from); err != nil {
		return err
	}
	_, err = f.CopyAttributes(from)
	return err
}

// noteShared notes that a file which came back cannot leave the tree again, since somebody has written to it there.
func (t *transaction) noteShared(a *act, dir vfs.Dir, name string) {
	if is, there, err := exists(dir, name); err == nil && there && a.From != "" && is.ID == a.stagedInfo.ID {
		t.conflict("%s: somebody wrote to it meanwhile, so it stays; what is kept as %s is the same file.", a.Path, a.From)
	}
}

// hasOnlyName reports whether the act's slot may be the only name of a file that was to come back: somebody removed the
// other one from the history.
func (t *transaction) hasOnlyName(a *act) bool {
	if a.From == "" {
		return false
	}
	_, _, err := t.s.hist.Find(a.From)
	return err != nil
}

// isSecondName reports whether a slot is just another name of a file that is kept under its first name.
func isSecondName(a *act, slot observation) bool {
	return a.From != "" && slot.class == newEdited && slot.info.Links > 1
}
