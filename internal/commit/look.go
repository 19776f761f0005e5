package commit

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/fail"
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
	if is.Mode.IsRegular() && is.Size <= max(size(a.Old), size(a.New)) {
		if sum, err = digest(dir, name, is); err != nil && !errors.Is(err, fs.ErrPermission) {
			return s, err
		}
	}
	s.what = classify(is, sum, a)
	return s, nil
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
	ino = is.ID.Ino == i.Ino
	if i.Link || i.Sum == "" {
		return ino && isLink(is.Mode) == i.Link, ino && isLink(is.Mode) == i.Link
	}
	return ino && is.Mode.IsRegular(), sum == i.Sum
}

// look finds out where every step stands. What a crash has torn apart in the store it mends on the way: a name that
// must be there is made from the second names, one that must not is removed.
func (rv *recovery) look() error {
	rv.at = make([]state, len(rv.acts))
	for i, a := range rv.acts {
		at, err := rv.stand(a)
		if err != nil {
			return broken(a.Path, err)
		}
		rv.at[i] = at
	}
	return nil
}

func (rv *recovery) stand(a *act) (state, error) {
	target, err := rv.target(a.Path, a)
	if err != nil {
		return blocked, err
	}
	if target.what == unknowable {
		return blocked, nil
	}
	a.old, a.racy = target.is, true
	if a.Do == doMkdir {
		if target.is.Mode.IsDir() {
			return did, nil
		}
		return todoUnless(target.what != nothing), nil
	}
	if a.Do == doMove {
		return rv.standMove(a, target)
	}
	slot, err := see(rv.s.hist.Slots(), history.Slot(rv.id, a.Slot), a)
	if err != nil {
		return blocked, err
	}
	switch a.Do {
	case doPut:
		return rv.standPut(a, target, slot)
	case doSwap:
		return rv.standSwap(a, target, slot)
	}
	return rv.standTake(a, target, slot)
}

func todoUnless(taken bool) state {
	if taken {
		return blocked
	}
	return todo
}

// target looks at a path of the tree. Below a directory that is missing there is nothing.
func (rv *recovery) target(path string, a *act) (sight, error) {
	dir, name, err := rv.dirs.parent(path)
	switch {
	case errors.Is(err, fail.NotFound), errors.Is(err, fs.ErrNotExist):
		return sight{name: name}, nil
	case errors.Is(err, fail.Stale), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP):
		return sight{what: unknowable}, nil
	case err != nil:
		return sight{}, err
	}
	return see(dir, name, a)
}

func (rv *recovery) standPut(a *act, target, slot sight) (state, error) {
	switch target.what {
	case isNew, wasNew:
		a.staged, a.done = target.is, target.what == isNew
		if slot.same(target) {
			return did, slot.dir.Remove(slot.name)
		}
		return did, nil
	case nothing:
		return rv.ready(a, slot)
	}
	if slot.what == nothing {
		return did, nil // and somebody has saved over it since
	}
	return blocked, nil
}

// ready makes sure that the slot has the new content.
func (rv *recovery) ready(a *act, slot sight) (state, error) {
	if slot.what == isNew {
		a.staged = slot.is
		return todo, nil
	}
	spare, err := see(slot.dir, history.NewLink(slot.name), a)
	if err == nil && spare.what != isNew {
		spare, err = see(slot.dir, history.Aside(slot.name), a)
	}
	if err != nil || spare.what != isNew {
		return lost, err
	}
	if slot.what != nothing {
		// Only ever another name of the old file, which has a second name of its own.
		if err := slot.dir.Remove(slot.name); err != nil {
			return lost, err
		}
	}
	a.staged = spare.is
	return todo, slot.dir.Link(spare.name, slot.dir, slot.name)
}

func (rv *recovery) standSwap(a *act, target, slot sight) (state, error) {
	applied := target.what == isNew || target.what == wasNew
	displaced := slot.what == isOld || slot.what == wasOld
	switch {
	case displaced && slot.same(target):
		return rv.ready(a, slot) // both names have the old file: the exchange was torn apart
	case displaced:
		a.staged, a.done = target.is, target.what == isNew && slot.what == isOld
		a.old = slot.is
		return did, nil
	case applied:
		a.staged = target.is
		old, err := rv.rescue(a, slot)
		a.old, a.done = old.is, old.what == isOld && target.what == isNew
		return did, err
	}
	at, err := rv.ready(a, slot)
	if at == todo && target.what != isOld {
		at = blocked
	}
	return at, err
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

func (rv *recovery) standTake(a *act, target, slot sight) (state, error) {
	displaced := slot.what == isOld || slot.what == wasOld
	switch {
	case displaced && slot.same(target):
		a.done = true
		a.old = slot.is
		return did, target.dir.Remove(target.name) // both names: a rename would do nothing
	case displaced:
		a.old, a.done = slot.is, target.what == nothing
		return did, nil
	case target.what == isOld:
		return todo, nil
	case target.what == nothing:
		old, err := rv.rescue(a, slot)
		a.old, a.done = old.is, old.what == isOld
		return did, err
	}
	return blocked, nil
}

func (rv *recovery) standMove(a *act, from sight) (state, error) {
	to, err := rv.target(a.To, a)
	if err != nil {
		return blocked, err
	}
	arrived := to.what == isOld || to.what == wasOld
	switch {
	case to.what == unknowable:
		return blocked, nil
	case arrived && from.same(to):
		a.done = true
		return did, from.dir.Remove(from.name) // both names: a rename would do nothing
	case arrived:
		a.old, a.done = to.is, from.what == nothing && to.what == isOld
		return did, nil
	case from.what == isOld:
		return todoUnless(to.what != nothing), nil
	case from.what == nothing && to.what == nothing:
		return rv.relink(a, from)
	case from.what == nothing:
		return did, nil // and somebody has saved over it since
	}
	return blocked, nil
}

// relink gives a file that has lost both names on the way its old one back, to be moved once more.
func (rv *recovery) relink(a *act, from sight) (state, error) {
	slots := rv.s.hist.Slots()
	spare, err := see(slots, history.OldLink(history.Slot(rv.id, a.Slot)), a)
	if err != nil || spare.what == nothing || from.dir == nil {
		return did, err // somebody has removed it since
	}
	a.old = spare.is
	return todo, slots.Link(spare.name, from.dir, from.name)
}
