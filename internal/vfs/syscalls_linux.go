package vfs

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// resolveFlags make the kernel refuse links and mount points for a single name.
const resolveFlags = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV

// haveOpenat2 finds out once whether the kernel has openat2, and a sandbox, if there is one, allows it.
var haveOpenat2 = sync.OnceValue(func() bool {
	fd, err := openat2(unix.AT_FDCWD, ".")
	if err == nil {
		unix.Close(fd)
	}
	return err != unix.ENOSYS && err != unix.EPERM
})

func openBelow(dir int, name string) (int, error) {
	if !haveOpenat2() {
		return openBelowPortable(dir, name)
	}
	return openat2(dir, name)
}

func openat2(dir int, name string) (int, error) {
	how := unix.OpenHow{Flags: dirFlags, Resolve: resolveFlags}
	return retryCount(func() (int, error) { return unix.Openat2(dir, name, &how) })
}

func renameFlags(from int, name string, to int, as string, how RenameMode) error {
	flag := uint(unix.RENAME_NOREPLACE)
	if how == Exchange {
		flag = unix.RENAME_EXCHANGE
	}
	err := unix.Renameat2(from, name, to, as, flag)
	if err == unix.EINVAL {
		// A file system without the flag says EINVAL. So does the kernel for a directory that would move into
		// itself: that one is reported as unsupported, too.
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return err
}

func unlink(dir int, name string) error { return unix.Unlinkat(dir, name, 0) }

func syncAll(fd int) error { return unix.Fsync(fd) }

func syncFilesystem(fd int) error { return unix.Syncfs(fd) }
func syncData(fd int) error       { return unix.Fdatasync(fd) }

// startWriteback starts to write the whole file out. fsync reports any error.
func startWriteback(fd int) { unix.SyncFileRange(fd, 0, 0, unix.SYNC_FILE_RANGE_WRITE) }

func touch(fd int, t time.Time) error {
	ts := [2]unix.Timespec{{Nsec: unix.UTIME_OMIT}, {}}
	var err error
	if ts[1], err = unix.TimeToTimespec(t); err != nil {
		return err
	}
	// futimens, which has no wrapper in the package: utimensat without a name.
	_, _, errno := unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// lease takes a read lease, to hear of whoever opens the file for writing. EAGAIN means that somebody has it open. The
// kernel sends SIGIO when somebody opens it, which the runtime drops unless the program asked to be notified.
func lease(fd int) error {
	_, err := retryCount(func() (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK) })
	if err == unix.EAGAIN && isNFS(fd) {
		return unix.EOPNOTSUPP // it gives leases only of what the server has delegated, and says nothing about who has the file open
	}
	return err
}

func isNFS(fd int) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(fd, &st) == nil && st.Type == unix.NFS_SUPER_MAGIC
}

// unlease first reads what the lease has become: while somebody waits for it, or got tired of waiting, it is no longer
// the lease that was taken.
func unlease(fd int) (asked bool) {
	is, err := retryCount(func() (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_GETLEASE, 0) })
	asked = err == nil && is != unix.F_RDLCK && !isNFS(fd) // NFS gives a lease back when the file gets another name
	retryCount(func() (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_UNLCK) })
	return asked
}

func isErrno(err error, is syscall.Errno) bool { return errors.Is(err, is) }
