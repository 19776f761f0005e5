package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Under a policy of ask, a verb shows its diff at the terminal and asks there, and does nothing after a no.
func TestAskAtTerminal(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy.toml")
	must(t, os.WriteFile(policy, []byte("[write]\nask = [\"f\", \"g\"]\n"), 0o600))
	const patch = "*** Begin Patch\n*** Update File: f\n@@\n-abc\n+new\n*** End Patch\n"
	for _, tt := range []struct {
		args  []string
		types string // before the answer
		want  string // in the diff
	}{
		{[]string{"edit", "f", "--old", "b", "--new", "B"}, "", "+aBc"},
		{[]string{"write", "f"}, "new\n\x04", "+new"},
		{[]string{"create", "g"}, "new\n\x04", "+new"},
		{[]string{"rm", "f"}, "", "-abc"},
		{[]string{"mv", "f", "h"}, "", "rename from f"},
		{[]string{"apply", "p"}, "", "+new"},
	} {
		for _, answer := range []string{"y\n", "n\n", "\n", "\x04"} {
			dir := workspace(t, map[string]string{"f": "abc\n", "p": patch})
			got := person{dir: dir, types: tt.types + answer, env: []string{"NO_COLOR=1"}}.run(t, append([]string{"--policy", policy}, tt.args...)...)
			if !strings.Contains(got.err, tt.want) || !strings.Contains(got.err, "The policy asks about changing ") || !strings.Contains(got.err, "[y/N]") {
				t.Errorf("%q: not asked: %+v", tt.args, got)
			}
			b, _ := os.ReadFile(filepath.Join(dir, "f"))
			_, missing := os.Stat(filepath.Join(dir, "g"))
			same := string(b) == "abc\n" && missing != nil
			if yes := answer == "y\n"; (got.code == 0) != yes || same == yes {
				t.Errorf("%q, answered %q: %+v", tt.args, answer, got)
			}
			if answer == "n\n" && !strings.Contains(got.err, "you said no") {
				t.Errorf("%q: %+v", tt.args, got)
			}
		}
	}
	dir := workspace(t, map[string]string{"f": "abc\n"})
	if got := (person{dir: dir, pipes: "err", types: "y\n"}).run(t, "--policy", policy, "rm", "f"); got.code != 1 || !strings.Contains(got.err, "nobody is there to approve") {
		t.Errorf("nobody reads standard error: %+v", got)
	}
	if got := (person{dir: dir, types: "y\n"}).run(t, "--policy", policy, "rm", "f"); got.code != 0 {
		t.Errorf("%+v", got)
	}
	log, err := os.ReadFile(filepath.Join(dir, ".emend/log/00000001.jsonl"))
	if err != nil || !strings.Contains(string(log), `"asked":{"by":"terminal"`) {
		t.Errorf("%v: %s", err, log)
	}
}

// A built-in rule does not ask the person who gives the command, and neither does a policy that takes answers from a page only.
func TestNotAskedAtTerminal(t *testing.T) {
	dir := workspace(t, map[string]string{"AGENTS.md": "abc\n"})
	if got := (person{dir: dir}).run(t, "edit", "AGENTS.md", "--old", "b", "--new", "B"); got.code != 0 || strings.Contains(got.err, "[y/N]") {
		t.Errorf("%+v", got)
	}
	policy := filepath.Join(t.TempDir(), "policy.toml")
	must(t, os.WriteFile(policy, []byte("[write]\nask = [\"AGENTS.md\"]\n[ask]\nanswer = \"page\"\n"), 0o600))
	if got := (person{dir: dir, types: "y\n"}).run(t, "--policy", policy, "edit", "AGENTS.md", "--old", "B", "--new", "b"); got.code != 1 || !strings.Contains(got.err, "from a page only") {
		t.Errorf("%+v", got)
	}
}

// undo without a name shows the change of an agent and asks; of the person's own it does not.
func TestUndoOfOthersAtTerminal(t *testing.T) {
	for _, tt := range []struct {
		answer string
		gone   bool
	}{{"y\n", true}, {"n\n", false}, {"\x04", false}} {
		dir := workspace(t, nil)
		p := person{dir: dir, types: tt.answer, env: []string{"NO_COLOR=1"}}
		if out, err := emendIn(dir, "call", "create_file", "--session", "s-1", "--agent", "coder", `{"path":"f","content":"abc\n"}`); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		got := p.run(t, "undo")
		if got.code != 0 || !strings.Contains(got.err, "-abc") || !strings.Contains(got.err, "The last change is of coder (cli), session s-1, just now.\nUndo it? [y/N] ") {
			t.Errorf("%q: %+v", tt.answer, got)
		}
		if _, err := os.Stat(filepath.Join(dir, "f")); (err != nil) != tt.gone || strings.Contains(got.out, "Nothing was changed.") == tt.gone {
			t.Errorf("%q: %v: %+v", tt.answer, err, got)
		}
	}
	dir := workspace(t, map[string]string{"f": "abc\n"})
	p := person{dir: dir}
	p.run(t, "rm", "f")
	if got := p.run(t, "undo"); got.code != 0 || strings.Contains(got.err, "[y/N]") || content(t, dir, "f") != "abc\n" {
		t.Errorf("%+v", got)
	}
}

// emendIn runs emend without a terminal.
func emendIn(dir string, args ...string) (string, error) {
	cmd := exec.Command("emend", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/no-home"}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// At a terminal emend waiting shows each call that waits and takes the answer.
func TestWaitingAtTerminal(t *testing.T) {
	for _, tt := range []struct{ types, out, file, agent string }{
		{"y\n", "Allowed, this once: apply_patch", "one\n", "a.txt"},
		{"what\ny\n", "Allowed, this once: apply_patch", "one\n", "a.txt"},
		{"n\nnot on Mondays\n", "Denied: apply_patch", "hello\n", "not on Mondays"},
		{"s\n", "until the session ends", "one\n", "a.txt"},
	} {
		s := startAskingServer(t)
		x := s.startFollower() // somebody is there
		s.send(patchCall("1", "hello", "one"))
		x.nextID(t)
		got := person{dir: s.dir, types: tt.types, env: s.cmd.Env}.run(t, "waiting")
		if got.code != 0 || !strings.Contains(got.out, "+one") || !strings.Contains(got.err, "Allow it?") || !strings.Contains(got.out, tt.out) {
			t.Errorf("%q: %+v", tt.types, got)
		}
		s.checkAnswer("1", tt.agent, tt.file == "hello\n")
		s.checkFile(tt.file)
		s.endInput()
	}
}

// With --follow it goes on until q, and an answer that is left leaves the call.
func TestWaitingFollowedAtTerminal(t *testing.T) {
	s := startAskingServer(t, "--wait", "10m")
	x := s.startFollower()
	s.send(patchCall("1", "hello", "one"))
	x.nextID(t)
	got := person{dir: s.dir, types: "\n", env: s.cmd.Env}.run(t, "waiting")
	if got.code != 0 || s.countWaiting() != 1 {
		t.Errorf("%+v", got)
	}
	// A program called notify-send gets the notification.
	bin := t.TempDir()
	must(t, os.WriteFile(filepath.Join(bin, "notify-send"), []byte("#!/bin/sh\nprintf '%s\\n' \"$@\" >"+bin+"/said\n"), 0o700))
	env := append([]string{}, s.cmd.Env...)
	env = append(env, "PATH="+bin+":"+os.Getenv("PATH"))
	got = person{dir: s.dir, types: "q\n", env: env}.run(t, "waiting", "--follow", "--notify")
	if got.code != 0 || strings.Count(got.err, "Allow it?") != 1 || s.countWaiting() != 1 {
		t.Errorf("%+v", got)
	}
	if said := content(t, bin, "said"); !strings.Contains(said, "\n--\nemend\nA call waits: probe/1.2, apply_patch, a.txt\n") {
		t.Errorf("the notification: %q", said)
	}
	s.endInput()
}
