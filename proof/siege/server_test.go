//go:build unix

package siege

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// server is a running emend serve.
type server struct {
	cmd        *exec.Cmd
	home       string
	url, token string
	said       bytes.Buffer // standard error after its first line
	read       chan struct{}
}

// serve starts the server and waits until it prints its address.
func serve(t *testing.T, home, dir string) *server {
	t.Helper()
	s := &server{cmd: emend(home, "serve", dir, "--http", "127.0.0.1:0", "--log-level", "warn"), home: home, read: make(chan struct{})}
	said, err := s.cmd.StderrPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.cmd.Process.Kill() })
	r := bufio.NewReader(said)
	first, err := r.ReadString('\n')
	s.url, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(first), "emend: serving "), ";")
	if err != nil || !strings.HasPrefix(s.url, "http://") {
		t.Fatalf("the server says %q, %v", first, err)
	}
	go func() {
		defer close(s.read)
		io.Copy(&s.said, r)
	}()
	token, err := os.ReadFile(filepath.Join(home, "emend", "serve.key"))
	if err != nil {
		t.Fatal(err)
	}
	s.token = strings.TrimSpace(string(token))
	return s
}

func (s *server) wait() error {
	<-s.read
	return s.cmd.Wait()
}

// memory returns the server's resident memory, or 0 if the system does not tell.
func (s *server) memory() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), "VmRSS:")
	n, _ := strconv.ParseInt(strings.Fields(after + " 0")[0], 10, 64)
	return n << 10
}
