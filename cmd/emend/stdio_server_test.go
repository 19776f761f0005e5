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
	"strings"
	"sync"
	"testing"
	"time"
)

// stdioServer is a running emend serve, as its client over standard input and output sees it.
type stdioServer struct {
	*testing.T
	dir         string
	cmd         *exec.Cmd
	in          io.WriteCloser
	closeOutput func()        // closes the output
	ended       chan struct{} // closed at the end of the output
	stderr      bytes.Buffer  // complete when the process has ended

	mu         sync.Mutex
	answers    map[string]message // by id, as JSON
	withoutIDs []message          // those without an id
	lines      int
	received   *sync.Cond
}

// message is one line of the output.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// serve starts the real program in a workspace of its own. Its environment has nothing from this machine.
func serve(t *testing.T, args ...string) *stdioServer {
	t.Helper()
	home := t.TempDir()
	s := &stdioServer{T: t, dir: filepath.Join(home, "ws"), ended: make(chan struct{}), answers: map[string]message{}}
	s.received = sync.NewCond(&s.mu)
	if err := os.MkdirAll(filepath.Join(s.dir, ".emend"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "a.txt"), []byte("hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command("emend", append([]string{"serve", s.dir}, args...)...)
	s.cmd.Env = []string{"HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, "state"), "PATH=" + os.Getenv("PATH")}
	s.cmd.Stderr = &s.stderr
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
	s.in, s.closeOutput = in, func() { out.Close() }
	go s.readMessages(out)
	t.Cleanup(func() { s.in.Close(); s.cmd.Process.Kill(); <-s.ended; s.cmd.Wait() })
	return s
}

// readMessages reads the output. Every line must be a message.
func (s *stdioServer) readMessages(out io.Reader) {
	defer close(s.ended)
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		text, err := r.ReadBytes('\n')
		if err != nil {
			if len(text) > 0 {
				s.Errorf("the output ends in half a line: %.200q", text)
			}
			s.mu.Lock()
			s.received.Broadcast()
			s.mu.Unlock()
			return
		}
		var a message
		if err := json.Unmarshal(text, &a); err != nil || a.JSONRPC != "2.0" || a.Method == "" && a.Result == nil && a.Error == nil {
			s.Errorf("standard output has what is no message: %.200q", text)
		}
		s.mu.Lock()
		if id := string(a.ID); id == "null" || id == "" {
			s.withoutIDs = append(s.withoutIDs, a)
		} else if _, twice := s.answers[id]; twice && a.Method == "" {
			s.Errorf("the call %s is answered twice", id)
		} else {
			s.answers[id] = a
		}
		s.lines++
		s.received.Broadcast()
		s.mu.Unlock()
	}
}

func (s *stdioServer) send(text string) {
	s.Helper()
	if _, err := io.WriteString(s.in, text); err != nil {
		s.Errorf("the server reads no more: %v", err)
	}
}

// await waits until ok returns true. ok is called with s.mu held, after each message. await fails after a minute.
func (s *stdioServer) await(what string, ok func() bool) {
	s.Helper()
	late := time.AfterFunc(time.Minute, func() { s.mu.Lock(); s.received.Broadcast(); s.mu.Unlock() })
	defer late.Stop()
	deadline := time.Now().Add(time.Minute)
	s.mu.Lock()
	defer s.mu.Unlock()
	for !ok() {
		select {
		case <-s.ended:
			s.Fatalf("%s: the server has ended", what)
		default:
		}
		if time.Now().After(deadline) {
			s.Fatalf("%s did not come within a minute", what)
		}
		s.received.Wait()
	}
}

// answerTo waits for the answer to a call.
func (s *stdioServer) answerTo(id string) (a message) {
	s.Helper()
	s.await("the answer to "+id, func() (ok bool) { a, ok = s.answers[id]; return ok })
	return a
}

// nextWithoutID waits for the next message without an id, and removes it.
func (s *stdioServer) nextWithoutID() (a message) {
	s.Helper()
	s.await("an answer without an id", func() bool { return len(s.withoutIDs) > 0 })
	s.mu.Lock()
	defer s.mu.Unlock()
	a, s.withoutIDs = s.withoutIDs[0], s.withoutIDs[1:]
	return a
}

// endInput closes the input and waits for the end of the process.
func (s *stdioServer) endInput() {
	s.Helper()
	s.in.Close()
	select {
	case <-s.ended:
	case <-time.After(time.Minute):
		s.Fatal("the server goes on without input")
	}
	if err := s.cmd.Wait(); err != nil {
		s.Errorf("the server ended with %v", err)
	}
	if s.stderr.Len() > 10_000 {
		s.Errorf("a client can fill the log: %d bytes, %.300s", s.stderr.Len(), &s.stderr)
	}
}

// waitForExit waits for the end of a process whose input is still open.
func (s *stdioServer) waitForExit() {
	s.Helper()
	late := time.AfterFunc(time.Minute, func() { s.Error("the server goes on without a client"); s.cmd.Process.Kill() })
	defer late.Stop()
	s.cmd.Wait()
	if !s.cmd.ProcessState.Exited() {
		s.Errorf("the server ended with %v", s.cmd.ProcessState)
	}
}

const initialize = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
	`"clientInfo":{"name":"probe","version":"1.2"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// toolCall returns the request for a call of a tool.
func toolCall(id, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args) + "\n"
}

// checkAlive makes a valid call and checks its answer.
func (s *stdioServer) checkAlive(id string) {
	s.Helper()
	s.send(toolCall(id, "read_file", `{"path":"a.txt"}`))
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
