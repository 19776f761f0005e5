package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// call is how often a system call was made.
type call struct {
	name  string
	times int
}

// countCalls counts the system calls of one durable commit of the largest patch, the most frequent first.
func countCalls(ctx context.Context, s *summary) ([]call, error) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return nil, err
	}
	w, err := newWork(s.scratch, slices.Max(s.sizes))
	if err != nil {
		return nil, err
	}
	counts := filepath.Join(s.scratch, "calls")
	c := contender{form: "emend", ours: true, path: strace, args: []string{"strace", "-f", "-c", "-S", "calls", "-o", counts,
		s.emend, "apply", "--quiet", "--dialect", "emend"}}
	if _, err := s.once(ctx, w, &c); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(counts)
	if err != nil {
		return nil, err
	}
	return parseCalls(string(data))
}

// parseCalls reads strace's table: % time, seconds, usecs/call, calls, errors if any, name.
func parseCalls(table string) (out []call, err error) {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 5 || f[len(f)-1] == "total" {
			continue
		}
		if n, err := strconv.Atoi(f[3]); err == nil {
			out = append(out, call{f[len(f)-1], n})
		}
	}
	if len(out) == 0 {
		err = fmt.Errorf("strace printed no table: %q", table)
	}
	return out, err
}
