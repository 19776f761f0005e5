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

// startAskingServer starts a server whose policy asks a person about a.txt, and whose client cannot ask one.
func startAskingServer(t *testing.T, args ...string) *stdioServer {
	t.Helper()
	policy := filepath.Join(t.TempDir(), "policy.toml")
	must(t, os.WriteFile(policy, []byte("[write]\nask = [\"a.txt\"]\n"), 0o600))
	s := serve(t, append([]string{"--policy", policy}, args...)...)
	s.send(initialize)
	s.answerTo(`"hello"`)
	return s
}

func patchCall(id, from, to string) string {
	return toolCall(id, "apply_patch", `{"patch":"*** Begin Patch\n*** Update File: a.txt\n@@\n-`+from+`\n+`+to+`\n*** End Patch\n"}`)
}

// run runs emend in the server's workspace, and returns its output and exit code.
func (s *stdioServer) run(args ...string) (string, int) {
	s.Helper()
	cmd := exec.Command("emend", append([]string{"-C", s.dir}, args...)...)
	cmd.Env = s.cmd.Env
	out, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		s.Error(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// follower is a person who runs emend waiting --follow.
type follower struct {
	*exec.Cmd
	calls *bufio.Reader
}

func (s *stdioServer) startFollower() *follower {
	s.Helper()
	x := &follower{Cmd: exec.Command("emend", "-C", s.dir, "waiting", "--follow", "--json")}
	x.Env = s.cmd.Env
	out, err := x.StdoutPipe()
	must(s.T, err)
	said, err := x.StderrPipe()
	must(s.T, err)
	must(s.T, x.Start())
	s.Cleanup(func() { x.Process.Kill(); io.Copy(io.Discard, out); x.Wait() }) //nolint:errcheck // it has ended in most tests
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || !strings.Contains(line, "shown here") {
		s.Fatalf("%q, %v", line, err)
	}
	x.calls = bufio.NewReader(out)
	return x
}

// nextID returns the id of the next call that waits.
func (x *follower) nextID(t *testing.T) (id string) {
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

// countWaiting returns how many calls wait.
func (s *stdioServer) countWaiting() int {
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

// checkNoneWaiting waits until no call waits, and fails after ten seconds.
func (s *stdioServer) checkNoneWaiting() {
	s.Helper()
	for range 500 {
		if s.countWaiting() == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.Error("a call waits still")
}

func (s *stdioServer) checkAnswer(id, want string, refused bool) {
	s.Helper()
	a := s.answerTo(id)
	if !strings.Contains(string(a.Result), want) || strings.Contains(string(a.Result), `"isError":true`) != refused {
		s.Errorf("the agent reads %s, want %q", a.Result, want)
	}
}

func (s *stdioServer) checkFile(want string) {
	s.Helper()
	got, err := os.ReadFile(filepath.Join(s.dir, "a.txt"))
	if string(got) != want || err != nil {
		s.Errorf("the file has %q, want %q (%v)", got, want, err)
	}
}

func TestWaiting(t *testing.T) {
	s := startAskingServer(t)
	s.send(patchCall("1", "hello", "one"))
	s.checkAnswer("1", `emend ui`, true) // nobody follows
	x := s.startFollower()

	s.send(patchCall("2", "hello", "two"))
	id := x.nextID(t)
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
	s.checkAlive("3") // other calls do not wait
	if out, code := s.run("waiting", "deny", id, "--reason", "not on Mondays"); code != 0 || !strings.HasPrefix(out, "Denied: ") {
		t.Errorf("exit %d: %s", code, out)
	}
	s.checkAnswer("2", `not on Mondays`, true)
	s.checkFile("hello\n")

	s.send(patchCall("4", "hello", "four"))
	id = x.nextID(t)
	if out, code := s.run("waiting", "allow", id); code != 0 || !strings.HasPrefix(out, "Allowed, this once: apply_patch of probe/1.2 on a.txt.") {
		t.Errorf("exit %d: %s", code, out)
	}
	s.checkAnswer("4", "a.txt", false)
	s.checkFile("four\n")
	if out, code := s.run("waiting", "allow", id); code != 1 || !strings.Contains(out, "it was answered, withdrawn or expired") {
		t.Errorf("again: exit %d: %s", code, out)
	}

	s.send(patchCall("5", "four", "five"))
	if out, code := s.run("waiting", "allow", x.nextID(t), "--session", "--json"); code != 0 || !strings.Contains(out, `"session": true`) {
		t.Errorf("exit %d: %s", code, out)
	}
	s.checkAnswer("5", "a.txt", false)
	must(t, x.Process.Signal(os.Interrupt))
	if err := x.Wait(); err != nil {
		t.Error(err)
	}
	s.send(patchCall("6", "five", "six"))
	s.checkAnswer("6", "a.txt", false)
	s.checkFile("six\n")
	log, err := os.ReadFile(filepath.Join(s.dir, ".emend/log/00000001.jsonl"))
	must(t, err)
	for by, n := range map[string]int{"command without a terminal": 2, "command without a terminal, for the session": 1} {
		if strings.Count(string(log), `"asked":{"by":"`+by+`"`) != n {
			t.Errorf("the log has not %d by %s: %s", n, by, log)
		}
	}
	s.checkNoneWaiting()
	s.endInput()
}

// A call is refused if nobody answers within --wait.
func TestWaitingEnds(t *testing.T) {
	s := startAskingServer(t, "--wait", "300ms")
	s.startFollower()
	s.send(patchCall("1", "hello", "one"))
	s.checkAnswer("1", "nobody answered at the page within 300ms", true)
	s.checkNoneWaiting()

	s = startAskingServer(t, "--wait", "0")
	s.startFollower()
	s.send(patchCall("1", "hello", "one"))
	s.checkAnswer("1", "calls do not wait for one here", true)
	s.endInput()
}

func TestWaitingCancelled(t *testing.T) {
	s := startAskingServer(t)
	x := s.startFollower()
	s.send(patchCall("1", "hello", "one"))
	id := x.nextID(t)
	s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n")
	s.checkNoneWaiting()
	if out, code := s.run("waiting", "allow", id); code != 1 {
		t.Errorf("exit %d: %s", code, out)
	}
	s.checkAlive("2")
	s.checkFile("hello\n")
}

// A call does not wait once its client has gone.
func TestWaitingClientLeaves(t *testing.T) {
	s := startAskingServer(t, "--wait", "10m")
	x := s.startFollower()
	s.send(patchCall("1", "hello", "one"))
	id := x.nextID(t)
	s.endInput()
	s.checkAnswer("1", "the client left while the call waited", true)
	if out, code := s.run("waiting", "allow", id); code != 1 {
		t.Errorf("exit %d: %s", code, out)
	}
	s.checkFile("hello\n")
}

// A call is refused when the follower is killed, and no longer waits when the server is killed.
func TestWaitingKilled(t *testing.T) {
	s := startAskingServer(t, "--wait", "10m")
	x := s.startFollower()
	s.send(patchCall("1", "hello", "one"))
	x.nextID(t)
	must(t, x.Process.Kill())
	s.checkAnswer("1", "closed before anybody answered", true)
	s.send(patchCall("2", "hello", "one"))
	s.checkAnswer("2", "no page is open", true)

	x = s.startFollower()
	s.send(patchCall("3", "hello", "one"))
	id := x.nextID(t)
	must(t, s.cmd.Process.Kill())
	<-s.ended
	s.checkNoneWaiting()
	if out, code := s.run("waiting", "allow", id); code != 1 {
		t.Errorf("exit %d: %s", code, out)
	}
	s.checkFile("hello\n")
}

// If two people answer at once, one of them decides, and the other is told.
func TestWaitingAnsweredTwice(t *testing.T) {
	s := startAskingServer(t)
	x := s.startFollower()
	s.send(patchCall("1", "hello", "one"))
	id := x.nextID(t)
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
		s.checkAnswer("1", "a.txt", false)
		s.checkFile("one\n")
	} else {
		s.checkAnswer("1", "a person denied it", true)
		s.checkFile("hello\n")
	}
}

// Other files in the directory do not block a call.
func TestWaitingAmongForgeries(t *testing.T) {
	s := startAskingServer(t)
	x := s.startFollower()
	board := filepath.Join(s.dir, ".emend/waiting")
	for _, name := range []string{"qaaaaaaaaaaa.ask", "paaaaaaaaaaa.page", "qaaaaaaaaaaa.answer", "taaaaaaaaaaa.new", "pipe"} {
		must(t, syscall.Mkfifo(filepath.Join(board, name), 0o600))
	}
	must(t, os.Symlink("/dev/zero", filepath.Join(board, "qbbbbbbbbbbb.ask")))
	s.send(patchCall("1", "hello", "one"))
	id := x.nextID(t)
	must(t, syscall.Mkfifo(filepath.Join(board, id+".answer"), 0o600))
	s.checkAnswer("1", "counts as a denial", true)
	s.checkFile("hello\n")
	s.checkNoneWaiting()
}
