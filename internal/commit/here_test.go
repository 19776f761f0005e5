package commit

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// newWorldHere makes a world in a directory of the system that the test runs on.
func newWorldHere(t *testing.T, dir string) *world {
	t.Helper()
	w := &world{path: dir, noSync: runtime.GOOS == "linux" && !*whole} // what it costs elsewhere is the price of running the calls
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.createStore(t)
	return w
}

// On the system that the test runs on, whichever it is, every call fails, and is the last one of a process; then recovery. The disk in
// memory cannot know all answers of a system, and its own code is run by nothing else.
func TestEveryCallHere(t *testing.T) {
	if slow && !*whole {
		t.Skip("NOT RUN: the same without the race detector")
	}
	if !Supported {
		t.Skip("NOT RUN: nothing is written on " + runtime.GOOS)
	}
	points := 0
	for _, set := range [][]wish{wishes[:1], wishes[3:4], wishes[5:6], wishes[6:7], wishes[8:9], {wishes[0], wishes[4], wishes[5], wishes[9]}, wishes} {
		if !*whole && (len(set) > 4 || len(set) > 1 && runtime.GOOS == "linux") {
			continue
		}
		c := &sweep{t: t, set: set, points: &points}
		c.here(func(w *world) {
			c.before = w.visible(t)
			if err := w.doing(plain, t, set); err != nil {
				t.Fatalf("%v: %v", set, err)
			}
			c.after = w.visible(t)
		})
		for _, dead := range []bool{false, true} {
			for _, after := range []bool{false, true} {
				for n, more := 0, true; more && !t.Failed(); n++ {
					c.here(func(w *world) { more = c.disturbHere(w, &vfstest.Fault{At: n, After: after, Dead: dead}) })
				}
			}
		}
	}
	t.Logf("%d points", points)
}

// here calls f with a new world.
func (c *sweep) here(f func(w *world)) {
	c.t.Helper()
	dir, err := os.MkdirTemp(c.t.TempDir(), "")
	if err != nil {
		c.t.Fatal(err)
	}
	f(newWorldHere(c.t, dir))
	if err := os.RemoveAll(dir); err != nil {
		c.t.Errorf("something is still open: %v", err)
	}
}

// disturbHere carries out the transaction with a fault and checks what is left. It reports whether the fault was reached.
func (c *sweep) disturbHere(w *world, f *vfstest.Fault) bool {
	c.t.Helper()
	err := w.doing(f.Wrap, c.t, c.set)
	if !f.Fired() {
		return false
	}
	*c.points++
	if isNew := c.recovered(w, where(f)); err == nil && !isNew {
		c.t.Errorf("%v, %s: acknowledged, and the tree is the old one", c.set, where(f))
	}
	return true
}
