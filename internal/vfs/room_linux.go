package vfs

import (
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// roomy is for how many open files room was made.
var roomy atomic.Int64

// ExpectOpenFiles makes room for n open files at once. The kernel doubles the table of a process's descriptors when it is full, and
// each time waits some milliseconds, with whoever opens a file, until no thread can be looking at the old one. It is
// quicker to wait once, and while something else is done: Room returns at once. It promises nothing.
func ExpectOpenFiles(n int) {
	for had := roomy.Load(); int64(n) > had; had = roomy.Load() {
		if roomy.CompareAndSwap(had, int64(n)) {
			go widen(n)
			return
		}
	}
}

func widen(n int) {
	fd, err := again2(func() (int, error) { return unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0) })
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if far, err := again2(func() (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, n) }); err == nil {
		unix.Close(far)
	}
}
