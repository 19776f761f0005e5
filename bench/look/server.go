package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// server is an emend serve that looks at a tree for hooks.
type server struct {
	cmd *exec.Cmd
	in  io.Closer
}

func (b *bench) serve(ctx context.Context, root string) (*server, error) {
	s := &server{cmd: exec.CommandContext(ctx, b.emend, "serve", root)}
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	s.in = in
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for range 10_000 {
		if _, err := os.Lstat(filepath.Join(root, ".git", "emend", "looks", "socket")); err == nil {
			return s, nil
		}
		time.Sleep(time.Millisecond)
	}
	return nil, errors.Join(errors.New("the server does not look for hooks"), s.end())
}

// end has the server end as its client does.
func (s *server) end() error {
	s.in.Close()
	return s.cmd.Wait()
}

// used returns the processor time of the server so far.
func (s *server) used() (sum time.Duration, err error) {
	if s == nil {
		return 0, nil
	}
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for _, name := range threads {
		text, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		var ran int64
		if _, err := fmt.Fscan(strings.NewReader(string(text)), &ran); err != nil {
			return 0, err
		}
		sum += time.Duration(ran)
	}
	return sum, nil
}
