package commit

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// class is what a name has, by the lights of one step.
type class uint8

const (
	nothing    class = iota
	isOld            // the file as it was before the transaction
	isNew            // the file as the transaction makes it
	wasOld           // the old file, written to since
	wasNew           // the new file, written to since
	foreign          // somebody else's
	unknowable       // the way there is not as it was
)

// sight is a name and what it has.
type sight struct {
	dir  vfs.Dir
	name string
	is   vfs.Info
	what class
}

func (s sight) same(o sight) bool {
	return s.what != nothing && o.what != nothing && s.is.ID == o.is.ID
}

// see looks at a name. Content decides before inode numbers do: not every file system keeps those.
func see(dir vfs.Dir, name string, a *act) (sight, error) {
	s := sight{dir: dir, name: name}
	is, there, err := exists(dir, name)
	if err != nil || !there {
		return s, err
	}
	s.is = is
	sum := ""
	if isLink(is.Mode) {
		if sum, err = linkSum(dir, name); err != nil {
			return s, err
		}
	}
	if is.Mode.IsRegular() && is.Size <= max(size(a.Old), size(a.New)) {
		if sum, err = digest(dir, name, is); err != nil && !errors.Is(err, fs.ErrPermission) {
			return s, err
		}
	}
	s.what = classify(is, sum, a)
	return s, nil
}

func linkSum(dir vfs.Dir, name string) (string, error) {
	text, err := dir.Readlink(name)
	return textSum(text), err
}

func size(i *audit.Ident) int64 {
	if i == nil {
		return 0
	}
	return i.Size
}

func classify(is vfs.Info, sum string, a *act) class {
	oldIno, oldText := match(is, sum, a.Old)
	newIno, newText := match(is, sum, a.New)
	switch {
	case newIno && newText:
		return isNew
	case oldIno && oldText:
		return isOld
	case newText:
		return isNew
	case oldText:
		return isOld
	case newIno:
		return wasNew
	case oldIno:
		return wasOld
	}
	return foreign
}

func match(is vfs.Info, sum string, i *audit.Ident) (ino, text bool) {
	if i == nil {
		return false, false
	}
	// A number is given out again as soon as a file is gone, so it says little of a link, which is never edited.
	kind := isLink(is.Mode) == i.Link && (i.Link || is.Mode.IsRegular())
	text = kind && sum == i.Sum
	return kind && is.ID.Ino == i.Ino && (text || !i.Link), text
}

// look finds out where every step stands. What a crash has torn apart in the store it mends on the way: a name that
// must be there is made from the second names, one that must not is removed, and somebody's file that a step had just
// taken out from under its name goes back.
func (rv *recovery) look() error {
	rv.at = make([]state, len(rv.acts))
	for i, a := range rv.acts {
		at, err := rv.stand(a)
		if err != nil {
			return broken(a.Path, err)
		}
		rv.at[i] = at
		a.over = at == did
	}
	return nil
}

// stand decides by the slot where there is one: nobody else writes there. The target only says what is to be done.
func (rv *recovery) stand(a *act) (state, error) {
	target, err := rv.target(a.Path, a)
	if err != nil {
		return blocked, err
	}
	a.old, a.racy = target.is, true
	switch a.Do {
	case audit.DoMkdir:
		return standMkdir(target), nil
	case audit.DoRmdir:
		return standRmdir(a, target)
	case audit.DoMove:
		return rv.standMove(a, target)
	}
	slot, err := see(rv.s.hist.Slots(), history.Slot(rv.id, a.Slot), a)
	if err != nil {
		return blocked, err
	}
	switch a.Do {
	case audit.DoPut:
		return rv.standPut(a, target, slot)
	case audit.DoSwap:
		return rv.standSwap(a, target, slot)
	}
	return rv.standTake(a, target, slot)
}

// standMkdir: a directory is to be made if it is not there; whether anything needs it shows when all is looked at.
func standMkdir(target sight) state {
	switch {
	case target.is.Mode.IsDir():
		return did
	case target.what == nothing:
		return todo
	}
	return gone
}

// standRmdir: a directory is known by its number, since one that somebody has made since is theirs.
func standRmdir(a *act, target sight) (state, error) {
	if target.what == nothing {
		a.made = true
		return did, nil
	}
	if !target.is.Mode.IsDir() || target.is.ID.Ino != a.Old.Ino {
		return gone, nil
	}
	dir, err := target.dir.Dir(target.name)
	if err != nil {
		return gone, nil // it cannot be removed either
	}
	defer dir.Close()
	names, err := dir.Names()
	a.empty = err == nil && len(names) == 0
	return todo, nil
}

// target looks at a path of the tree. Below a directory that is missing there is nothing.
func (rv *recovery) target(path string, a *act) (sight, error) {
	dir, name, err := rv.dirs.parent(path)
	switch {
	case errors.Is(err, fail.NotFound), errors.Is(err, fs.ErrNotExist):
		return sight{name: name}, nil
	case astray(err):
		return sight{what: unknowable}, nil
	case err != nil:
		return sight{}, err
	}
	return see(dir, name, a)
}

// astray says of an error that a path does not lead where it did: somebody has moved or replaced a directory.
func astray(err error) bool {
	for _, why := range []error{fail.NotFound, fail.Stale, fs.ErrNotExist, syscall.ENOTDIR, syscall.ELOOP} {
		if errors.Is(err, why) {
			return true
		}
	}
	e, ok := errors.AsType[*fail.Error](err)
	return ok && e.Reason == fail.MountPoint
}

func (rv *recovery) standPut(a *act, target, slot sight) (state, error) {
	ours := target.what == isNew || target.what == wasNew
	switch {
	case slot.what == isNew && slot.same(target):
		a.sure, a.done, a.here, a.staged = true, true, true, target.is
		return did, slot.dir.Remove(slot.name)
	case slot.what == isNew:
		a.staged = slot.is
		return rv.todoIf(target, a.Path), nil
	case slot.what != nothing:
		return gone, rv.giveBack(a, target, slot)
	case ours:
		a.sure, a.done, a.here, a.staged = target.is.ID.Ino == a.New.Ino, target.what == isNew, true, target.is
		return did, nil
	case target.what == nothing:
		at, err := rv.ready(a, slot)
		if at == blocked {
			return gone, err
		}
		return rv.todoIf(target, a.Path), err
	}
	return gone, nil
}

// todoIf: something can be put at a path that is free, in a directory that is there or that the transaction makes.
func (rv *recovery) todoIf(target sight, path string) state {
	if target.what != nothing || target.dir == nil && !rv.makes(path) {
		return blocked
	}
	return todo
}

// makes reports whether the transaction makes the directory of a path.
func (rv *recovery) makes(path string) bool {
	up, _ := split(path)
	return slices.ContainsFunc(rv.acts, func(a *act) bool { return a.Do == audit.DoMkdir && a.Path == up })
}

// giveBack puts a file that is not of this transaction back where a step had taken it from. If its name is taken by
// now, it stays in the slot, and is said.
func (rv *recovery) giveBack(a *act, target, slot sight) error {
	if target.what == nothing && target.dir != nil {
		err := rename(slot.dir, slot.name, target.dir, target.name, vfs.NoReplace)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	rv.keepSlot(a)
	return nil
}

// ready makes sure that the slot has the new content, from its second name if need be. Without it nothing can be done.
func (rv *recovery) ready(a *act, slot sight) (state, error) {
	if slot.what == isNew {
		a.staged = slot.is
		return todo, nil
	}
	for _, name := range []string{history.NewLink(slot.name), history.Aside(slot.name)} {
		spare, err := see(slot.dir, name, a)
		if err != nil {
			return blocked, err
		}
		if spare.what != isNew {
			continue
		}
		if slot.what != nothing {
			// Only ever another name of the old file, which has a second name of its own.
			if err := slot.dir.Remove(slot.name); err != nil {
				return blocked, err
			}
		}
		a.staged = spare.is
		if name == history.Aside(slot.name) {
			return todo, slot.dir.Rename(spare.name, slot.dir, slot.name, vfs.Replace)
		}
		return todo, slot.dir.Link(spare.name, slot.dir, slot.name)
	}
	return blocked, nil
}

// unhand removes the name that an interrupted exchange has left aside of what is still, or again, at the target.
func (rv *recovery) unhand(a *act, target, slot sight) error {
	aside, err := see(slot.dir, history.Aside(slot.name), a)
	if err != nil || aside.what != isOld || target.what != isOld {
		return err
	}
	return slot.dir.Remove(aside.name)
}

func (rv *recovery) standSwap(a *act, target, slot sight) (state, error) {
	ours := target.what == isNew || target.what == wasNew
	displaced := slot.what == isOld || slot.what == wasOld
	switch {
	case displaced && slot.same(target):
		return rv.ready(a, slot) // both names have the old file: the exchange was torn apart
	case displaced:
		a.sure, a.done, a.here = true, target.what == isNew && slot.what == isOld, ours
		a.staged, a.old = target.is, slot.is
		rv.later(a, slot)
		return did, nil
	case target.what == isNew && slot.what == isNew && !slot.same(target):
		return did, nil // somebody has made the same change by hand
	case slot.same(target) && ours, slot.what == nothing && target.what != isOld:
		return rv.rescued(a, target, slot)
	case slot.what == foreign && ours:
		// Somebody saved in the last instant, their file came out, and then the process died.
		err := exchange(target.dir, target.name, slot.dir, slot.name)
		a.staged = target.is
		return blocked, err
	case slot.what == foreign:
		rv.keepSlot(a)
		return did, nil
	}
	at, err := rv.ready(a, slot)
	if at == todo && target.what != isOld {
		at = blocked
	}
	if err == nil {
		err = rv.unhand(a, target, slot)
	}
	return at, err
}

// later says it when somebody has written to a file after it had been displaced.
func (rv *recovery) later(a *act, slot sight) {
	if slot.what == wasOld {
		rv.kept[a.Slot] = true
		rv.conflict("%s: a program that had it open wrote to it after the commit; what it wrote is in what is kept as %s.", a.Path,
			history.Slot(rv.id, a.Slot))
	}
}

// rescued is for a step whose slot should have the old file and has not: it may have it under a second name.
func (rv *recovery) rescued(a *act, target, slot sight) (state, error) {
	old, err := rv.rescue(a, slot)
	if err != nil {
		return blocked, err
	}
	a.sure, a.done = true, old.what == isOld && (target.what == isNew || target.what == nothing)
	a.here = target.what == isNew || target.what == wasNew
	a.staged, a.old = target.is, old.is
	return did, nil
}

// rescue puts the old file into the slot from its second name.
func (rv *recovery) rescue(a *act, slot sight) (sight, error) {
	for _, name := range []string{history.Aside(slot.name), history.OldLink(slot.name)} {
		spare, err := see(slot.dir, name, a)
		if err != nil {
			return spare, err
		}
		if spare.what == isOld || spare.what == wasOld {
			return spare, slot.dir.Rename(name, slot.dir, slot.name, vfs.Replace)
		}
	}
	return sight{}, nil
}

// standTake: until the file is in the slot, the slot has what was reserved there, which is known as the new one, or
// nothing after it was given back.
func (rv *recovery) standTake(a *act, target, slot sight) (state, error) {
	displaced := slot.what == isOld || slot.what == wasOld
	switch {
	case displaced && slot.same(target) && slot.what == wasOld:
		return blocked, slot.dir.Remove(slot.name) // both names, and somebody has written to it: theirs
	case displaced && slot.same(target):
		a.sure, a.done, a.old = true, true, slot.is
		return did, target.dir.Remove(target.name) // both names: a rename would do nothing
	case displaced:
		a.sure, a.done, a.old = true, target.what == nothing && slot.what == isOld, slot.is
		rv.later(a, slot)
		return did, nil
	case slot.what == foreign:
		return blocked, rv.giveBack(a, target, slot)
	case target.what == isOld:
		return todo, nil
	case target.what == nothing:
		at, err := rv.rescued(a, target, slot)
		if at == did && err == nil && a.old == (vfs.Info{}) {
			a.sure, at = false, gone // somebody else has deleted it
		}
		return at, err
	}
	return blocked, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (rv *recovery) standMove(a *act, from sight) (state, error) {
	to, err := rv.target(a.To, a)
	if err != nil {
		return blocked, err
	}
	arrived := to.what == isOld || to.what == wasOld
	switch {
	case arrived && from.same(to):
		a.sure, a.done = true, true
		return did, from.dir.Remove(from.name) // both names: a rename would do nothing
	case arrived:
		a.sure, a.done, a.old = true, from.what == nothing && to.what == isOld, to.is
		return did, nil
	case from.what == isOld && to.what != nothing && from.is.ID.Ino != a.Old.Ino:
		return gone, nil // a copy of it, made since
	case from.what == isOld:
		return rv.todoIf(to, a.To), nil
	case from.what == wasOld:
		return blocked, nil
	case from.what == nothing && to.what == nothing:
		return rv.relink(a, from)
	}
	return gone, nil
}

// relink gives a file that has lost both names on the way its old one back, to be moved once more.
func (rv *recovery) relink(a *act, from sight) (state, error) {
	slots := rv.s.hist.Slots()
	spare, err := see(slots, history.OldLink(history.Slot(rv.id, a.Slot)), a)
	if err != nil || spare.what == nothing || from.dir == nil {
		return gone, err
	}
	a.old = spare.is
	return todo, slots.Link(spare.name, from.dir, from.name)
}
