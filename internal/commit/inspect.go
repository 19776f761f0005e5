package commit

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// recovery is a transaction after a crash, with the state of each of its acts.
type recovery struct {
	*transaction
	states []stepState
	notes  []string
}

// stepState is the state of an act after a crash.
type stepState uint8

const (
	stateDone    stepState = iota // done; whatever its paths have now came later
	stateTodo                     // not done, and can be done
	stateBlocked                  // not done, and somebody else's file is in its place
	stateMoot                     // nothing is left to do: somebody removed or replaced the file that it was about
)

// inspectAll finds the state of every act. On the way it repairs what a crash left in the store: it restores missing
// names from second names, removes names that must not be there, and puts back somebody's file that an act had just
// taken out from under its name.
func (rv *recovery) inspectAll() error {
	rv.states = make([]stepState, len(rv.acts))
	for i, a := range rv.acts {
		at, err := rv.inspect(a)
		if err != nil {
			return diskError(a.Path, err)
		}
		rv.states[i] = at
		a.done = at == stateDone
	}
	return nil
}

// inspect finds the state of an act. The slot decides, if the act has one: nobody else writes there. The target only
// says what is to be done.
func (rv *recovery) inspect(a *act) (stepState, error) {
	target, err := rv.observeTarget(a.Path, a)
	if err != nil {
		return stateBlocked, err
	}
	a.oldInfo, a.recent = target.info, true
	switch a.Do {
	case audit.DoMkdir:
		return inspectMkdir(target), nil
	case audit.DoRmdir:
		return inspectRmdir(a, target)
	case audit.DoMove:
		return rv.inspectMove(a, target)
	case audit.DoPutDir, audit.DoSwapDir, audit.DoTakeDir:
		return rv.inspectDir(a, target)
	}
	slot, err := observe(rv.s.hist.Slots(), history.Slot(rv.id, a.Slot), a)
	if err != nil {
		return stateBlocked, err
	}
	switch a.Do {
	case audit.DoPut:
		return rv.inspectPut(a, target, slot)
	case audit.DoSwap:
		return rv.inspectSwap(a, target, slot)
	}
	return rv.inspectTake(a, target, slot)
}

// inspectMkdir: a missing directory is to be made. Whether anything needs it shows when all acts are inspected.
func inspectMkdir(target observation) stepState {
	switch {
	case target.info.Mode.IsDir():
		return stateDone
	case target.class == absent:
		return stateTodo
	}
	return stateMoot
}

// inspectRmdir: a directory is known by its inode number, since one that somebody made since is theirs.
func inspectRmdir(a *act, target observation) (stepState, error) {
	if target.class == absent {
		a.dirChanged = true
		return stateDone, nil
	}
	if !target.info.Mode.IsDir() || target.info.ID.Ino != a.Old.Ino {
		return stateMoot, nil
	}
	dir, err := target.dir.Dir(target.name)
	if err != nil {
		return stateMoot, nil // a directory that cannot be opened cannot be removed either
	}
	defer dir.Close()
	names, err := dir.Names()
	a.dirEmpty = err == nil && len(names) == 0
	return stateTodo, nil
}

// observeTarget observes a path of the tree. Below a missing directory there is nothing.
func (rv *recovery) observeTarget(path string, a *act) (observation, error) {
	dir, name, err := rv.dirs.parent(path)
	switch {
	case errors.Is(err, fail.NotFound), errors.Is(err, fs.ErrNotExist):
		return observation{name: name}, nil
	case pathChanged(err):
		return observation{class: unreachable}, nil
	case err != nil:
		return observation{}, err
	}
	return observe(dir, name, a)
}

func (rv *recovery) inspectPut(a *act, target, slot observation) (stepState, error) {
	ours := target.class == newFile || target.class == newEdited
	switch {
	case slot.class == newFile && slot.sameFile(target):
		a.certain, a.undoable, a.placed, a.stagedInfo = true, true, true, target.info
		return stateDone, slot.dir.Remove(slot.name)
	case slot.class == newFile:
		a.stagedInfo = slot.info
		return rv.todoIfFree(target, a.Path), nil
	case slot.class != absent:
		return stateMoot, rv.returnForeign(a, target, slot)
	case ours:
		a.certain, a.undoable, a.placed, a.stagedInfo = target.info.ID.Ino == a.New.Ino, target.class == newFile, true, target.info
		return stateDone, nil
	case target.class == absent:
		at, err := rv.ensureNew(a, slot)
		if at == stateBlocked {
			return stateMoot, err
		}
		return rv.todoIfFree(target, a.Path), err
	}
	return stateMoot, nil
}

// todoIfFree returns stateTodo if path is free, in a directory that exists or that the transaction makes, and
// stateBlocked if not.
func (rv *recovery) todoIfFree(target observation, path string) stepState {
	if target.class != absent || target.dir == nil && !rv.makesParent(path) {
		return stateBlocked
	}
	return stateTodo
}

// makesParent reports whether the transaction makes the parent directory of path.
func (rv *recovery) makesParent(path string) bool {
	up, _ := split(path)
	return slices.ContainsFunc(rv.acts, func(a *act) bool { return a.Do == audit.DoMkdir && a.Path == up })
}

// returnForeign puts a file that is not of this transaction back where an act had taken it from. If its name is taken
// by now, it stays in the slot, with a note.
func (rv *recovery) returnForeign(a *act, target, slot observation) error {
	if target.class == absent && target.dir != nil {
		err := rename(slot.dir, slot.name, target.dir, target.name, vfs.NoReplace)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	rv.keepSlot(a)
	return nil
}

// ensureNew makes sure that the slot has the new content, from its second name if need be. It returns stateBlocked if
// the content is nowhere.
func (rv *recovery) ensureNew(a *act, slot observation) (stepState, error) {
	if slot.class == newFile {
		a.stagedInfo = slot.info
		return stateTodo, nil
	}
	for _, name := range []string{history.NewLink(slot.name), history.Aside(slot.name)} {
		spare, err := observe(slot.dir, name, a)
		if err != nil {
			return stateBlocked, err
		}
		if spare.class != newFile {
			continue
		}
		if slot.class != absent {
			// This is another name of the old file, which has a second name of its own.
			if err := slot.dir.Remove(slot.name); err != nil {
				return stateBlocked, err
			}
		}
		a.stagedInfo = spare.info
		if name == history.Aside(slot.name) {
			return stateTodo, slot.dir.Rename(spare.name, slot.dir, slot.name, vfs.Replace)
		}
		return stateTodo, slot.dir.Link(spare.name, slot.dir, slot.name)
	}
	return stateBlocked, nil
}

// removeAside removes the aside name that an interrupted exchange left of a file that is still, or again, at the
// target.
func (rv *recovery) removeAside(a *act, target, slot observation) error {
	aside, err := observe(slot.dir, history.Aside(slot.name), a)
	if err != nil || aside.class != oldFile || target.class != oldFile {
		return err
	}
	return slot.dir.Remove(aside.name)
}

// finishTurns finishes, as far as names go, an exchange by turns that was interrupted: see [exchangeByTurns]. What was taken out of its
// place comes back to it, whoever it is from. If the other one is in its place already, somebody else's file that came out goes to
// the slot, where it is found. Elsewhere the name aside is a second one, and says nothing.
func (rv *recovery) finishTurns(a *act, target, slot *observation) error {
	if target.dir == nil || vfs.ReplacesOpen(slot.dir) {
		return nil
	}
	aside, err := observe(slot.dir, history.Aside(slot.name), a)
	if err != nil || aside.class == absent {
		return err
	}
	to := target
	switch {
	case target.class != absent && slot.class != absent:
		if target.class == foreign {
			rv.keptSlots[a.Slot] = true
			rv.conflict("%s: somebody made it anew while it was being replaced, and theirs stays; what it had before is kept as %s.", a.Path, aside.name)
		}
		return nil
	case target.class == absent && slot.class == absent:
		return nil // the file was removed after the exchange, or was never exchanged
	case slot.class == absent && aside.class != foreign:
		return nil
	case slot.class == absent:
		to = slot
	}
	if err := ignore(rename(aside.dir, aside.name, to.dir, to.name, vfs.NoReplace), fs.ErrExist); err != nil {
		return err
	}
	*to, err = observe(to.dir, to.name, a)
	return err
}

func (rv *recovery) inspectSwap(a *act, target, slot observation) (stepState, error) {
	if err := rv.finishTurns(a, &target, &slot); err != nil {
		return stateBlocked, err
	}
	ours := target.class == newFile || target.class == newEdited
	displaced := slot.class == oldFile || slot.class == oldEdited
	switch {
	case displaced && slot.sameFile(target):
		return rv.ensureNew(a, slot) // both names have the old file: half of the exchange was lost
	case displaced:
		a.certain, a.undoable, a.placed = true, target.class == newFile && slot.class == oldFile, ours
		a.stagedInfo, a.oldInfo = target.info, slot.info
		rv.noteLateWrite(a, slot)
		return stateDone, nil
	case target.class == newFile && slot.class == newFile && !slot.sameFile(target):
		return stateDone, nil // somebody made the same change by hand
	case slot.sameFile(target) && ours, slot.class == absent && target.class != oldFile:
		return rv.rescueOld(a, target, slot)
	case slot.class == foreign && ours:
		// Somebody saved in the last instant, their file came out into the slot, and then the process died.
		err := rv.keepSave(a, slot.dir, slot.name, func() error {
			return exchange(target.dir, target.name, slot.dir, slot.name)
		})
		a.stagedInfo = target.info
		return stateBlocked, err
	case slot.class == foreign:
		rv.keepSlot(a)
		return stateDone, nil
	}
	at, err := rv.ensureNew(a, slot)
	if at == stateTodo && target.class != oldFile {
		at = stateBlocked
	}
	if err == nil {
		err = rv.removeAside(a, target, slot)
	}
	return at, err
}

// noteLateWrite notes that somebody wrote to a file after it had been displaced.
func (rv *recovery) noteLateWrite(a *act, slot observation) {
	if slot.class == oldEdited {
		rv.keptSlots[a.Slot] = true
		rv.conflict("%s: a program that had it open wrote to it after the commit; what it wrote is in what is kept as %s.", a.Path,
			history.Slot(rv.id, a.Slot))
	}
}

// rescueOld handles an act whose slot should have the old file and has not: a second name may have it.
func (rv *recovery) rescueOld(a *act, target, slot observation) (stepState, error) {
	old, err := rv.moveOldToSlot(a, slot)
	if err != nil {
		return stateBlocked, err
	}
	a.certain, a.undoable = true, old.class == oldFile && (target.class == newFile || target.class == absent)
	a.placed = target.class == newFile || target.class == newEdited
	a.stagedInfo, a.oldInfo = target.info, old.info
	return stateDone, nil
}

// moveOldToSlot renames the second name of the old file to the slot.
func (rv *recovery) moveOldToSlot(a *act, slot observation) (observation, error) {
	for _, name := range []string{history.Aside(slot.name), history.OldLink(slot.name)} {
		spare, err := observe(slot.dir, name, a)
		if err != nil {
			return spare, err
		}
		if spare.class == oldFile || spare.class == oldEdited {
			return spare, slot.dir.Rename(name, slot.dir, slot.name, vfs.Replace)
		}
	}
	return observation{}, nil
}

// inspectTake: until the file is in the slot, the slot has the reserved empty file, which counts as the new one, or
// nothing after it was given back.
func (rv *recovery) inspectTake(a *act, target, slot observation) (stepState, error) {
	displaced := slot.class == oldFile || slot.class == oldEdited
	switch {
	case displaced && slot.sameFile(target) && slot.class == oldEdited:
		return stateBlocked, slot.dir.Remove(slot.name) // it has both names, and somebody wrote to it: it is theirs
	case displaced && slot.sameFile(target):
		a.certain, a.undoable, a.oldInfo = true, true, slot.info
		return stateDone, target.dir.Remove(target.name) // it has both names: a rename would do nothing
	case displaced:
		a.certain, a.undoable, a.oldInfo = true, target.class == absent && slot.class == oldFile, slot.info
		rv.noteLateWrite(a, slot)
		return stateDone, nil
	case slot.class == foreign:
		return stateBlocked, rv.returnForeign(a, target, slot)
	case target.class == oldFile:
		return stateTodo, nil
	case target.class == absent:
		at, err := rv.rescueOld(a, target, slot)
		if at == stateDone && err == nil && a.oldInfo == (vfs.Info{}) {
			a.certain, at = false, stateMoot // somebody else deleted it
		}
		return at, err
	}
	return stateBlocked, nil
}

func (rv *recovery) inspectMove(a *act, from observation) (stepState, error) {
	to, err := rv.observeTarget(a.To, a)
	if err != nil {
		return stateBlocked, err
	}
	arrived := to.class == oldFile || to.class == oldEdited
	switch {
	case arrived && from.sameFile(to):
		a.certain, a.undoable = true, true
		return stateDone, from.dir.Remove(from.name) // it has both names: a rename would do nothing
	case arrived:
		a.certain, a.undoable, a.oldInfo = true, from.class == absent && to.class == oldFile, to.info
		return stateDone, nil
	case from.class == oldFile && to.class != absent && from.info.ID.Ino != a.Old.Ino:
		return stateMoot, nil // a copy that somebody made since
	case from.class == oldFile:
		return rv.todoIfFree(to, a.To), nil
	case from.class == oldEdited:
		return stateBlocked, nil
	case from.class == absent && to.class == absent:
		return rv.relink(a, from)
	}
	return stateMoot, nil
}

// relink gives a file that lost both names during a move its old name back, to be moved once more.
func (rv *recovery) relink(a *act, from observation) (stepState, error) {
	slots := rv.s.hist.Slots()
	spare, err := observe(slots, history.OldLink(history.Slot(rv.id, a.Slot)), a)
	if err != nil || spare.class == absent || from.dir == nil {
		return stateMoot, err
	}
	a.oldInfo = spare.info
	return stateTodo, slots.Link(spare.name, from.dir, from.name)
}
