//go:build linux || darwin

package vfs

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReplaceFile: a reader has the old file or the new one, a draft that a killed process left does not stand in the way, and a
// failure leaves what was there.
func TestReplaceFile(t *testing.T) {
	path := t.TempDir()
	dir, err := Open(path)
	check(t, err)
	defer dir.Close()
	name, draft := filepath.Join(path, "f"), filepath.Join(path, "f.new")
	read := func() string {
		text, err := os.ReadFile(name)
		check(t, err)
		return string(text)
	}
	check(t, ReplaceFile(dir, "f.new", "f", []byte("first")))
	old, err := os.Open(name)
	check(t, err)
	defer old.Close()
	check(t, os.WriteFile(draft, []byte("a longer draft"), 0o644))
	check(t, ReplaceFile(dir, "f.new", "f", []byte("next")))
	text := make([]byte, 9)
	if n, _ := old.Read(text); read() != "next" || string(text[:n]) != "first" {
		t.Errorf("now %q, and the old file %q", read(), text[:n])
	}
	if fi, err := os.Stat(name); err != nil || fi.Mode() != 0o600 {
		t.Errorf("%v, %v", fi, err)
	}
	check(t, os.Mkdir(draft, 0o755))
	if err := ReplaceFile(dir, "f.new", "f", []byte("x")); err == nil || read() != "next" {
		t.Errorf("%v; now %q", err, read())
	}
}
