//go:build unix

package commit

import "syscall"

// openFileLimit returns how many files this process may have open.
func openFileLimit() int {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) != nil {
		return 256
	}
	return int(min(uint64(r.Cur), 1<<20))
}
