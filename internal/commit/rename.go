package commit

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// rename is Dir.Rename, with a link and a removal where the file system cannot rename without replacing.
func rename(from vfs.Dir, name string, to vfs.Dir, as string, how vfs.RenameMode) error {
	err := from.Rename(name, to, as, how)
	if how != vfs.NoReplace || !errors.Is(err, vfs.ErrUnsupported) {
		return err
	}
	// A link fails if the name is taken, as it should. For a moment the file has both names, which recovery expects.
	if err := from.Link(name, to, as); err != nil {
		return err
	}
	return from.Remove(name)
}

// exchange swaps the target and its slot. Where the file system cannot, it replaces the target and keeps a second name
// of the old file: everything holds, but a save in the instant between looking and replacing goes unseen. Where that
// cannot be done to a file that is open, the two change places by renames. [Store.Probe] tells this beforehand.
func exchange(dir vfs.Dir, name string, slots vfs.Dir, slot string) error {
	err := dir.Rename(name, slots, slot, vfs.Exchange)
	if !errors.Is(err, vfs.ErrUnsupported) {
		return err
	}
	aside := history.Aside(slot)
	if !vfs.ReplacesOpen(slots) {
		return exchangeByTurns(dir, name, slots, slot, aside)
	}
	if err := setAside(dir, name, slots, aside); err != nil {
		return err
	}
	if err := slots.Rename(slot, dir, name, vfs.Replace); err != nil {
		return err // leave aside as it is: it may be the only name by now
	}
	return slots.Rename(aside, slots, slot, vfs.Replace)
}

// exchangeByTurns takes the file out, puts the one of the slot in, and lets the first have the slot. It never replaces anything: a save
// in between comes out instead of the file that was looked at, or keeps the new one from coming in. Between the first two renames
// nothing has the name; recovery puts back what was taken out.
func exchangeByTurns(dir vfs.Dir, name string, slots vfs.Dir, slot, aside string) error {
	if err := rename(dir, name, slots, aside, vfs.NoReplace); err != nil {
		return err
	}
	if err := rename(slots, slot, dir, name, vfs.NoReplace); err != nil {
		back := rename(slots, aside, dir, name, vfs.NoReplace)
		if errors.Is(back, fs.ErrExist) { // the rename happened nevertheless, or somebody made a file: the disk has to say which
			return fmt.Errorf("the name was taken while its file was replaced: %v", err)
		}
		return errors.Join(err, back)
	}
	return rename(slots, aside, slots, slot, vfs.NoReplace)
}

// setAside gives the file called name the second name aside. If an interrupted exchange left that name, it is used, or
// removed if its file has another name too; the only name of a file is never removed.
func setAside(dir vfs.Dir, name string, slots vfs.Dir, aside string) error {
	err := dir.Link(name, slots, aside)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	target, terr := dir.Stat(name)
	there, aerr := slots.Stat(aside)
	switch {
	case terr != nil || aerr != nil:
		return errors.Join(err, terr, aerr)
	case target.ID == there.ID:
		return nil
	case there.Links < 2:
		return err
	}
	if err := slots.Remove(aside); err != nil {
		return err
	}
	return dir.Link(name, slots, aside)
}

func notEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}
