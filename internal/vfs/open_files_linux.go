package vfs

import (
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/panics"
)

// expected is the number of open files for which room was made.
var expected atomic.Int64

// ExpectOpenFiles makes room for n open files. The kernel doubles a process's descriptor table when it is full, and
// each time whoever opens a file waits some milliseconds, until no thread can be looking at the old table. It is
// quicker to wait once, while something else is done: ExpectOpenFiles returns at once. It promises nothing.
func ExpectOpenFiles(n int) {
	for had := expected.Load(); int64(n) > had; had = expected.Load() {
		if expected.CompareAndSwap(had, int64(n)) {
			panics.Go(func() { growTable(n) }, func(*panics.Value) {})
			return
		}
	}
}

func growTable(n int) {
	fd, err := retryCount(func() (int, error) { return unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0) })
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if far, err := retryCount(func() (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, n) }); err == nil {
		unix.Close(far)
	}
}
