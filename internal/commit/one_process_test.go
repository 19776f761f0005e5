package commit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// several are transactions that one process carries out, one after the other. None needs another.
var several = [][]wish{{wishes[0], wishes[3]}, {wishes[5], wishes[4]}, {wishes[6], wishes[8]}}

// runSeveral carries out the transactions with one open store, whatever becomes of each, and returns their errors.
func (w *world) runSeveral(wrap func(vfs.Dir) vfs.Dir, changes [][]Change) []error {
	errs := make([]error, len(changes))
	s, err := w.open(wrap)
	if err != nil {
		for i := range errs {
			errs[i] = err
		}
		return errs
	}
	defer s.Close()
	for i := range changes {
		tx := Tx{Changes: changes[i], Record: audit.Record{Kind: audit.Commit}}
		for _, c := range changes[i] {
			tx.Record.Ops = append(tx.Record.Ops, audit.Op{Operation: "change", Path: c.Path})
		}
		_, errs[i] = s.Run(context.Background(), tx)
	}
	return errs
}

// checkKept checks that everything that was in the tree at first is in the tree or in the history.
func (w *world) checkKept(t *testing.T, where string) {
	t.Helper()
	all, err := vfstest.Snapshot(w.disk.Root())
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, n := range all {
		have[n.Data] = true
	}
	for name, text := range files {
		if !have[text] {
			t.Errorf("%s: what %s had is lost", where, name)
		}
	}
}

// treesOf returns the tree for each set of transactions that are done, as bits.
func treesOf(t *testing.T, kind vfstest.Kind, several [][]wish) map[int]map[string]vfstest.Node {
	out := map[int]map[string]vfstest.Node{}
	for done := range 1 << len(several) {
		w := newWorld(t, kind, files)
		for i, set := range several {
			if done&(1<<i) == 0 {
				continue
			}
			if err := w.doing(plain, t, set); err != nil {
				t.Fatal(err)
			}
		}
		out[done] = w.visible(t)
	}
	return out
}

// A process carries out several transactions, as a server does. A call of any of them fails, or the process is killed there, or
// the power is cut. Every transaction that was acknowledged is done, every one that was refused is not, and the one that was cut
// off is done or not.
func TestOneProcess(t *testing.T) {
	points := 0
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		trees := treesOf(t, kind, several)
		for _, f := range []*vfstest.Fault{{Err: syscall.EIO}, {Err: syscall.EIO, After: true}, {Err: syscall.ENOSPC}, {Dead: true}, {Dead: true, After: true}} {
			for n := 0; ; n++ {
				fault := &vfstest.Fault{At: n, Err: f.Err, After: f.After, Dead: f.Dead}
				w := newWorld(t, kind, files)
				var changes [][]Change
				for _, set := range several {
					changes = append(changes, w.changes(t, set))
				}
				errs := w.runSeveral(fault.Wrap, changes)
				if !fault.Fired() {
					break
				}
				cuts := 1
				if f.Dead && f.After {
					cuts = 4
				}
				for cut := range cuts {
					points++
					where := fmt.Sprintf("%v, %s, errors %v, cut %d", kind, where(fault), errs, cut)
					after := *w
					if cut > 0 {
						after = *w.cut(func(n int) int { return (cut * 7) % n })
					}
					checkOutcomes(t, &after, trees, errs, func(first bool) bool { return f.Dead && first }, where)
					if t.Failed() {
						return
					}
				}
			}
		}
	}
	t.Logf("%d points", points)
}

// checkOutcomes recovers and checks that the tree is as the errors of the transactions say. mayBeDone says whether one that
// was not acknowledged may be done nevertheless, given whether it is the first.
func checkOutcomes(t *testing.T, w *world, trees map[int]map[string]vfstest.Node, errs []error, mayBeDone func(first bool) bool, where string) {
	t.Helper()
	w.disk.Kill()
	if _, err := w.recover(plain); err != nil {
		t.Errorf("%s: recovery: %v", where, err)
	}
	got := w.visible(t)
	for done, tree := range trees {
		if !maps.Equal(got, tree) {
			continue
		}
		first := true
		for i, err := range errs {
			isDone := done&(1<<i) != 0
			e, _ := errors.AsType[*fail.Error](err)
			open := e != nil && e.Reason == fail.Indeterminate || mayBeDone(first)
			switch {
			case err == nil && !isDone:
				t.Errorf("%s: transaction %d was acknowledged, and is lost", where, i)
			case err != nil && isDone && !open:
				t.Errorf("%s: transaction %d was refused, and is done", where, i)
			}
			first = first && err == nil
		}
		if o, err := w.recover(plain); err != nil || !o.Nothing() {
			t.Errorf("%s: something was left to recover: %+v, %v", where, o, err)
		}
		w.checkKept(t, where)
		return
	}
	t.Errorf("%s: the tree is that of no set of transactions", where)
}
