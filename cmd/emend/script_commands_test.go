package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// freeze forbids making names in directories, and thaw allows it again. For root, who is not bound by permissions, they
// set the attribute that makes a file immutable. What a scenario leaves frozen thaws at its end.

func freeze(ts *testscript.TestScript, neg bool, args []string) {
	for _, dir := range args {
		path := ts.MkAbs(dir)
		ts.Defer(func() { setFrozen(path, false) })
		ts.Check(setFrozen(path, true))
	}
}

func thaw(ts *testscript.TestScript, neg bool, args []string) {
	for _, dir := range args {
		ts.Check(setFrozen(ts.MkAbs(dir), false))
	}
}

func setFrozen(dir string, on bool) error {
	if os.Geteuid() == 0 {
		return exec.Command("chattr", map[bool]string{true: "+i", false: "-i"}[on], dir).Run()
	}
	return os.Chmod(dir, map[bool]os.FileMode{true: 0o555, false: 0o755}[on])
}

// canFreeze reports whether freeze works for this user on this file system.
func canFreeze() bool {
	dir, err := os.MkdirTemp("", "freezes")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	err = setFrozen(dir, true)
	defer setFrozen(dir, false)
	probe := os.Mkdir(filepath.Join(dir, "x"), 0o700)
	if probe == nil {
		os.Remove(filepath.Join(dir, "x"))
	}
	return err == nil && probe != nil
}

// take puts a part of the last command's output into a variable: take NAME PATTERN. The pattern has one group, and
// matches exactly once.
func take(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: take NAME PATTERN")
	}
	all := regexp.MustCompile(args[1]).FindAllStringSubmatch(ts.ReadFile("stdout"), -1)
	if len(all) != 1 || len(all[0]) != 2 {
		ts.Fatalf("%s: %d matches", args[1], len(all))
	}
	ts.Setenv(args[0], all[0][1])
}

// haveLayers reports whether a command can run over a layer here.
func haveLayers(t *testing.T) bool {
	dir := t.TempDir()
	ws, err := emend.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	_, err = ws.Host().Run(t.Context(), api.RunRequest{Args: []string{"true"}, Dir: dir, Env: os.Environ()})
	return !emend.IsNoLayer(err)
}
