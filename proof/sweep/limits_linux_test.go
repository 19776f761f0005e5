package sweep

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func init() { helpers["limited"] = runLimited }

// TestImmutable runs with files and directories that even root may not change, or may only append to.
func TestImmutable(t *testing.T) {
	prog := newProgram(t, "")
	top := t.TempDir()
	probe := filepath.Join(top, "probe")
	if err := os.WriteFile(probe, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := attribute(probe, unix.STATX_ATTR_IMMUTABLE); err != nil {
		t.Skipf("T2 NOT RUN: the immutable attribute: %v", err)
	}
	attribute(probe, 0)
	works := workloads(t, "mixed")
	if whole() {
		works = workloads(t)
	}
	for _, w := range works {
		frozen := attributes(t, prog, w, top, "immutable", unix.STATX_ATTR_IMMUTABLE)
		t.Logf("T2: immutable, %s: %s", w.name, frozen)
		if frozen.refused == 0 || frozen.undecided > 0 {
			t.Errorf("%s: immutable: %s", w.name, frozen)
		}
		// A file that was added to an append-only directory cannot be removed again.
		t.Logf("T2: append-only, %s: %s", w.name, attributes(t, prog, w, top, "append-only", unix.STATX_ATTR_APPEND))
	}
}

// attributes sets an attribute on each path of a tree in turn.
func attributes(t *testing.T, prog program, w *workload, top, what string, flag uint32) *count {
	t.Helper()
	var c count
	for _, name := range slices.Sorted(maps.Keys(w.before())) {
		c.try(t, realTrial{w: w, what: what + " " + name, prog: prog, as: prog, dir: top, around: func(ws string) func() {
			if err := attribute(filepath.Join(ws, name), flag); err != nil {
				t.Fatal(err)
			}
			return func() {
				// The file may have moved, and could not be removed otherwise.
				for now := range union(w.states...) {
					attribute(filepath.Join(ws, now), 0)
				}
			}
		}})
	}
	return &c
}

// attribute sets one of the two attributes of chattr, or neither. Other attributes stay. STATX_ATTR_IMMUTABLE and
// STATX_ATTR_APPEND have the values of FS_IMMUTABLE_FL and FS_APPEND_FL.
func attribute(name string, flag uint32) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	has, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil {
		return err
	}
	flags := uint32(has)&^(unix.STATX_ATTR_IMMUTABLE|unix.STATX_ATTR_APPEND) | flag
	return unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, int(flags))
}

// sizes are limits in bytes: too small for any file, for some files, for the log only, and large enough for all.
var sizes = []int{0, 1, 10, 20, 50, 100, 200, 400, 600, 800, 1000, 1500, 2000, 3000, 4096, 10000, 40000, 40600, 1 << 20}

// TestFileSizeLimit runs under ulimit -f, whose signal kills a program that does not ignore it.
func TestFileSizeLimit(t *testing.T) {
	prog := newProgram(t, "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	works := workloads(t, "mixed")
	if whole() {
		works = append(workloads(t), largeFiles(t))
	}
	for _, w := range works {
		var c count
		for _, limit := range sizes {
			bound := prog
			bound.front = []string{self, strconv.Itoa(limit)}
			bound.env = append(slices.Clone(prog.env), helperVar+"=limited", "GORACE=atexit_sleep_ms=0")
			c.try(t, realTrial{w: w, what: fmt.Sprint("ulimit ", limit), prog: prog, as: bound, dir: top})
		}
		if c.refused == 0 || c.done == 0 {
			t.Errorf("%s: %s", w.name, &c)
		}
		t.Logf("T2: ulimit -f, %s: %s", w.name, &c)
	}
}

// TestFewDescriptors runs under ulimit -n. However many files in one directory a patch names, it may have only few of them
// open.
func TestFewDescriptors(t *testing.T) {
	prog := newProgram(t, "")
	var c count
	for _, n := range []int{10, 60, 100} {
		w := changeSeveral(t, n)
		for _, limit := range []string{"32", "64"} {
			bound := prog
			bound.front = []string{"/bin/sh", "-c", "ulimit -n " + limit + ` && exec "$@"`, "sh"}
			before := c.done
			r := c.try(t, realTrial{w: w, what: "descriptors " + limit, prog: prog, as: bound, dir: t.TempDir()})
			if c.done == before {
				t.Errorf("%s with %s descriptors: exit %d: %s%s", w.name, limit, r.Exit, r.Out, r.ErrText)
			}
		}
	}
	t.Logf("T2: ulimit -n: %s", &c)
}

// changeSeveral returns a workload that changes n files.
func changeSeveral(t *testing.T, n int) *workload {
	t.Helper()
	var hunks, before, after strings.Builder
	for i := range n {
		fmt.Fprintf(&hunks, "*** Update File: f%d\n@@\n-old\n+new\n", i)
		fmt.Fprintf(&before, "-- 0/f%d --\nold\n", i)
		fmt.Fprintf(&after, "-- 1/f%d --\nnew\n", i)
	}
	name := fmt.Sprint("several-", n)
	file := filepath.Join(t.TempDir(), name+".txtar")
	text := "args\n-- patch --\n*** Begin Patch\n" + hunks.String() + "*** End Patch\n" + before.String() + after.String()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := prepare(t.TempDir(), file, name)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// runLimited runs a program with a limit on the size of files.
func runLimited(args []string) error {
	limit, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, helperVar+"=") })
	return unix.Exec(args[1], args[1:], env)
}
