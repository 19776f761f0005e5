//go:build amd64 || arm64

package overlay

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// copier copies trees with owners, modes, times, attributes, holes and hard links.
type copier struct {
	links map[uint64]string // where a file with several names was copied to, by its inode
}

// tree copies what has a name in one directory to a new name in another.
func (c *copier) tree(from int, name string, to int, as string) error {
	var st unix.Stat_t
	if err := unix.Fstatat(from, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return c.dir(from, name, to, as, &st)
	}
	if st.Nlink > 1 {
		if first, ok := c.links[st.Ino]; ok {
			return unix.Linkat(unix.AT_FDCWD, first, to, as, 0)
		}
	}
	var err error
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		err = copyFile(from, name, to, as)
	case unix.S_IFLNK:
		var target string
		if target, err = readlinkAt(from, name); err == nil {
			err = unix.Symlinkat(target, to, as)
		}
	default:
		err = unix.Mknodat(to, as, st.Mode, int(st.Rdev))
	}
	if err != nil {
		return err
	}
	if st.Nlink > 1 {
		if at, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", to)); err == nil {
			c.links[st.Ino] = at + "/" + as
		}
	}
	return giveAll(from, name, to, as, &st)
}

func (c *copier) dir(from int, name string, to int, as string, st *unix.Stat_t) error {
	src, err := openDirAt(from, name)
	if err != nil {
		return err
	}
	defer unix.Close(src)
	if err := unix.Mkdirat(to, as, 0o700); err != nil {
		return err
	}
	dst, err := openDirAt(to, as)
	if err != nil {
		return err
	}
	defer unix.Close(dst)
	names, err := namesIn(from, name)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := c.tree(src, n, dst, n); err != nil {
			return err
		}
	}
	return giveAll(from, name, to, as, st)
}

// giveAll gives a copy the owner, mode, attributes and times of the original.
func giveAll(from int, name string, to int, as string, st *unix.Stat_t) error {
	var is unix.Stat_t
	if err := unix.Fstatat(to, as, &is, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	if is.Uid != st.Uid || is.Gid != st.Gid {
		if err := unix.Fchownat(to, as, int(st.Uid), int(st.Gid), unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
	}
	copyXattrs(fmt.Sprintf("/proc/self/fd/%d/%s", from, name), fmt.Sprintf("/proc/self/fd/%d/%s", to, as))
	if st.Mode&unix.S_IFMT != unix.S_IFLNK {
		if err := unix.Fchmodat(to, as, st.Mode&0o7777, 0); err != nil {
			return err
		}
	}
	return unix.UtimesNanoAt(to, as, []unix.Timespec{st.Atim, st.Mtim}, unix.AT_SYMLINK_NOFOLLOW)
}

// copyFile copies the data of a file and leaves holes as holes.
func copyFile(from int, name string, to int, as string) error {
	fd, err := unix.Openat(from, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	src := os.NewFile(uintptr(fd), name)
	defer src.Close()
	if fd, err = unix.Openat(to, as, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600); err != nil {
		return err
	}
	dst := os.NewFile(uintptr(fd), as)
	defer dst.Close()
	is, err := src.Stat()
	if err != nil {
		return err
	}
	for at := int64(0); at < is.Size(); {
		data, err := unix.Seek(int(src.Fd()), at, unix.SEEK_DATA)
		if err == unix.ENXIO {
			break // the rest is a hole
		}
		end := is.Size()
		if err == nil {
			end, err = unix.Seek(int(src.Fd()), data, unix.SEEK_HOLE)
		}
		if err != nil {
			data, end = at, is.Size()
		}
		if _, err := src.Seek(data, io.SeekStart); err != nil {
			return err
		}
		if _, err := dst.Seek(data, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.CopyN(dst, src, end-data); err != nil {
			return err
		}
		at = end
	}
	if err := dst.Truncate(is.Size()); err != nil {
		return err
	}
	return dst.Close()
}

// copyXattrs copies the extended attributes that can be read and given, access lists among them.
func copyXattrs(from, to string) {
	for name, value := range xattrs(from, "") {
		unix.Lsetxattr(to, name, value, 0)
	}
}

// xattrs returns the extended attributes of a path, without those that begin with skip, unless that is "".
func xattrs(path, skip string) map[string][]byte {
	size, err := unix.Llistxattr(path, nil)
	if err != nil || size == 0 {
		return nil
	}
	list := make([]byte, size+4096)
	if size, err = unix.Llistxattr(path, list); err != nil {
		return nil
	}
	out := map[string][]byte{}
	for raw := range bytes.SplitSeq(bytes.TrimSuffix(list[:size], []byte{0}), []byte{0}) {
		name := string(raw)
		if skip != "" && strings.HasPrefix(name, skip) {
			continue
		}
		value := make([]byte, 64<<10)
		if n, err := unix.Lgetxattr(path, name, value); err == nil {
			out[name] = value[:n]
		}
	}
	return out
}

// removeAt removes a name and all below it.
func removeAt(dir int, name string) error {
	err := unix.Unlinkat(dir, name, 0)
	if err == nil || err == unix.ENOENT {
		return nil
	}
	if err != unix.EISDIR && err != unix.EPERM {
		return err
	}
	names, err := namesIn(dir, name)
	if err != nil {
		return err
	}
	fd, err := openDirAt(dir, name)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for _, n := range names {
		if err := removeAt(fd, n); err != nil {
			return err
		}
	}
	return unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
}

// openDirAt opens a directory to work below it, and follows no link.
func openDirAt(dir int, name string) (int, error) {
	return unix.Openat(dir, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
}

// namesIn lists a directory, sorted.
func namesIn(dir int, name string) ([]string, error) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	return f.Readdirnames(-1)
}

func readlinkAt(dir int, name string) (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(dir, name, buf)
	return string(buf[:max(n, 0)]), err
}
