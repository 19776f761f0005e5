package commit

import (
	"cmp"
	"errors"
	"io/fs"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plant"
	"github.com/emend-dev/emend/internal/vfs"
)

// apply performs the acts. If one fails, those before it are done and the failed one is not.
func (t *transaction) apply() error {
	looked := false
	for _, a := range t.acts {
		// Removing directories comes last and cannot fail, so this is the last check that can.
		if a.Do == audit.DoRmdir && !looked {
			looked = true
			if err := t.checkDirs(); err != nil {
				return err
			}
		}
		if err := t.runAct(a); err != nil {
			return cmp.Or(t.checkEffect(a, err), err)
		}
		a.undoable = true
	}
	if looked {
		return nil
	}
	return t.checkDirs()
}

// checkEffect finds out whether an act that failed took effect nevertheless: a system may do what it was asked and
// report an error. An act that stopped because of somebody's files had no effect.
func (t *transaction) checkEffect(a *act, why error) error {
	if errors.Is(why, fail.Stale) || errors.Is(why, fail.CommandFailed) && fail.All(why)[0].Reason == fail.Indeterminate {
		return nil
	}
	old, staged := a.oldInfo, a.stagedInfo
	at, err := (&recovery{transaction: t}).inspect(a)
	if err != nil {
		return t.cannotTakeBack(a, errors.Join(err, why))
	}
	if a.Do == audit.DoMkdir {
		a.dirChanged = at == stateDone
	}
	a.undoable = at == stateDone && (a.undoable || a.Do == audit.DoMkdir)
	a.oldInfo, a.stagedInfo = old, staged
	if at == stateDone && !a.undoable {
		return t.cannotTakeBack(a, errors.Join(errors.New("somebody has changed it since"), why))
	}
	return nil
}

// checkDirs checks that the directories are where they were. If one was moved out of the tree meanwhile, it took along
// what was done in it, and the transaction is taken back.
func (t *transaction) checkDirs() error {
	for _, p := range t.touched() {
		same, err := t.dirs.unmoved(p)
		if err != nil {
			return reachError(p, err)
		}
		if !same {
			return stale(p, "the directory was moved away while the patch was committed", "", "")
		}
	}
	return nil
}

// runAct performs one act and notes that it is done.
func (t *transaction) runAct(a *act) error {
	err := t.perform(a)
	a.done = err == nil
	a.placed = a.done && a.Places()
	return err
}

func (t *transaction) perform(a *act) error {
	dir, name, err := t.dirs.parent(a.Path)
	if a.Do == audit.DoRmdir {
		if err == nil {
			t.rmdir(a, dir, name)
		}
		return nil
	}
	if err != nil {
		return reachError(a.Path, err)
	}
	slots, slot := t.s.hist.Slots(), history.Slot(t.id, a.Slot)
	switch a.Do {
	case audit.DoMkdir:
		return t.mkdir(a, dir, name)
	case audit.DoPutDir, audit.DoSwapDir, audit.DoTakeDir:
		return t.moveDir(a, dir, name)
	case audit.DoPut:
		return reachError(a.Path, rename(slots, slot, dir, name, vfs.NoReplace))
	case audit.DoMove:
		return t.move(a, dir, name)
	case audit.DoSwap:
		return t.swap(a, dir, name, slots, slot)
	}
	return t.take(a, dir, name, slots, slot)
}

func (t *transaction) mkdir(a *act, dir vfs.Dir, name string) error {
	err := dir.Mkdir(name, cmp.Or(a.Mode.Perm(), 0o777))
	a.dirChanged = err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return reachError(a.Path, err)
	}
	// Open the directory from its parent, not by its path: what is put into it goes where it was made. If somebody else
	// made it first, it serves as well, but is not ours to remove.
	made, err := dir.Dir(name)
	if err != nil {
		return reachError(a.Path, err)
	}
	t.dirs.put(a.Path, made)
	if a.dirChanged && a.Mode != 0 {
		t.setDirMode(a, made)
	}
	return nil
}

// setDirMode gives a new directory the permissions that the system left out. A failure is no reason to take the transaction back.
func (t *transaction) setDirMode(a *act, dir vfs.Dir) {
	is, err := dir.Stat(".")
	if err == nil && is.Mode&^fs.ModeType != a.Mode {
		err = dir.Chmod(a.Mode)
	}
	if err != nil {
		t.remark("%s: the directory did not get its permissions back: %v.", a.Path, cause(err))
	}
}

func (t *transaction) move(a *act, dir vfs.Dir, name string) error {
	to, last, err := t.dirs.parent(a.To)
	if err != nil {
		return reachError(a.To, err)
	}
	if err := t.checkStill(a, dir, name); err != nil {
		return err
	}
	if err := rename(dir, name, to, last, vfs.NoReplace); err != nil {
		return reachError(a.Path, err)
	}
	return t.checkDisplaced(a, to, last, func() error { return t.undoMove(a, dir, name) })
}

func (t *transaction) swap(a *act, dir vfs.Dir, name string, slots vfs.Dir, slot string) error {
	if err := t.checkStill(a, dir, name); err != nil {
		return err
	}
	// With the arguments in this order file watchers see the target change; in the other order some see nothing.
	if err := exchange(dir, name, slots, slot); err != nil {
		return reachError(a.Path, err)
	}
	return t.checkDisplaced(a, slots, slot, func() error { return t.undoSwap(a, dir, name, slots, slot) })
}

func (t *transaction) take(a *act, dir vfs.Dir, name string, slots vfs.Dir, slot string) error {
	if err := t.checkStill(a, dir, name); err != nil {
		return err
	}
	if err := dir.Rename(name, slots, slot, vfs.Replace); err != nil {
		return reachError(a.Path, err)
	}
	return t.checkDisplaced(a, slots, slot, func() error { return t.undoTake(a, dir, name, slots, slot) })
}

// checkStill checks, right before a file is displaced, that it is the one that was verified. Somebody who saved since is
// refused here, without anybody seeing the new content for an instant.
func (t *transaction) checkStill(a *act, dir vfs.Dir, name string) error {
	if plant.Enabled(plant.NoVerify) {
		return nil
	}
	is, err := dir.Stat(name)
	if err != nil {
		return reachError(a.Path, err)
	}
	return t.compare(a, dir, name, is, is.ChangeTime.Equal(a.oldInfo.ChangeTime))
}

// checkDisplaced checks the file that came out from under a path and is in dir now. It must be the file that was
// verified, with nothing written to it since. If it is not, back puts it where it was.
func (t *transaction) checkDisplaced(a *act, dir vfs.Dir, name string, back func() error) error {
	if plant.Enabled(plant.NoVerify) {
		a.releaseLease()
		return nil
	}
	is, err := dir.Stat(name)
	if err != nil {
		err = diskError(a.Path, err)
	} else {
		err = t.compare(a, dir, name, is, !a.recent)
	}
	saved := errors.Is(err, fail.Stale)
	// A writer that asked has waited for the lease to end, and writes into the file right after. That file must be back
	// in its place, whether before or after the first byte.
	if a.releaseLease() && err == nil && a.Do != audit.DoMove {
		err = stale(a.Path, "another program opened the file for writing", "", "")
	}
	if err == nil {
		return nil
	}
	putBack := back
	if saved {
		putBack = func() error { return t.keepSave(a, dir, name, back) }
	}
	if berr := putBack(); berr != nil {
		return t.cannotTakeBack(a, berr)
	}
	return err
}

// compare checks that a file is the one that was verified. Unless its times tell, it compares the content too.
func (t *transaction) compare(a *act, dir vfs.Dir, name string, is vfs.Info, timesTell bool) error {
	same := sameFile(is, a.oldInfo)
	if same && !timesTell && is.Mode.IsRegular() && a.Old.Sum != "" {
		sum, err := hashFile(dir, name, is)
		if err != nil && !pathChanged(err) && !errors.Is(err, fs.ErrPermission) {
			return diskError(a.Path, err)
		}
		same = err == nil && sum == a.Old.Sum
	}
	if !same {
		return stale(a.Path, "somebody saved the file while the patch was committed", a.Old.Sum, "")
	}
	return nil
}

// rmdir removes a directory if it is the verified one and empty. One that cannot be removed stays.
func (t *transaction) rmdir(a *act, dir vfs.Dir, name string) {
	is, err := dir.Stat(name)
	if err != nil || !is.Mode.IsDir() || is.ID.Ino != a.Old.Ino || dir.RemoveDir(name) != nil {
		return
	}
	a.dirChanged = true
	t.dirs.drop(a.Path)
}
