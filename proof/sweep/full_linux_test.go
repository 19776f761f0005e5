package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFullDisk runs on a tmpfs with a limited amount of free space, for each amount until everything fits.
func TestFullDisk(t *testing.T) {
	prog := newProgram(t, "")
	if !inNamespace(t, prog) {
		return
	}
	dir := mount(t, "tmpfs", roomy)
	works := []*workload{largeFiles(t)}
	if whole() {
		works = append(works, workloads(t)...)
	} else {
		works = append(works, workloads(t, "mixed")...)
	}
	for _, w := range works {
		fill(t, prog, w, dir, "bytes", func(room int) string {
			return fmt.Sprintf("size=%d", 4096*(used(t, dir).pages+room))
		})
		fill(t, prog, w, dir, "inodes", func(room int) string {
			return fmt.Sprintf("nr_inodes=%d", used(t, dir).inodes+room)
		})
	}
}

// fill gives a workload more and more space until it has succeeded often enough.
func fill(t *testing.T, prog program, w *workload, dir, what string, limit func(room int) string) {
	t.Helper()
	var c count
	for room := 0; c.done < 3; room++ {
		shrink := func(string) func() {
			resize(t, dir, limit(room))
			return func() { resize(t, dir, roomy) }
		}
		c.try(t, realTrial{w: w, what: fmt.Sprint(what, " ", room), prog: prog, as: prog, dir: dir, around: shrink})
		if room > 1000 {
			t.Fatalf("%s: never done", w.name)
		}
	}
	// Reverting needs no space, so nothing may stay undecided.
	if c.refused == 0 || c.undecided > 0 {
		t.Errorf("%s: full by %s: %s", w.name, what, &c)
	}
	t.Logf("T2: full by %s, %s: %s", what, w.name, &c)
}

const roomy = "size=64m,nr_inodes=10000"

func resize(t *testing.T, dir, options string) {
	t.Helper()
	if err := remount(dir, 0, options); err != nil {
		t.Fatal(err)
	}
}

type usage struct{ pages, inodes int }

func used(t *testing.T, dir string) usage {
	t.Helper()
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		t.Fatal(err)
	}
	return usage{int((s.Blocks - s.Bfree) * uint64(s.Bsize) / 4096), int(s.Files - s.Ffree)}
}

// largeFiles returns a workload whose files have many pages.
func largeFiles(t *testing.T) *workload {
	t.Helper()
	line := strings.Repeat("x", 99) + "\n"
	file := filepath.Join(t.TempDir(), "large.txtar")
	body := strings.Repeat(line, 400)
	text := "args --lenient\n-- patch --\n*** Begin Patch\n*** Update File: a\n@@\n-first\n+FIRST\n" +
		"*** Add File: d/b\n" + strings.Repeat("+"+line, 400) +
		"*** Move File: c -> e\n@@\n-first\n+FIRST\n*** Delete File: f\n*** End Patch\n" +
		"-- 0/a --\nfirst\n" + body + "-- 0/c --\nfirst\n" + body + "-- 0/f --\n" + body +
		"-- 1/a --\nFIRST\n" + body + "-- 1/d/b --\n" + body + "-- 1/e --\nFIRST\n" + body
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := prepare(t.TempDir(), file, "large")
	if err != nil {
		t.Fatal(err)
	}
	return w
}
