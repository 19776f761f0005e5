//go:build npm && linux

package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestHooksInterrupted: a person ends an agent by Ctrl-C while its shell runs a command that has changed a file. No hook tells of the end of
// the call. What it did is on record as its own all the same, and not as that of the next session.
func TestHooksInterrupted(t *testing.T) {
	for _, o := range owns {
		t.Run(slug(o.agent), func(t *testing.T) {
			if testing.Short() {
				t.Skip("NOT RUN: not with -short")
			}
			p := install(t, o.agent)
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			w := newWorldIn(t, filepath.Join(root, "account"))
			w.env = append(w.env, "PATH="+w.named(p)+":"+path())
			git := exec.Command("git", "init", "-q", "-b", "main")
			git.Dir, git.Env = w.work, w.env
			if out, err := git.CombinedOutput(); err != nil {
				t.Fatalf("git init: %v: %s", err, out)
			}
			m := w.model([]step{o.run("echo half > half.txt; until test -e never; do sleep 0.05; done; rm a.txt")})
			m.shell = o.shellTool
			w.env = append(w.env, p.base(w, m.url)...)
			w.hooks(o.agent)
			before := w.tree()
			w.interrupt(func() bool {
				_, err := os.Stat(w.path("half.txt"))
				return err == nil
			}, slices.Concat(p.command, o.ask("Do part 1.", false))...)
			m.mu.Lock()
			m.script = []step{o.run("echo next > next.txt")}
			m.mu.Unlock()
			w.start(slices.Concat(p.command, o.ask("Do part 2.", false))...)

			var in struct {
				Data struct {
					Entries []struct {
						Turn, Call, Operation, Path string
						SessionID                   string `json:"sessionId"`
					}
				}
			}
			text := w.run("log", "--json")
			if err := json.Unmarshal([]byte(text), &in); err != nil {
				t.Fatalf("emend log --json says %.500q", text)
			}
			sessions := map[string]string{}
			for _, e := range in.Data.Entries {
				if e.Turn == "" || e.Call == "" {
					t.Errorf("%s %s is on record in turn %q, call %q", e.Operation, e.Path, e.Turn, e.Call)
				}
				sessions[e.Operation+" "+e.Path] = e.SessionID
			}
			one, two := sessions["add half.txt"], sessions["add next.txt"]
			if len(sessions) != 2 || one == "" || two == "" || one == two {
				t.Fatalf("the log has, by session, %q:\n%s", sessions, w.run("log"))
			}
			w.verified()
			w.run("undo", "--session", one)
			want := map[string]string{"next.txt": "next\n"}
			maps.Copy(want, before)
			w.holds("after undo --session of the first", want)
			w.run("undo", "--session", two)
			w.holds("after undo --session of the second", before)
		})
	}
}

// interrupt starts a command of this account, and sends it and its process group what Ctrl-C sends as soon as ready, again if it stays.
func (w *account) interrupt(ready func() bool, command ...string) {
	w.Helper()
	out, err := os.Create(filepath.Join(w.root, "said.txt"))
	if err != nil {
		w.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.work, w.env, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	for end := time.Now().Add(timeLimit); !ready(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
			w.Fatalf("it never came so far: %s", w.said())
		}
	}
	begin := time.Now()
	for i := range 4 {
		signal := syscall.SIGINT
		if i == 3 {
			w.Logf("it does not end by Ctrl-C")
			signal = syscall.SIGKILL
		}
		syscall.Kill(-cmd.Process.Pid, signal)
		select {
		case <-ended:
			w.Logf("ended %v after Ctrl-C, as %s", time.Since(begin).Round(time.Millisecond), fmt.Sprint(cmd.ProcessState))
			for pid := range w.processes() { // the shell, where the agent leaves it
				syscall.Kill(pid, syscall.SIGKILL)
			}
			return
		case <-time.After(5 * time.Second):
		}
	}
}
