//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// readerGone reports whether nobody can read any more what is written to f.
func readerGone(f *os.File) bool {
	c, err := f.SyscallConn()
	if err != nil {
		return false
	}
	out := false
	err = c.Control(func(fd uintptr) {
		is := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(is, 0)
		out = err == nil && n > 0 && is[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
	})
	return out && err == nil
}
