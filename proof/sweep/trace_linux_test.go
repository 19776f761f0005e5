package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// run traces c. Without permission to trace it skips the test.
func run(t *testing.T, c Command, faults ...Fault) Result {
	t.Helper()
	r, err := Trace(c, faults...)
	if errors.Is(err, ErrNotHere) {
		t.Skipf("T1 NOT RUN: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r.Hung {
		t.Fatalf("the program hangs after %v", r.Calls)
	}
	return r
}

// listing returns a small tree as one line.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		switch {
		case d.IsDir():
			rel += "/"
		case d.Type() == fs.ModeSymlink:
			to, _ := os.Readlink(name)
			rel += "->" + to
		default:
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			rel += "=" + string(b)
		}
		out = append(out, rel)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

// before returns the tree before act number k, from 1.
func before(k int) string {
	if k == 1 {
		return ""
	}
	return standInCalls[k-2].want
}

func TestTraceCounts(t *testing.T) {
	dir := t.TempDir()
	r := run(t, standIn(t, "script", dir))
	if r.Exit != 0 || r.Killed || r.Fired != 0 {
		t.Errorf("%+v", r)
	}
	for i, c := range r.Calls {
		if i >= len(standInCalls) || c.Name != standInCalls[i].name || !c.Made || c.Err != 0 {
			t.Errorf("call %d: %v", i+1, c)
		}
	}
	if got := listing(t, dir); len(r.Calls) != len(standInCalls) || got != standInCalls[len(standInCalls)-1].want {
		t.Errorf("%d calls and the tree %s, want %d", len(r.Calls), got, len(standInCalls))
	}
	if c := r.Calls[9]; c.Path != "./d/a" || c.To != "./b" {
		t.Errorf("the rename is %q to %q", c.Path, c.To)
	}
	if c := r.Calls[4]; c.Path != "./d/a" {
		t.Errorf("the fsync is of %q", c.Path)
	}
	if !strings.HasPrefix(r.Out, "mkdirat: <nil>\n") {
		t.Errorf("said %q", r.Out)
	}
}

func TestTraceKills(t *testing.T) {
	for k := 1; k <= len(standInCalls); k++ {
		for _, do := range []Do{KillBefore, KillAfter} {
			dir := t.TempDir()
			r := run(t, standIn(t, "script", dir), Fault{At: k, Do: do})
			want := standInCalls[k-1].want
			if do == KillBefore {
				want = before(k)
			}
			if got := listing(t, dir); got != want {
				t.Errorf("%v call %d: tree %q, want %q", do, k, got, want)
			}
			if !r.Killed || r.Signal != syscall.SIGKILL || r.Exit != -1 || r.Fired != 1 || len(r.Calls) != k {
				t.Errorf("%v call %d: %+v", do, k, r)
			}
			if made := r.Calls[k-1].Made; made != (do == KillAfter) {
				t.Errorf("%v call %d: made = %v", do, k, made)
			}
		}
	}
}

func TestTraceFails(t *testing.T) {
	errnos := []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EACCES, syscall.EDQUOT, syscall.EINTR}
	for k := 1; k <= len(standInCalls); k++ {
		for i, do := range []Do{Fail, FailAfter} {
			dir, errno := t.TempDir(), errnos[(k+i)%len(errnos)]
			seen := ""
			look := Fault{At: k + 1, Do: Meanwhile, Run: func() { seen = listing(t, dir) }}
			r := run(t, standIn(t, "script", dir), Fault{At: k, Do: do, Errno: errno}, look)
			want := standInCalls[k-1].want
			if do == Fail {
				want = before(k)
			}
			if r.Fired == 2 && seen != want {
				t.Errorf("%v call %d: tree %q, want %q", do, k, seen, want)
			}
			if c := r.Calls[k-1]; r.Exit != 0 || c.Err != errno || c.Made != (do == FailAfter) {
				t.Errorf("%v call %d: exit %d, %+v", do, k, r.Exit, c)
			}
			if said := fmt.Sprintf("%s: %v\n", standInCalls[k-1].name, errno); !strings.Contains(r.Out, said) {
				t.Errorf("%v call %d: said %q, want %q", do, k, r.Out, said)
			}
		}
	}
}

func TestTraceFailsForever(t *testing.T) {
	dir := t.TempDir()
	r := run(t, standIn(t, "script", dir), Fault{At: 3, Do: Fail, Errno: syscall.EIO, Forever: true})
	if got := listing(t, dir); got != before(3) {
		t.Errorf("tree %q, want %q", got, before(3))
	}
	for i, c := range r.Calls {
		if failed := c.Err == syscall.EIO; failed != (i >= 2) {
			t.Errorf("call %d: %v", i+1, c)
		}
	}
}

func TestTraceFollowsThreads(t *testing.T) {
	const threads = 20
	for range 3 {
		dir := t.TempDir()
		r := run(t, standIn(t, "threads", dir, fmt.Sprint(threads)))
		if len(r.Calls) != threads*callsPerThread {
			t.Errorf("%d calls, want %d", len(r.Calls), threads*callsPerThread)
		}
		syncs := slices.DeleteFunc(slices.Clone(r.Calls), func(c Call) bool { return c.Name != "fsync" })
		if len(syncs) != threads {
			t.Errorf("%d syncs, want %d", len(syncs), threads)
		}
	}
	// One fault happens once, not once in each thread.
	r := run(t, standIn(t, "threads", t.TempDir(), fmt.Sprint(threads)), Fault{At: 30, Do: Fail, Errno: syscall.EIO})
	failed := slices.DeleteFunc(r.Calls, func(c Call) bool { return c.Err != syscall.EIO })
	if r.Fired != 1 || len(failed) != 1 {
		t.Errorf("failed %v", failed)
	}
}

func TestTraceEndsWhatHangs(t *testing.T) {
	c := standIn(t, "hang", t.TempDir())
	c.Limit = time.Nanosecond // hang at once
	r, err := Trace(c)
	if errors.Is(err, ErrNotHere) {
		t.Skipf("T1 NOT RUN: %v", err)
	}
	if err != nil || !r.Hung || r.Killed {
		t.Errorf("%+v, %v", r, err)
	}
}
