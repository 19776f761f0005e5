package vfs

import (
	"errors"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func openBelow(dir int, name string) (int, error) { return openBelowPortable(dir, name) }

func renameFlags(from int, name string, to int, as string, how RenameMode) error {
	flag := uint32(unix.RENAME_EXCL)
	if how == Exchange {
		flag = unix.RENAME_SWAP
	}
	return unix.RenameatxNp(from, name, to, as, flag) // ENOTSUP where the file system has no such thing
}

// unlink returns EISDIR for a directory, as Linux does; the call itself returns EPERM.
func unlink(dir int, name string) error {
	err := unix.Unlinkat(dir, name, 0)
	if err != unix.EPERM {
		return err
	}
	if st, serr := statAt(dir, name); serr == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return unix.EISDIR
	}
	return err
}

// syncAll has the drive write its cache out; fsync alone leaves bytes in it. Where that is impossible, on network
// shares for example, fsync is the best there is.
func syncAll(fd int) error {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_FULLFSYNC, 0)
	if errors.Is(err, ErrUnsupported) || err == unix.EINVAL || err == unix.ENOTTY {
		return unix.Fsync(fd)
	}
	return err
}

func syncData(fd int) error { return syncAll(fd) }

func syncFilesystem(int) error { return ErrUnsupported }

func startWriteback(int) {}

// touch has a resolution of microseconds, and writes back the access time as it was.
func touch(fd int, t time.Time) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	return unix.Futimes(fd, []unix.Timeval{
		unix.NsecToTimeval(st.Atim.Nano()),
		unix.NsecToTimeval(t.UnixNano()),
	})
}

func lease(int) error  { return ErrUnsupported }
func unlease(int) bool { return false }

func isErrno(err error, is syscall.Errno) bool { return errors.Is(err, is) }

// copyAttributes copies owner, permissions and, where possible, extended attributes. On this system an access list is
// not an attribute, and is not copied.
func copyAttributes(from, to int) (lost []string, err error) {
	was, is, err := copyOwner(from, to)
	if err != nil {
		return nil, err
	}
	for _, name := range listXattrs(from) {
		if !copyXattr(from, to, name) {
			lost = append(lost, "attribute "+name)
		}
	}
	more, err := copyMode(to, was, is)
	return append(lost, more...), err
}

func removeACL(int) error { return nil }

// hasOnlyXattrsOf cannot see an access list, and answers no.
func hasOnlyXattrsOf(int, int) (bool, error) { return false, nil }

func listXattrs(fd int) []string {
	size, err := unix.Flistxattr(fd, nil)
	if err != nil || size <= 0 {
		return nil
	}
	buf := make([]byte, size)
	if size, err = unix.Flistxattr(fd, buf); err != nil {
		return nil
	}
	return strings.FieldsFunc(string(buf[:size]), func(r rune) bool { return r == 0 })
}

func copyXattr(from, to int, name string) bool {
	size, err := unix.Fgetxattr(from, name, nil)
	if err != nil {
		return err == unix.ENOATTR
	}
	buf := make([]byte, size)
	if size, err = unix.Fgetxattr(from, name, buf); err != nil {
		return false
	}
	return unix.Fsetxattr(to, name, buf[:size], 0) == nil
}

// setDefaultMode knows no access lists, like copyAttributes.
func setDefaultMode(_, fd int, perm uint32) error { return unix.Fchmod(fd, perm&^umask) }
