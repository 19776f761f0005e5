package look

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/guard"
)

// TestFresh: a file is fresh if it was written within the resolution of the clock, by either of its times, or if its time lies ahead.
func TestFresh(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	if err := os.WriteFile(name, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	g, err := guard.Open(dir, guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	walkAt := func(now time.Time) file {
		t.Helper()
		tree, err := walk(t.Context(), g, now, nil, nil)
		if err != nil || len(tree.dirs) != 1 || len(tree.dirs[0].files) != 1 {
			t.Fatalf("%v: %+v", err, tree)
		}
		return tree.dirs[0].files[0]
	}
	f := walkAt(time.Now())
	written := time.Unix(0, max(f.ctime, f.mtime))
	for _, tt := range []struct {
		after time.Duration
		want  bool
	}{{-time.Hour, true}, {0, true}, {clockStep, true}, {clockStep + 1, false}, {time.Hour, false}} {
		if f := walkAt(written.Add(tt.after)); f.has(fresh) != tt.want {
			t.Errorf("%v after it was written it is fresh: %v", tt.after, f.has(fresh))
		}
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(name, long, long); err != nil {
		t.Fatal(err)
	}
	if f := walkAt(time.Unix(0, f.ctime)); f.ctime != f.mtime && !f.has(fresh) {
		t.Error("a file whose modification time was put back is not fresh")
	}
}

// TestShutOut: a directory that cannot be entered is marked in the one above it, also if that one is as it was.
func TestShutOut(t *testing.T) {
	dirs := []file{{path: "a", mode: fs.ModeDir | 0o755}, {path: "b", mode: fs.ModeDir}, {path: "c", mode: 0o644}}
	root := makeDirIndex("", dirs)
	above := makeDirIndex("a", []file{{path: "a/d", mode: fs.ModeDir}, {path: "a/e", mode: fs.ModeDir}})
	for _, settled := range []bool{true, false} {
		tr := &tree{dirs: []dir{{was: &root, settled: settled}, {path: "a", was: &above, settled: settled}}}
		if !settled {
			tr.dirs[0].files, tr.dirs[1].files = root.list(), above.list()
		}
		for _, p := range []string{"b", "a/e", "c", "none/x"} {
			tr.shutOut(p)
		}
		var out []string
		for _, d := range tr.dirs {
			if d.settled {
				t.Errorf("%q is settled", d.path)
			}
			for _, f := range d.files {
				if f.has(unentered) {
					out = append(out, f.path)
				}
			}
		}
		if want := []string{"b", "a/e"}; !slices.Equal(out, want) {
			t.Errorf("marked %q, want %q", out, want)
		}
	}
}

// TestOnlyWhatDiffers: whatever is done to a tree, comparing the directories that are not settled finds what comparing everything
// finds, and the index that is made of them says what one of the whole tree says.
func TestOnlyWhatDiffers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	root := t.TempDir()
	g, err := guard.Open(root, guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	at := time.Now().Add(time.Hour) // so that no file is fresh
	read := func(x *index) *tree {
		t.Helper()
		tr, err := walk(t.Context(), g, at, x, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, now := tr.unsettled(x)
		if err := readAllOf(t.Context(), g, nil, slices.DeleteFunc(slices.Clone(now), func(f *file) bool { return !f.mode.IsRegular() })); err != nil {
			t.Fatal(err)
		}
		for _, f := range now {
			if f.mode.IsRegular() {
				f.copy = 1
			}
		}
		return tr
	}
	was, settled, found := &index{}, 0, 0
	for step := range 150 {
		var did []string
		for range r.IntN(4) {
			did = append(did, disturb(t, r, root))
		}
		entered := &index{} // what the last look entered, and nothing of what is in it
		for _, d := range was.dirs {
			entered.dirs = append(entered.dirs, dirIndex{path: d.path})
		}
		tr, whole := read(was), read(entered)
		for _, d := range tr.dirs {
			if d.settled {
				settled++
			}
		}
		before, after := tr.unsettled(was)
		all := &tree{}
		for i := range was.dirs {
			all.dirs = append(all.dirs, dir{path: was.dirs[i].path, files: was.dirs[i].list()})
		}
		_, allBefore := all.unsettled(nil)
		_, allAfter := whole.unsettled(nil)
		got, want := words(compare(before, after)), words(compare(allBefore, allAfter))
		if got != want {
			t.Fatalf("step %d, %q: found\n%s\nwant\n%s", step, did, got, want)
		}
		if want != "" {
			found++
		}
		tr.leaveOut(nil)
		whole.leaveOut(nil)
		now := &index{dirs: tr.index()}
		if full := (&index{dirs: whole.index()}); !now.saysTheSame(full) {
			t.Fatalf("step %d, %q: the index is\n%+v\nwant\n%+v", step, did, now, full)
		}
		was = now
	}
	if settled < 100 || found < 50 {
		t.Errorf("%d directories were settled, and %d steps changed something", settled, found)
	}
}

// disturb does something to a tree, and says what.
func disturb(t *testing.T, r *rand.Rand, root string) string {
	t.Helper()
	name := func() string {
		p := root
		for range 1 + r.IntN(3) {
			p = filepath.Join(p, []string{"a", "b", "c", "a-b", "d e"}[r.IntN(5)])
		}
		return p
	}
	p, q := name(), name()
	var what string
	switch r.IntN(10) {
	case 0, 1, 2, 3: // always another size
		what = "write " + p
		os.MkdirAll(filepath.Dir(p), 0o755)
		os.WriteFile(p, bytes.Repeat([]byte("x"), r.IntN(1e5)), 0o644)
	case 4:
		what = "remove " + p
		os.RemoveAll(p)
	case 5, 6:
		what = "rename " + p + " " + q
		os.MkdirAll(filepath.Dir(q), 0o755)
		os.Rename(p, q)
	case 7:
		what = "chmod " + p
		os.Chmod(p, []fs.FileMode{0o700, 0o755, 0o744}[r.IntN(3)])
	case 8:
		what = "link " + p
		os.Symlink(filepath.Base(q), p)
	case 9:
		what = "ignore " + filepath.Base(p)
		rules := filepath.Join(root, ".ignore")
		if os.Remove(rules) != nil {
			os.WriteFile(rules, []byte(filepath.Base(p)+"\n"), 0o644)
		}
	}
	return what
}
