// Package disk says what benchmarks run on, and prepares it.
package disk

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Flush waits until everything that is written is on the disk.
func Flush(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
}

// Spread asks the file system to put the directories created in dir far from each other. ext4 then finds free inodes for each
// at once. Without a journal it does not reuse inodes that were freed in the last minutes, and inspects each of them when it
// creates a file: creating files near removed trees would be slow.
func Spread(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	const top = 0x20000 // FS_TOPDIR_FL
	flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags|top)
	}
	if errors.Is(err, unix.ENOTTY) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EINVAL) {
		return nil // the file system has no such attribute
	}
	return err
}

// FileSystem names the file system of dir, and says whether it has a journal if that is known.
func FileSystem(dir string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "an unknown file system"
	}
	switch uint32(st.Type) {
	case unix.EXT4_SUPER_MAGIC:
		return "ext4" + journal(dir)
	case unix.XFS_SUPER_MAGIC:
		return "xfs"
	case unix.BTRFS_SUPER_MAGIC:
		return "btrfs"
	case unix.TMPFS_MAGIC:
		return "tmpfs"
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlayfs"
	}
	return fmt.Sprintf("a file system of type %#x", uint32(st.Type))
}

// journal asks the kernel: a process of its own writes the journal of a disk.
func journal(dir string) string {
	var st unix.Stat_t
	if unix.Stat(dir, &st) != nil {
		return ""
	}
	disk, err := os.Readlink(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev)))
	if err != nil {
		return ""
	}
	name := disk[strings.LastIndexByte(disk, '/')+1:]
	found, err := os.ReadDir("/proc/fs/jbd2")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return ""
	}
	for _, d := range found {
		if strings.HasPrefix(d.Name(), name+"-") {
			return " with a journal"
		}
	}
	return " without a journal"
}

// Kernel returns the name and version of the kernel.
func Kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return "Linux " + unix.ByteSliceToString(u.Release[:])
}
