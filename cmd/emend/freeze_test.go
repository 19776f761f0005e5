package main

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// freeze takes the right to make names in directories away, as far as this user is bound by any, and thaw gives it
// back: by permissions, and for root, who is not bound by them, by the attribute that makes a file immutable. What a
// scenario leaves frozen thaws at its end.

func freeze(ts *testscript.TestScript, neg bool, args []string) {
	for _, dir := range args {
		path := ts.MkAbs(dir)
		ts.Defer(func() { frozen(path, false) })
		ts.Check(frozen(path, true))
	}
}

func thaw(ts *testscript.TestScript, neg bool, args []string) {
	for _, dir := range args {
		ts.Check(frozen(ts.MkAbs(dir), false))
	}
}

func frozen(dir string, on bool) error {
	if os.Geteuid() == 0 {
		return exec.Command("chattr", map[bool]string{true: "+i", false: "-i"}[on], dir).Run()
	}
	return os.Chmod(dir, map[bool]os.FileMode{true: 0o555, false: 0o755}[on])
}

// freezes reports whether freeze works for this user, here.
func freezes() bool {
	dir, err := os.MkdirTemp("", "freezes")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	err = frozen(dir, true)
	defer frozen(dir, false)
	probe := os.Mkdir(filepath.Join(dir, "x"), 0o700)
	if probe == nil {
		os.Remove(filepath.Join(dir, "x"))
	}
	return err == nil && probe != nil
}
