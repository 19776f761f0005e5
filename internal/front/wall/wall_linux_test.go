package wall

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// The test program confines itself: it runs again as its own child, which calls Up and reports what it can reach.
func TestMain(m *testing.M) {
	if dir := os.Getenv("WALL_TEST"); dir != "" {
		prisoner(dir)
		return
	}
	os.Exit(m.Run())
}

func needed(t *testing.T) {
	t.Helper()
	if Version() == 0 {
		t.Skip("NOT RUN: this kernel has no Landlock, or one before version 2")
	}
}

// tries are what the confined process tries below the directory of the test, and the error that the wall must cause.
var tries = []struct {
	what string
	do   func(at func(string) string) error
	stop error
}{
	{"read inside", func(at func(string) string) error { return second(os.ReadFile(at("in/a"))) }, nil},
	{"list inside", func(at func(string) string) error { return second(os.ReadDir(at("in"))) }, nil},
	{"write inside", func(at func(string) string) error { return os.WriteFile(at("in/new"), nil, 0o644) }, nil},
	{"move inside", func(at func(string) string) error { return os.Rename(at("in/a"), at("in/d/a")) }, nil},
	{"link inside", func(at func(string) string) error { return os.Link(at("in/d/a"), at("in/b")) }, nil},
	{"move to another of its directories", func(at func(string) string) error { return os.Rename(at("in/b"), at("in2/b")) }, nil},
	{"remove inside", func(at func(string) string) error { return os.RemoveAll(at("in/d")) }, nil},
	{"read what is for reading", func(at func(string) string) error { return second(os.ReadFile(at("rules"))) }, nil},
	{"write what is for reading", func(at func(string) string) error { return os.WriteFile(at("rules"), nil, 0o644) }, syscall.EACCES},
	{"read outside", func(at func(string) string) error { return second(os.ReadFile(at("out/a"))) }, syscall.EACCES},
	{"read outside by a link", func(at func(string) string) error { return second(os.ReadFile(at("in/leads-out"))) }, syscall.EACCES},
	{"list outside", func(at func(string) string) error { return second(os.ReadDir(at("out"))) }, syscall.EACCES},
	{"list above", func(at func(string) string) error { return second(os.ReadDir(at("."))) }, syscall.EACCES},
	{"write outside", func(at func(string) string) error { return os.WriteFile(at("out/new"), nil, 0o644) }, syscall.EACCES},
	{"move in from outside", func(at func(string) string) error { return os.Rename(at("out/a"), at("in/stolen")) }, syscall.EACCES},
	{"move out", func(at func(string) string) error { return os.Rename(at("in/new"), at("out/new")) }, syscall.EACCES},
	{"remove outside", func(at func(string) string) error { return os.Remove(at("out/a")) }, syscall.EACCES},
	{"run a program", func(func(string) string) error { return exec.Command("/bin/true").Run() }, syscall.EACCES},
	{"read the passwords", func(func(string) string) error { return second(os.ReadFile("/etc/shadow")) }, syscall.EACCES},
	{"read the mounts", func(func(string) string) error { return second(os.ReadFile("/proc/self/mountinfo")) }, nil},
	{"what was open before", func(func(string) string) error { return second(fmt.Fprint(os.Stdout, "")) }, nil},
}

func second[T any](_ T, err error) error { return err }

func prisoner(dir string) {
	at := func(name string) string { return filepath.Join(dir, name) }
	up, err := Up([]string{at("in"), at("in2"), at("missing")}, []string{at("rules"), at("missing too")})
	if !up || err != nil {
		fmt.Println("not up:", up, err)
		return
	}
	for _, try := range tries {
		// From a new thread too: the wall holds for all of them.
		var err error
		var done sync.WaitGroup
		done.Go(func() { err = try.do(at) })
		done.Wait()
		if !errors.Is(err, try.stop) || try.stop == nil && err != nil {
			fmt.Printf("%s: %v, want %v\n", try.what, err, try.stop)
		}
	}
	fmt.Println("tried")
}

func TestWall(t *testing.T) {
	needed(t)
	dir := t.TempDir()
	for _, name := range []string{"in/a", "in/d/x", "in2/x", "out/a", "rules"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644))
	}
	must(t, os.Symlink("../out/a", filepath.Join(dir, "in/leads-out")))
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "WALL_TEST="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "tried\n" {
		t.Errorf("%v:\n%s", err, out)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "out/a")); err != nil || !bytes.Equal(b, []byte("out/a")) {
		t.Errorf("outside: %q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "out/new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was made outside: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
