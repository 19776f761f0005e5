//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// held is a server whose policy wants a person to be asked about a.txt, and whose client cannot ask one.
func held(t *testing.T, args ...string) *server {
	t.Helper()
	policy := filepath.Join(t.TempDir(), "policy.toml")
	must(t, os.WriteFile(policy, []byte("[write]\nask = [\"a.txt\"]\n"), 0o600))
	s := serve(t, append([]string{"--policy", policy}, args...)...)
	s.send(hello)
	s.answerTo(`"hello"`)
	return s
}

func patching(id, from, to string) string {
	return calling(id, "apply_patch", `{"patch":"*** Begin Patch\n*** Update File: a.txt\n@@\n-`+from+`\n+`+to+`\n*** End Patch\n"}`)
}

// run runs emend in the server's workspace, and returns what it printed and its exit code.
func (s *server) run(args ...string) (string, int) {
	s.Helper()
	cmd := exec.Command("emend", append([]string{"-C", s.dir}, args...)...)
	cmd.Env = s.cmd.Env
	out, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		s.Error(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// sitter is a person at a terminal, as emend waiting --follow.
type sitter struct {
	*exec.Cmd
	calls *bufio.Reader
}

func (s *server) sit() *sitter {
	s.Helper()
	x := &sitter{Cmd: exec.Command("emend", "-C", s.dir, "waiting", "--follow", "--json")}
	x.Env = s.cmd.Env
	out, err := x.StdoutPipe()
	must(s.T, err)
	said, err := x.StderrPipe()
	must(s.T, err)
	must(s.T, x.Start())
	s.Cleanup(func() { x.Process.Kill(); io.Copy(io.Discard, out); x.Wait() }) //nolint:errcheck // it has mostly ended
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || !strings.Contains(line, "shown here") {
		s.Fatalf("%q, %v", line, err)
	}
	x.calls = bufio.NewReader(out)
	return x
}

// next is the next call that waits.
func (x *sitter) next(t *testing.T) (id string) {
	t.Helper()
	late := time.AfterFunc(time.Minute, func() { x.Process.Kill() })
	defer late.Stop()
	line, err := x.calls.ReadBytes('\n')
	must(t, err)
	var is struct{ ID, ToolName, Diff string }
	must(t, json.Unmarshal(line, &is))
	if is.ToolName != "apply_patch" || !strings.Contains(is.Diff, "+") {
		t.Errorf("a person is shown %s", line)
	}
	return is.ID
}

// waits is how many calls wait.
func (s *server) waits() int {
	s.Helper()
	out, code := s.run("waiting", "--json")
	var is struct {
		Data struct{ Waiting []struct{ ID string } }
	}
	if err := json.Unmarshal([]byte(out), &is); err != nil || code != 0 {
		s.Fatalf("%v: %s", err, out)
	}
	return len(is.Data.Waiting)
}

// nobodyWaits fails unless soon nothing waits.
func (s *server) nobodyWaits() {
	s.Helper()
	for range 500 {
		if s.waits() == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.Error("a call waits still")
}

func (s *server) answered(id, want string, refused bool) {
	s.Helper()
	a := s.answerTo(id)
	if !strings.Contains(string(a.Result), want) || strings.Contains(string(a.Result), `"isError":true`) != refused {
		s.Errorf("the agent reads %s, want %q", a.Result, want)
	}
}

func (s *server) file(want string) {
	s.Helper()
	got, err := os.ReadFile(filepath.Join(s.dir, "a.txt"))
	if string(got) != want || err != nil {
		s.Errorf("the file has %q, want %q (%v)", got, want, err)
	}
}

func TestWaiting(t *testing.T) {
	s := held(t)
	s.send(patching("1", "hello", "one"))
	s.answered("1", `emend ui`, true) // nobody is there
	x := s.sit()

	s.send(patching("2", "hello", "two"))
	id := x.next(t)
	for verb, want := range map[string]string{"show": "+two", "show --json": `"toolName": "apply_patch"`} {
		if out, code := s.run(strings.Fields("waiting " + verb + " " + id)...); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d: %s", verb, code, out)
		}
	}
	if out, _ := s.run("__complete", "waiting", "allow", ""); !strings.HasPrefix(out, id+"\tapply_patch a.txt\n") {
		t.Errorf("completed: %s", out)
	}
	if out, code := s.run("waiting"); code != 0 || !strings.Contains(out, id) || !strings.Contains(out, "probe/1.2  apply_patch  a.txt") {
		t.Errorf("exit %d: %s", code, out)
	}
	s.good("3") // other calls go on
	if out, code := s.run("waiting", "deny", id, "--reason", "not on Mondays"); code != 0 || !strings.HasPrefix(out, "Denied: ") {
		t.Errorf("exit %d: %s", code, out)
	}
	s.answered("2", `not on Mondays`, true)
	s.file("hello\n")

	s.send(patching("4", "hello", "four"))
	id = x.next(t)
	if out, code := s.run("waiting", "allow", id); code != 0 || !strings.HasPrefix(out, "Allowed, this once: apply_patch of probe/1.2 on a.txt.") {
		t.Errorf("exit %d: %s", code, out)
	}
	s.answered("4", "a.txt", false)
	s.file("four\n")
	if out, code := s.run("waiting", "allow", id); code != 1 || !strings.Contains(out, "it was answered, withdrawn or expired") {
		t.Errorf("again: exit %d: %s", code, out)
	}

	s.send(patching("5", "four", "five"))
	if out, code := s.run("waiting", "allow", x.next(t), "--session", "--json"); code != 0 || !strings.Contains(out, `"session": true`) {
		t.Errorf("exit %d: %s", code, out)
	}
	s.answered("5", "a.txt", false)
	must(t, x.Process.Signal(os.Interrupt))
	if err := x.Wait(); err != nil {
		t.Error(err)
	}
	s.send(patching("6", "five", "six"))
	s.answered("6", "a.txt", false)
	s.file("six\n")
	log, err := os.ReadFile(filepath.Join(s.dir, ".emend/log/00000001.jsonl"))
	must(t, err)
	for by, n := range map[string]int{"terminal": 2, "page, for the session": 1} {
		if strings.Count(string(log), `"asked":{"by":"`+by+`"`) != n {
			t.Errorf("the log has not %d by %s: %s", n, by, log)
		}
	}
	s.nobodyWaits()
	s.ends()
}

// Nobody answers within the time that a server waits.
func TestWaitingEnds(t *testing.T) {
	s := held(t, "--wait", "300ms")
	s.sit()
	s.send(patching("1", "hello", "one"))
	s.answered("1", "did not answer within 300ms", true)
	s.nobodyWaits()

	s = held(t, "--wait", "0")
	s.sit()
	s.send(patching("1", "hello", "one"))
	s.answered("1", "calls do not wait for one here", true)
	s.ends()
}

func TestWaitingCancelled(t *testing.T) {
	s := held(t)
	x := s.sit()
	s.send(patching("1", "hello", "one"))
	id := x.next(t)
	s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n")
	s.nobodyWaits()
	if out, code := s.run("waiting", "allow", id); code != 1 {
		t.Errorf("exit %d: %s", code, out)
	}
	s.good("2")
	s.file("hello\n")
}

// A client that has gone does not wait.
func TestWaitingClientLeaves(t *testing.T) {
	s := held(t, "--wait", "10m")
	x := s.sit()
	s.send(patching("1", "hello", "one"))
	id := x.next(t)
	s.ends()
	s.answered("1", "the client left while a person was asked", true)
	if out, code := s.run("waiting", "allow", id); code != 1 {
		t.Errorf("exit %d: %s", code, out)
	}
	s.file("hello\n")
}

// Whose page is killed is not waited for, and a killed server's call waits for nobody.
func TestWaitingKilled(t *testing.T) {
	s := held(t, "--wait", "10m")
	x := s.sit()
	s.send(patching("1", "hello", "one"))
	x.next(t)
	must(t, x.Process.Kill())
	s.answered("1", "closed before they answered", true)
	s.send(patching("2", "hello", "one"))
	s.answered("2", "no page is open", true)

	x = s.sit()
	s.send(patching("3", "hello", "one"))
	id := x.next(t)
	must(t, s.cmd.Process.Kill())
	<-s.over
	s.nobodyWaits()
	if out, code := s.run("waiting", "allow", id); code != 1 {
		t.Errorf("exit %d: %s", code, out)
	}
	s.file("hello\n")
}

// Of two persons who answer at once one decides, and the other is told so.
func TestWaitingAnsweredTwice(t *testing.T) {
	s := held(t)
	x := s.sit()
	s.send(patching("1", "hello", "one"))
	id := x.next(t)
	var both sync.WaitGroup
	codes := map[string]int{}
	var mu sync.Mutex
	for _, verb := range []string{"allow", "deny"} {
		both.Go(func() {
			_, code := s.run("waiting", verb, id)
			mu.Lock()
			defer mu.Unlock()
			codes[verb] = code
		})
	}
	both.Wait()
	if codes["allow"]+codes["deny"] != 1 {
		t.Fatalf("exits %v", codes)
	}
	if codes["allow"] == 0 {
		s.answered("1", "a.txt", false)
		s.file("one\n")
	} else {
		s.answered("1", "said no", true)
		s.file("hello\n")
	}
}

// What else lies in the directory keeps nobody waiting.
func TestWaitingAmongForgeries(t *testing.T) {
	s := held(t)
	x := s.sit()
	board := filepath.Join(s.dir, ".emend/waiting")
	for _, name := range []string{"qaaaaaaaaaaa.ask", "paaaaaaaaaaa.page", "qaaaaaaaaaaa.answer", "taaaaaaaaaaa.new", "pipe"} {
		must(t, syscall.Mkfifo(filepath.Join(board, name), 0o600))
	}
	must(t, os.Symlink("/dev/zero", filepath.Join(board, "qbbbbbbbbbbb.ask")))
	s.send(patching("1", "hello", "one"))
	id := x.next(t)
	must(t, syscall.Mkfifo(filepath.Join(board, id+".answer"), 0o600))
	s.answered("1", "counts as a no", true)
	s.file("hello\n")
	s.nobodyWaits()
}
