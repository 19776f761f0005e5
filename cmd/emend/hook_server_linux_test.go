package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/front/looks"
)

// hookedTree is a workspace whose agent has hooks.
type hookedTree struct {
	*testing.T
	dir string
	env []string
}

func (h *hookedTree) emend(stdin string, args ...string) string {
	h.Helper()
	cmd := exec.Command("emend", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = h.dir, h.env, strings.NewReader(stdin)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		h.Fatalf("%s: %v: %s", args, err, errs.String())
	}
	return string(out)
}

func (h *hookedTree) hook(moment string) {
	h.Helper()
	h.emend(`{"hook_event_name":"`+moment+`","session_id":"s","prompt_id":"p","tool_use_id":"`+h.Name()+`","tool_name":"Bash","tool_input":{"command":"x"},"cwd":"`+h.dir+`"}`, "hook", "claude-code")
}

func (h *hookedTree) write(name, text string) {
	h.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		h.Fatal(err)
	}
}

// awaitServer waits until a server listens for the hooks of the tree.
func (h *hookedTree) awaitServer() {
	for {
		if _, err := os.Lstat(filepath.Join(h.dir, ".emend/looks/socket")); err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestHooksAskTheServer: the hooks of a client have the server of the workspace look, which hears what changed. When it is gone, killed as
// it may be, they look by themselves.
func TestHooksAskTheServer(t *testing.T) {
	s := serve(t)
	h := &hookedTree{T: t, dir: s.dir, env: s.cmd.Env}
	path := func(name string) string { return filepath.Join(s.dir, name) }
	hook, write := h.hook, h.write
	entries := func() int { return strings.Count(h.emend("", "log"), "made outside emend") }
	for i := range 40 { // so that few of the directories change
		dir := filepath.Join(s.dir, "d", strings.Repeat("x", i+1))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	hook("UserPromptSubmit")
	h.awaitServer()
	hook("UserPromptSubmit")
	hook("PreToolUse")
	write(path("a.txt"), "heard\n")
	hook("PostToolUse")
	if n := entries(); n != 1 {
		t.Fatalf("%d entries, want 1", n)
	}
	// Only who listens misses what is done by a name outside of the tree.
	outside := filepath.Join(filepath.Dir(s.dir), "outside")
	for begin := time.Now(); time.Since(begin) < 100*time.Millisecond; { // what was written just before a look is read again
		hook("UserPromptSubmit")
	}
	hook("PreToolUse")
	if err := os.Link(path("a.txt"), outside); err != nil {
		t.Fatal(err)
	}
	write(outside, "unheard\n")
	hook("PostToolUse")
	if n := entries(); n != 1 {
		t.Errorf("%d entries, want 1: the server did not look", n)
	}
	hook("UserPromptSubmit")
	if n := entries(); n != 2 {
		t.Errorf("%d entries after the next prompt, want 2", n)
	}
	hook("PreToolUse")
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.ended
	write(path("a.txt"), "alone\n")
	hook("PostToolUse")
	if n := entries(); n != 3 {
		t.Errorf("%d entries after the server was killed, want 3", n)
	}
}

// TestHooksAndALyingServer: a process of the same account that answers for the server hides changes until the next prompt, and no longer.
func TestHooksAndALyingServer(t *testing.T) {
	h := &hookedTree{T: t, dir: filepath.Join(t.TempDir(), "ws"), env: []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}}
	if err := os.MkdirAll(filepath.Join(h.dir, ".emend"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.hook("UserPromptSubmit")
	asked := make(chan struct{}, 10)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		looks.Serve(ctx, filepath.Join(h.dir, ".emend/looks"), func(context.Context, looks.Request) error { asked <- struct{}{}; return nil })
	}()
	defer func() { cancel(); <-done }()
	h.awaitServer()
	h.hook("PreToolUse")
	h.write(filepath.Join(h.dir, "hidden.txt"), "x\n")
	h.hook("PostToolUse")
	if len(asked) != 2 || strings.Contains(h.emend("", "log"), "hidden.txt") {
		t.Fatalf("the hooks asked %d times, want 2; log:\n%s", len(asked), h.emend("", "log"))
	}
	h.hook("Stop")
	if log := h.emend("", "log"); !strings.Contains(log, "hidden.txt") {
		t.Errorf("not in the log at the end of the turn:\n%s", log)
	}
}
