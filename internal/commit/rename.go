package commit

import (
	"errors"
	"syscall"

	"github.com/emend-dev/emend/internal/vfs"
)

// rename is Dir.Rename, with another way to the same end where the file system cannot do it in one step.
func rename(from vfs.Dir, name string, to vfs.Dir, as string, how vfs.How) error {
	err := from.Rename(name, to, as, how)
	if how != vfs.NoReplace || !errors.Is(err, vfs.ErrUnsupported) {
		return err
	}
	// A link fails when the name is taken, as it should. For a moment the file has both names; recovery knows that.
	if err := from.Link(name, to, as); err != nil {
		return err
	}
	return from.Remove(name)
}

// aside is what the name of a slot is given for the old file on the way into it.
const aside = ".aside"

// exchange swaps the target and its slot. Where the file system cannot, the target is replaced, with a second name
// kept of what it was: everything holds but that a save in the instant between looking and replacing goes unseen.
// [Store.Weak] says so beforehand.
func exchange(dir vfs.Dir, name string, slots vfs.Dir, slot string) error {
	err := dir.Rename(name, slots, slot, vfs.Exchange)
	if !errors.Is(err, vfs.ErrUnsupported) {
		return err
	}
	if err := dir.Link(name, slots, slot+aside); err != nil {
		return err
	}
	if err := slots.Rename(slot, dir, name, vfs.Replace); err != nil {
		return errors.Join(err, slots.Remove(slot+aside))
	}
	return slots.Rename(slot+aside, slots, slot, vfs.Replace)
}

func notEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}
