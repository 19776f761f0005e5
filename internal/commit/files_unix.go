//go:build unix

package commit

import "syscall"

// openFiles is how many files this process may have open.
func openFiles() int {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) != nil {
		return 256
	}
	return int(min(uint64(r.Cur), 1<<20))
}
