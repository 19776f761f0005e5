//go:build unix

package commit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Supported reports whether a commit is possible on this system at all.
const Supported = true

// ownerTrusted reports whether this process may use a store, or a repository to make a store in, that belongs to owner.
// A stranger's log must not decide what happens to one's files, so owner must be the user. The superuser works on the
// trees of others, so for the superuser the owner of the tree will do as well.
func ownerTrusted(owner, root uint32) bool {
	me := uint32(os.Geteuid())
	return owner == me || me == 0 && owner == root
}

func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

func mayWrite(dir string) error {
	// faccessat without flags asks the kernel, which knows more than modes; with flags the library works it out from the modes.
	if err := unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, 0); err != nil {
		return &fs.PathError{Op: "write", Path: dir, Err: err}
	}
	return nil
}

func ownerOf(fi fs.FileInfo) (uid, gid uint32) {
	st := fi.Sys().(*syscall.Stat_t)
	return st.Uid, st.Gid
}

// giveToOwner gives everything in a new store to the owner of the tree. If the superuser runs emend once, the owner
// must not be shut out for good.
func giveToOwner(store, top string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	fi, err := os.Stat(top)
	if err != nil {
		return err
	}
	uid, gid := ownerOf(fi)
	if uid == 0 {
		return nil
	}
	return filepath.WalkDir(store, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(uid), int(gid))
	})
}
