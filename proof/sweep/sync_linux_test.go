package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/commit"
)

// syncCase is a transaction and its costs. content is the number of files staged with content; dirs is the number of
// directories that are created or in which a name changes.
type syncCase struct {
	name          string
	files         map[string]string
	patch         string
	content, dirs int
}

var syncCases = []syncCase{
	{"one update", given("a"), change("a"), 1, 1},
	{"three updates in one directory", given("d/a", "d/b", "d/c"), change("d/a", "d/b", "d/c"), 3, 1},
	{"updates in three directories", given("a", "d/b", "d/e/c"), change("a", "d/b", "d/e/c"), 3, 3},
	{"an add beside others", given("d/a"), "*** Add File: d/b\n+new\n", 1, 1},
	{"an add that makes two directories", given("a"), "*** Add File: d/e/b\n+new\n", 1, 3}, // ".", d, d/e
	{"two adds in a new directory", given("a"), "*** Add File: d/b\n+new\n*** Add File: d/c\n+new\n", 2, 2},
	{"a delete", given("d/a", "d/b"), "*** Delete File: d/a\n", 0, 1},
	{"a move in one directory", given("d/a"), "*** Move File: d/a -> d/b\n", 0, 1},
	{"a move across", given("d/a", "e/b"), "*** Move File: d/a -> e/a\n", 0, 2},
	{"a move with an edit", given("d/a", "e/b"), "*** Move File: d/a -> e/a\n@@\n-old\n+new\n", 1, 2},
	manyFiles(),
}

func given(names ...string) map[string]string {
	out := map[string]string{}
	for _, n := range names {
		out[n] = "old\n"
	}
	return out
}

func change(names ...string) string {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "*** Update File: %s\n@@\n-old\n+new\n", n)
	}
	return b.String()
}

// manyFiles changes twenty files, four of each kind, in two directories and a new one.
func manyFiles() syncCase {
	c := syncCase{name: "twenty files of every kind", files: map[string]string{}, content: 4 * 3, dirs: 4}
	var b strings.Builder
	for i := range 4 {
		for _, kind := range []string{"up", "del", "mv", "mved"} {
			c.files[fmt.Sprintf("d/%s%d", kind, i)] = "old\n"
		}
		fmt.Fprintf(&b, "*** Update File: d/up%d\n@@\n-old\n+new\n", i)
		fmt.Fprintf(&b, "*** Add File: new/add%d\n+new\n", i)
		fmt.Fprintf(&b, "*** Delete File: d/del%d\n", i)
		fmt.Fprintf(&b, "*** Move File: d/mv%d -> e/mv%d\n", i, i)
		fmt.Fprintf(&b, "*** Move File: d/mved%d -> e/mved%d\n@@\n-old\n+new\n", i, i)
	}
	c.files["e/keep"] = "old\n"
	c.patch = b.String()
	return c
}

// TestSyncs checks that a commit makes one sync for each new content, one for the slots, one for the log and one for each
// directory, and none with durability none. Without a journal there is one more, for the applied record.
func TestSyncs(t *testing.T) {
	prog := newProgram(t, "")
	t.Run("a disk without a journal", func(t *testing.T) {
		top := t.TempDir()
		if journaled(t, top) {
			t.Skipf("%s has a journal", top)
		}
		c := syncCases[0]
		if got, want := syncs(c.runIn(t, top, prog)), c.content+2+c.dirs+1; got != want {
			t.Errorf("%d syncs, want %d", got, want)
		}
		t.Logf("T1: without a journal: %s: %d+2+%d+1 syncs", c.name, c.content, c.dirs)
	})
	for _, c := range syncCases {
		t.Run(c.name, func(t *testing.T) {
			want := c.content + 2 + c.dirs
			calls := c.run(t, prog)
			if got := syncs(calls); got != want {
				t.Errorf("%d syncs, want %d+2+%d = %d:%s", got, c.content, c.dirs, want, listCalls(calls))
			}
			if got := syncs(c.run(t, prog, "--durability=none")); got != 0 {
				t.Errorf("%d syncs without durability, want 0", got)
			}
			t.Logf("T1: %s: %d+2+%d = %d syncs", c.name, c.content, c.dirs, want)
		})
	}
}

// TestSyncsSeePlantedBugs checks that a missing sync changes the count.
func TestSyncsSeePlantedBugs(t *testing.T) {
	for bug, missing := range map[string]int{"no-stage-sync": 3, "no-dir-sync": 1 + 3} {
		c := syncCases[2]
		if got, want := syncs(c.run(t, newProgram(t, bug))), c.content+2+c.dirs-missing; got != want {
			t.Errorf("%s: %d syncs, want %d", bug, got, want)
		}
	}
}

// run applies the case in a tree that has a store, and returns the calls.
func (c syncCase) run(t *testing.T, prog program, more ...string) []Call {
	t.Helper()
	return c.runIn(t, withJournal(t), prog, more...)
}

// withJournal returns a new directory where a commit makes no second names: in memory, if the disk has no journal.
func withJournal(t *testing.T) string {
	t.Helper()
	if dir := t.TempDir(); journaled(t, dir) {
		return dir
	}
	dir, err := os.MkdirTemp("/dev/shm", "emend")
	if err != nil {
		t.Skipf("T1 NOT RUN: the syncs of a file system with a journal: this one has none, and %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func journaled(t *testing.T, dir string) bool {
	t.Helper()
	is, err := commit.Filesystem(dir)
	if err != nil {
		t.Fatal(err)
	}
	return is.Journal
}

func (c syncCase) runIn(t *testing.T, top string, prog program, more ...string) []Call {
	t.Helper()
	dir := filepath.Join(top, "ws")
	w := &workload{git: true}
	files := union(c.files, tree{warmup: "0\n"})
	if err := w.plant(dir, files, nil); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"warm": warmPatch(0, 1), "patch": "*** Begin Patch\n" + c.patch + "*** End Patch\n"} {
		if err := os.WriteFile(filepath.Join(top, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if s := prog.run(dir, "apply", filepath.Join(top, "warm")); s.exit != 0 {
		t.Fatalf("the first transaction: exit %d, %s", s.exit, s.text)
	}
	r := run(t, prog.command(dir, append(append([]string{"apply", "--lenient"}, more...), filepath.Join(top, "patch"))...))
	if r.Exit != 0 {
		t.Fatalf("exit %d: %s%s", r.Exit, r.Out, r.ErrText)
	}
	return r.Calls
}

func syncs(calls []Call) int {
	n := 0
	for _, c := range calls {
		switch c.Name {
		case "fsync", "fdatasync":
			n++
		case "syncfs":
			return -1 // files do not count
		}
	}
	return n
}
