//go:build unix

package launch

import (
	"os"
	"runtime"
	"syscall"
)

// peak returns the peak memory of the process.
func peak(s *os.ProcessState) int64 {
	use, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(use.Maxrss)
	}
	return int64(use.Maxrss) << 10
}
