package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// landing is the command line that lands the only layer of a tree. The layer was refused for a protected file, which this allows.
var landing = []string{"run", "--allow-protected", "**", "--land", "2"}

// errNoLayer says that this system makes no layers.
type errNoLayer string

func (e errNoLayer) Error() string { return string(e) }

// keepLayer runs the script of a landing over a layer, which is refused and kept.
func (w *workload) keepLayer(dir string, p program) error {
	s := p.run(dir, "run", "--mode", "overlay", "--", "sh", "-ec", w.land)
	if strings.Contains(s.text, "no overlay") {
		return errNoLayer(s.text)
	}
	if s.exit == 0 || !strings.Contains(s.text, "protected") {
		return fmt.Errorf("the layer was not refused as it should be: exit %d, %s", s.exit, s.text)
	}
	return nil
}

// checkLayer checks that the layer is there if the tree is the old one, and that it lands or says why not; and that nothing of it lands
// again if the tree is the new one.
func (t *trial) checkLayer() error {
	if t.w.land == "" {
		return nil
	}
	got, err := t.w.read(t.dir)
	if err != nil {
		return err
	}
	delete(got, warmup)
	state := func(s tree) bool {
		s = union(s)
		delete(s, warmup)
		return difference(got, s) == ""
	}
	old := state(t.w.before())
	kept := t.prog.run(t.dir, "run", "--kept")
	if there := strings.Contains(kept.text, "sh -ec"); old && !there {
		t.complain("the tree is the old one, and the layer is gone: %s", kept.text)
	}
	again := t.prog.run(t.dir, landing...)
	got, err = t.w.read(t.dir)
	if err != nil {
		return err
	}
	delete(got, warmup)
	// What was taken back has a new time of change, by which the layer may be refused.
	if isNew := state(t.w.after()); !isNew && (!old || again.exit == 0 || !state(t.w.before())) {
		t.complain("landed again: exit %d: %s: %s", again.exit, again.text, difference(got, t.w.after()))
	}
	if left, _ := filepath.Glob(filepath.Join(t.dir, store(t.dir), "dropped", "*")); len(left) > 0 {
		t.complain("left in the store: %q", left)
	}
	return nil
}

// landings prepares the landings in a directory on a file system where whole directories move, and where layers can be made.
func landings(t *testing.T, prog program) (works []*workload, top string) {
	t.Helper()
	top = t.TempDir()
	if shm, err := os.MkdirTemp("/dev/shm", "emend-sweep-"); err == nil {
		t.Cleanup(func() { os.RemoveAll(shm) })
		top = shm
	}
	works = workloadsIn(t, "landings")
	for _, w := range works {
		dir := filepath.Join(top, "probe")
		err := w.copy(dir, prog)
		if none, ok := errors.AsType[errNoLayer](err); ok {
			t.Skip("T1 NOT RUN: ", none)
		}
		if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
			t.Fatal(err)
		}
	}
	return works, top
}

// TestSweepLandings is T1 for a layer that lands: killed, and failed, at every call; then recovered. The tree is the old one and the layer
// is there, or the tree is the new one.
func TestSweepLandings(t *testing.T) {
	prog := newProgram(t, "")
	works, top := landings(t, prog)
	var singles, doubles []point
	for _, w := range works {
		n := len(w.recordIn(t, prog, top))
		singles, doubles = append(singles, w.points(n)...), append(doubles, w.pairs(n)...)
	}
	points := slices.Concat(singles, doubles)
	if only := setting("ONLY", ""); only != "" {
		points = slices.DeleteFunc(points, func(p point) bool { return !strings.Contains(p.name, only) })
	} else if !whole() {
		n := int(number(t, "POINTS", 120)) / 3
		points = append(some(t, singles, n*2/3), some(t, doubles, n/3)...)
	}
	sum := sweepIn(t, prog, points, top)
	for _, w := range sum.wrong {
		t.Error(w)
	}
	t.Logf("T1: %d points of %d landings swept (%d after the end), %d violations", sum.tried, len(works), sum.missed, len(sum.wrong))
}
