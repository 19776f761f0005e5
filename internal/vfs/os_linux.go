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

// resolve has the kernel refuse links and mount points for a single name.
const resolve = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV

// haveOpenat2 asks once whether the kernel has openat2 and the sandbox, if there is one, lets it through.
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
	how := unix.OpenHow{Flags: openDir, Resolve: resolve}
	return again2(func() (int, error) { return unix.Openat2(dir, name, &how) })
}

func renameHow(from int, name string, to int, as string, how RenameMode) error {
	flag := uint(unix.RENAME_NOREPLACE)
	if how == Exchange {
		flag = unix.RENAME_EXCHANGE
	}
	err := unix.Renameat2(from, name, to, as, flag)
	if err == unix.EINVAL {
		// A file system without the flag says EINVAL. So does the kernel for a directory that would move into
		// itself: that one is told as unsupported, too.
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return err
}

func unlink(dir int, name string) error { return unix.Unlinkat(dir, name, 0) }

func syncAll(fd int) error  { return unix.Fsync(fd) }
func syncData(fd int) error { return unix.Fdatasync(fd) }

// hint starts the writing of the whole file. What comes of it is for fsync to say.
func hint(fd int) { unix.SyncFileRange(fd, 0, 0, unix.SYNC_FILE_RANGE_WRITE) }

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

// lease asks for a read lease: to hear of whoever opens the file for writing. EAGAIN says that somebody has. The
// kernel sends SIGIO when it happens, which the runtime drops unless the program asked to be notified of it.
func lease(fd int) error {
	_, err := again2(func() (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK) })
	return err
}

// unlease tells first what the lease has become: while somebody waits for it, or got tired of waiting, it is no longer
// the one that was asked for.
func unlease(fd int) (asked bool) {
	is, err := again2(func() (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_GETLEASE, 0) })
	asked = err == nil && is != unix.F_RDLCK
	again2(func() (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_UNLCK) })
	return asked
}

func isErrno(err error, is syscall.Errno) bool { return errors.Is(err, is) }
