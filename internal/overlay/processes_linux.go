//go:build amd64 || arm64

package overlay

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// descendants returns the processes that this one, or one of them, started.
func descendants() (out []Process) {
	var all []Process
	parents := map[int]int{}
	for _, pid := range pids() {
		// The name is in parentheses and may have any character in it.
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
		if err != nil || open < 0 || end < open {
			continue
		}
		f := strings.Fields(string(data[end+1:]))
		if len(f) < 2 || f[0] == "Z" || f[0] == "X" {
			continue
		}
		parents[pid], _ = strconv.Atoi(f[1])
		all = append(all, Process{PID: pid, Name: string(data[open+1 : end])})
	}
	self := os.Getpid()
	for _, p := range all {
		up := p.PID
		for range len(parents) { // a number that was used again could make a circle
			if up = parents[up]; up == self || up == 0 {
				break
			}
		}
		if up == self {
			out = append(out, p)
		}
	}
	return out
}

// findWriters returns the processes that have a file of the file system open for writing, as far as this user may see them.
func findWriters(dev uint64) (out []Process) {
	for _, pid := range pids() {
		if file := writes(pid, dev); file != "" {
			name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
			out = append(out, Process{pid, strings.TrimSpace(string(name)), file})
		}
	}
	return out
}

func writes(pid int, dev uint64) string {
	dir := fmt.Sprintf("/proc/%d", pid)
	fds, _ := os.ReadDir(dir + "/fd")
	for _, fd := range fds {
		var st unix.Stat_t
		if unix.Stat(dir+"/fd/"+fd.Name(), &st) != nil || uint64(st.Dev) != dev || !openForWriting(dir+"/fdinfo/"+fd.Name()) {
			continue
		}
		file, _ := os.Readlink(dir + "/fd/" + fd.Name())
		return file
	}
	maps, _ := os.ReadFile(dir + "/maps")
	want := fmt.Sprintf("%02x:%02x", unix.Major(dev), unix.Minor(dev))
	for line := range strings.Lines(string(maps)) {
		f := strings.Fields(line)
		if len(f) >= 6 && f[3] == want && len(f[1]) == 4 && f[1][1] == 'w' && f[1][3] == 's' {
			return f[5]
		}
	}
	return ""
}

func openForWriting(fdinfo string) bool {
	data, _ := os.ReadFile(fdinfo)
	for line := range strings.Lines(string(data)) {
		if v, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseUint(strings.TrimSpace(v), 8, 64)
			return err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY
		}
	}
	return false
}

func pids() (out []int) {
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, n := range names {
		if pid, err := strconv.Atoi(filepath.Base(n)); err == nil {
			out = append(out, pid)
		}
	}
	return out
}
