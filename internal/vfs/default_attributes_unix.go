//go:build linux || darwin

package vfs

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// umask is what the process takes away from the permissions of a new file. It can only be read by changing it, so it is
// read once, here, before anybody can be making files.
var umask = readUmask()

func readUmask() uint32 {
	mask := unix.Umask(0o077)
	unix.Umask(mask)
	return uint32(mask)
}

func (f *osFile) DefaultAttributes(dir Dir, perm fs.FileMode) error {
	d, ok := dir.(*osDir)
	if !ok {
		return pathError("inherit", f.name, ErrOtherMaker)
	}
	return pathError("inherit", f.name, useBoth(&d.handle, &f.handle, func(dir, fd int) error {
		if err := setDefaultGroup(dir, fd); err != nil {
			return err
		}
		return setDefaultMode(dir, fd, uint32(perm.Perm()))
	}))
}

// setDefaultGroup gives the file the group that the system gives to new files in the directory. The file was made
// elsewhere, where another rule may hold. It does not notice a file system that is mounted to follow the other rule
// (grpid).
func setDefaultGroup(dir, fd int) error {
	in, is, err := statBoth(dir, fd)
	if err != nil {
		return err
	}
	group := uint32(os.Getegid())
	if in.Mode&unix.S_ISGID != 0 || runtime.GOOS == "darwin" {
		group = in.Gid
	}
	if group == is.Gid {
		return nil
	}
	if err := retry(func() error { return unix.Fchown(fd, -1, int(group)) }); err != nil {
		return fmt.Errorf("the group %d cannot be given: %w", group, err)
	}
	return nil
}
