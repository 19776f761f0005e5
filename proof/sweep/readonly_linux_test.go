package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestReadOnly runs on a file system that is read-only from the start, and on one that becomes read-only at each call of a
// commit.
func TestReadOnly(t *testing.T) {
	prog := newProgram(t, "")
	if !inNamespace(t, prog) {
		return
	}
	dir := mount(t, "tmpfs", "size=64m")
	freeze := func() error { return remount(dir, unix.MS_RDONLY, "") }
	thaw := func() {
		if err := remount(dir, 0, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range workloads(t, "mixed", "first") {
		var c count
		r := c.try(t, realTrial{w: w, what: "read-only", prog: prog, as: prog, dir: dir, around: func(string) func() {
			if err := freeze(); err != nil {
				t.Fatal(err)
			}
			return thaw
		}})
		if r.Exit != 1 {
			t.Errorf("%s: exit %d on a read-only file system: %s", w.name, r.Exit, r.ErrText)
		}
		t.Logf("T2: read-only, %s: %s", w.name, strings.ReplaceAll(r.ErrText, "\n", " "))
		turnReadOnly(t, prog, w, dir, freeze, thaw)
	}
}

// turnReadOnly makes the file system read-only at each call. The kernel refuses while a file is open for writing; such a call is
// skipped.
func turnReadOnly(t *testing.T, prog program, w *workload, dir string, freeze func() error, thaw func()) {
	t.Helper()
	var c count
	busy := 0
	step := 3
	if whole() {
		step = 1
	}
	for k, more := 1, true; more; k += step {
		tr := &trial{prog: prog, dir: filepath.Join(dir, "ws"), ease: thaw}
		tr.w, tr.name = w, fmt.Sprint(w.name, "/read-only from ", k)
		if err := w.copy(tr.dir, prog); err != nil {
			t.Fatal(err)
		}
		frozen := false
		r := run(t, prog.command(tr.dir, w.apply()...), Fault{At: k, Do: Meanwhile, Run: func() { frozen = freeze() == nil }})
		more = r.Fired > 0
		if more && !frozen {
			busy++
		}
		c.add(r.Exit)
		tr.report(t, r)
		if err := os.RemoveAll(tr.dir); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("T2: turns read-only, %s: %s; %d calls while a file was open for writing", w.name, &c, busy)
}
