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

// Supported reports whether a commit can be made on this system at all.
const Supported = true

// ownerTrusted reports whether a store, or a repository to make one in, counts for whoever runs this. A stranger's log must
// not decide what happens to one's own files, so it has to be one's own; the superuser works on the trees of others,
// and there the owner of the tree is as good.
func ownerTrusted(owner, root uint32) bool {
	me := uint32(os.Geteuid())
	return owner == me || me == 0 && owner == root
}

func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

func mayWrite(dir string) error {
	// Asked of the kernel, which knows of more than modes: with flags the library would work it out from those.
	if err := unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, 0); err != nil {
		return &fs.PathError{Op: "write", Path: dir, Err: err}
	}
	return nil
}

func ownerOf(fi fs.FileInfo) (uid, gid uint32) {
	st := fi.Sys().(*syscall.Stat_t)
	return st.Uid, st.Gid
}

// giveToOwner makes everything in a new store belong to the owner of the tree: run once by the superuser, emend must not
// shut out the owner for good.
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
