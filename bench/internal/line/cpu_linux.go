package line

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Spent returns the CPU time of a process, of all its threads, to a hundredth of a second.
func Spent(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(text), ") ") // the name may contain spaces
	f := strings.Fields(after)
	if len(f) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(f))
	}
	user, err := strconv.Atoi(f[11])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond, err
}

// Resident returns the peak resident memory of a process, in bytes.
func Resident(pid int) int64 { return memory(pid, "VmHWM:") }

// ResidentNow returns the resident memory of a process, in bytes.
func ResidentNow(pid int) int64 { return memory(pid, "VmRSS:") }

// OwnNow returns what of that is the process's own: it is no page of a file, which the kernel shares among processes.
func OwnNow(pid int) int64 { return memory(pid, "RssAnon:") }

func memory(pid int, field string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), field)
	n, _ := strconv.ParseInt(strings.Fields(after + " 0")[0], 10, 64)
	return n << 10
}
