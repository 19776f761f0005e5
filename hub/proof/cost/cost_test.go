// Package cost measures what joining costs a workspace: the time of an edit beside a joined process and without one, and how much later a command
// starts under "emend-hub join". Times are printed, and not asserted.
package cost

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/hubtest"
	"github.com/emend-dev/emend/hub/join"
)

func program(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "emend-hub")
	if out, err := exec.Command("go", "build", "-o", file, "../../cmd/emend-hub").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// joined makes a workspace that has joined, and the environment of a command that knows it.
func joined(t *testing.T, h *hubtest.Hub) (dir string, env []string) {
	t.Helper()
	dir = hubtest.Workspace(t)
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	file, err := join.MembershipFile(dir)
	if err == nil {
		err = join.WriteMembership(file, h.Enrol(t, "one"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, []string{"XDG_CONFIG_HOME=" + home, "HOME=" + home, "PATH=" + os.Getenv("PATH")}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// TestEdit: blocks of edits with a joined process and without take turns, in one workspace. The hub has other processors or the same, as it comes.
func TestEdit(t *testing.T) {
	blocks, edits := 16, 25
	if testing.Short() {
		blocks, edits = 4, 10
	}
	h := hubtest.Serve(t, broker.Options{})
	dir, env := joined(t, h)
	ws, err := emend.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	text, program := "0", program(t)
	if _, err := ws.Create(t.Context(), api.CreateRequest{Path: "f", Content: text + "\n"}); err != nil {
		t.Fatal(err)
	}
	var with, without []time.Duration
	for block := range blocks {
		on := block%4 == 1 || block%4 == 2
		var cmd *exec.Cmd
		if on {
			cmd = exec.Command(program, "join", "--ship", "diffs", dir)
			cmd.Env = env
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitHere(t, h)
		}
		for n := range edits {
			next := fmt.Sprint(block, "-", n)
			begin := time.Now()
			if _, err := ws.Edit(t.Context(), api.EditRequest{Path: "f", ExpectedSha256: fmt.Sprintf("%x", sha256.Sum256([]byte(text+"\n"))), Edits: []api.TextEdit{{OldText: text, NewText: next}}}); err != nil {
				t.Fatal(err)
			}
			took := time.Since(begin)
			if text = next; on {
				with = append(with, took)
			} else {
				without = append(without, took)
			}
			time.Sleep(10 * time.Millisecond) // an agent thinks longer
		}
		if on {
			cmd.Process.Signal(os.Interrupt)
			cmd.Wait()
		}
	}
	a, b := median(with), median(without)
	t.Logf("fleet: an edit takes %v with a joined process, %v without (medians of %d and %d in turns): %.2f x", a.Round(10*time.Microsecond), b.Round(10*time.Microsecond), len(with), len(without), float64(a)/float64(b))
}

// waitHere waits until a workspace says that it is there.
func waitHere(t *testing.T, h *hubtest.Hub) {
	t.Helper()
	for start := time.Now(); time.Since(start) < 20*time.Second; time.Sleep(10 * time.Millisecond) {
		all, err := h.Presences(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			if !p.Away(time.Now()) {
				return
			}
		}
	}
	t.Fatal("the workspace is not there")
}

// TestStart: a command says when it runs; it is started by itself, and by join, in turns.
func TestStart(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	h := hubtest.Serve(t, broker.Options{})
	dir, env := joined(t, h)
	hubtest.Change(t, dir, 20)
	program := program(t)
	command := []string{"sh", "-c", "date +%s%N"}
	measure := func(args []string) time.Duration {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env, cmd.Dir = env, dir
		var out bytes.Buffer
		cmd.Stdout = &out
		begin := time.Now()
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		ns, err := strconv.ParseInt(strings.TrimSpace(out.String()), 10, 64)
		if err != nil {
			t.Skipf("NOT RUN: the start of a command: date has no nanoseconds here (%v)", err)
		}
		return time.Unix(0, ns).Sub(begin)
	}
	var alone, under []time.Duration
	for range rounds {
		alone = append(alone, measure(command))
		under = append(under, measure(append([]string{program, "join", dir, "--"}, command...)))
	}
	a, u := median(alone), median(under)
	t.Logf("fleet: a command starts %v after its call, and %v after that of join (medians of %d): %v later", a.Round(100*time.Microsecond), u.Round(100*time.Microsecond), rounds, (u - a).Round(100*time.Microsecond))
}
