//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// readerGone reports whether f is a pipe or socket whose other end is closed.
func readerGone(f *os.File) bool {
	c, err := f.SyscallConn()
	if err != nil {
		return false
	}
	out := false
	err = c.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(fds, 0)
		out = err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
	})
	return out && err == nil
}
