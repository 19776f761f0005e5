package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// server is an emend serve over HTTP, which can be ended and started again.
type server struct {
	world *world
	said  bytes.Buffer // standard error after its first line

	mu    sync.Mutex
	cmd   *exec.Cmd
	url   string
	token string
	read  chan struct{} // closed at the end of the output
}

func (w *world) serve() (*server, error) {
	s := &server{world: w}
	return s, s.start()
}

// start starts the server, and waits until it prints its address.
func (s *server) start() error {
	cmd := s.world.command("serve", s.world.dir, "--http", "127.0.0.1:0", "--log-level", "warn", "--no-ui")
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	r := bufio.NewReader(said)
	var url string
	for !strings.HasPrefix(url, "http://") {
		line, err := r.ReadString('\n')
		if err != nil {
			cmd.Process.Kill()
			return fmt.Errorf("the server ends: %w: %s", errors.Join(err, cmd.Wait()), line)
		}
		s.said.WriteString(line)
		url, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "emend: serving "), ";")
	}
	token, err := os.ReadFile(filepath.Join(s.world.home, "emend", "serve.key"))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cmd, s.url, s.token, s.read = cmd, url, strings.TrimSpace(string(token)), make(chan struct{})
	go func(read chan struct{}) {
		defer close(read)
		io.Copy(&s.said, r)
	}(s.read)
	return err
}

// at returns the address and the token.
func (s *server) at() (url, token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url, s.token
}

func (s *server) pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cmd.Process.Pid
}

// end sends a signal, and returns the exit code. Nothing happens if it has ended before.
func (s *server) end(sig syscall.Signal) int {
	if s.cmd == nil || s.cmd.ProcessState != nil {
		return 0
	}
	s.cmd.Process.Signal(sig)
	<-s.read
	s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}
