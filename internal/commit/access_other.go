//go:build !unix && !windows

package commit

import (
	"errors"
	"os"
	"syscall"
)

// Supported reports whether a commit is possible on this system at all. Here it is not: nothing renames files by handle.
const Supported = false

// ownerTrusted reports whether this process may use a store, or a repository to make a store in, that belongs to owner.
// A stranger's log must not decide what happens to one's files, so owner must be the user. The superuser works on the
// trees of others, so for the superuser the owner of the tree will do as well.
func ownerTrusted(_, _ uint32) bool { return true }
func isReadOnly(err error) bool     { return errors.Is(err, syscall.EROFS) }

// giveToOwner gives everything in a new store to the owner of the tree. If the superuser runs emend once, the owner
// must not be shut out for good.
func giveToOwner(store, top string) error { return nil }

func mayWrite(dir string) error {
	_, err := os.Stat(dir)
	return err
}
