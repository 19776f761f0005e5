package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHooksAskTheServer: the hooks of a client have the server of the workspace look, which hears what changed. When it is gone, killed as
// it may be, they look by themselves.
func TestHooksAskTheServer(t *testing.T) {
	s := serve(t)
	path := func(name string) string { return filepath.Join(s.dir, name) }
	emend := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.Command("emend", args...)
		cmd.Dir, cmd.Env, cmd.Stdin = s.dir, s.cmd.Env, strings.NewReader(stdin)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil || errs.Len() > 0 {
			t.Fatalf("%s: %v: %s", args, err, errs.String())
		}
		return string(out)
	}
	hook := func(moment string) {
		t.Helper()
		emend(`{"hook_event_name":"`+moment+`","session_id":"s","prompt_id":"p","tool_use_id":"`+t.Name()+`","tool_name":"Bash","tool_input":{"command":"x"},"cwd":"`+s.dir+`"}`, "hook", "claude-code")
	}
	entries := func() int { return strings.Count(emend("", "log"), "made outside emend") }
	for i := range 40 { // so that few of the directories change
		dir := filepath.Join(s.dir, "d", strings.Repeat("x", i+1))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	hook("UserPromptSubmit")
	for socket := path(".emend/looks/socket"); ; time.Sleep(time.Millisecond) {
		if _, err := os.Lstat(socket); err == nil {
			break
		}
	}
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
