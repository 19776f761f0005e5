package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// server is `emend serve` as a client over standard input and output sees it.
type server struct {
	*testing.T
	dir  string
	cmd  *exec.Cmd
	in   io.WriteCloser
	deaf func()        // closes the output
	over chan struct{} // closed at the end of the output
	said bytes.Buffer  // on standard error; to be read when the program has ended

	mu      sync.Mutex
	answers map[string]answer // by id, as JSON
	null    []answer          // those without an id
	lines   int
	news    *sync.Cond
}

// answer is a line of the output.
type answer struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// serve starts the real program in a workspace of its own, with an environment that has nothing of this machine.
func serve(t *testing.T, args ...string) *server {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("NOT RUN: nothing is written on Windows")
	}
	home := t.TempDir()
	s := &server{T: t, dir: filepath.Join(home, "ws"), over: make(chan struct{}), answers: map[string]answer{}}
	s.news = sync.NewCond(&s.mu)
	if err := os.MkdirAll(filepath.Join(s.dir, ".emend"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "a.txt"), []byte("hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command("emend", append([]string{"serve", s.dir}, args...)...)
	s.cmd.Env = []string{"HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, "state"), "PATH=" + os.Getenv("PATH")}
	s.cmd.Stderr = &s.said
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.in, s.deaf = in, func() { out.Close() }
	go s.listen(out)
	t.Cleanup(func() { s.in.Close(); s.cmd.Process.Kill(); <-s.over; s.cmd.Wait() })
	return s
}

// listen takes in the output, all of which has to be messages.
func (s *server) listen(out io.Reader) {
	defer close(s.over)
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		text, err := r.ReadBytes('\n')
		if err != nil {
			if len(text) > 0 {
				s.Errorf("the output ends in half a line: %.200q", text)
			}
			s.mu.Lock()
			s.news.Broadcast()
			s.mu.Unlock()
			return
		}
		var a answer
		if err := json.Unmarshal(text, &a); err != nil || a.JSONRPC != "2.0" || a.Method == "" && a.Result == nil && a.Error == nil {
			s.Errorf("standard output has what is no message: %.200q", text)
		}
		s.mu.Lock()
		if id := string(a.ID); id == "null" || id == "" {
			s.null = append(s.null, a)
		} else if _, twice := s.answers[id]; twice && a.Method == "" {
			s.Errorf("the call %s is answered twice", id)
		} else {
			s.answers[id] = a
		}
		s.lines++
		s.news.Broadcast()
		s.mu.Unlock()
	}
}

func (s *server) send(text string) {
	s.Helper()
	if _, err := io.WriteString(s.in, text); err != nil {
		s.Errorf("the server reads no more: %v", err)
	}
}

// await waits until ok, which is called with what has come, or fails after a minute.
func (s *server) await(what string, ok func() bool) {
	s.Helper()
	late := time.AfterFunc(time.Minute, func() { s.mu.Lock(); s.news.Broadcast(); s.mu.Unlock() })
	defer late.Stop()
	deadline := time.Now().Add(time.Minute)
	s.mu.Lock()
	defer s.mu.Unlock()
	for !ok() {
		select {
		case <-s.over:
			s.Fatalf("%s: the server has ended", what)
		default:
		}
		if time.Now().After(deadline) {
			s.Fatalf("%s did not come within a minute", what)
		}
		s.news.Wait()
	}
}

// answerTo waits for the answer to a call.
func (s *server) answerTo(id string) (a answer) {
	s.Helper()
	s.await("the answer to "+id, func() (ok bool) { a, ok = s.answers[id]; return ok })
	return a
}

// withoutID waits for the next answer that has no id, and takes it.
func (s *server) withoutID() (a answer) {
	s.Helper()
	s.await("an answer without an id", func() bool { return len(s.null) > 0 })
	s.mu.Lock()
	defer s.mu.Unlock()
	a, s.null = s.null[0], s.null[1:]
	return a
}

// ends closes the input and waits for the end of the program.
func (s *server) ends() {
	s.Helper()
	s.in.Close()
	select {
	case <-s.over:
	case <-time.After(time.Minute):
		s.Fatal("the server goes on without input")
	}
	if err := s.cmd.Wait(); err != nil {
		s.Errorf("the server ended with %v", err)
	}
	if s.said.Len() > 10_000 {
		s.Errorf("a client can fill the log: %d bytes, %.300s", s.said.Len(), &s.said)
	}
}

// gone waits for the end of a program whose input is open.
func (s *server) gone() {
	s.Helper()
	late := time.AfterFunc(time.Minute, func() { s.Error("the server goes on without a client"); s.cmd.Process.Kill() })
	defer late.Stop()
	s.cmd.Wait()
	if !s.cmd.ProcessState.Exited() {
		s.Errorf("the server ended with %v", s.cmd.ProcessState)
	}
}

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
	`"clientInfo":{"name":"probe","version":"1.2"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// calling is the call of a tool.
func calling(id, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args) + "\n"
}

// good makes a call that has nothing wrong, and wants its answer.
func (s *server) good(id string) {
	s.Helper()
	s.send(calling(id, "read_file", `{"path":"a.txt"}`))
	if a := s.answerTo(id); !strings.Contains(string(a.Result), "hello") {
		s.Errorf("a good call afterwards: %s %+v", a.Result, a.Error)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
