package cli

import (
	"time"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process the parent of processes below it whose own parent ends.
func adoptOrphans() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } //nolint:errcheck // then hasOrphans finds none

// hasOrphans reports whether a process is left of those that the command started. It waits a moment for those that are about to end.
func hasOrphans() bool {
	for try := 0; ; try++ {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case err == unix.EINTR || err == nil && pid > 0:
			continue
		case err != nil:
			return false
		case try >= 10:
			return true
		}
		time.Sleep(2 * time.Millisecond)
	}
}
