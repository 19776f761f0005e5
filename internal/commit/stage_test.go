package commit

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// TestInTurn: any number of hands does everything once, and finds the error that one hand finds.
func TestInTurn(t *testing.T) {
	bad := map[int]error{3: errors.New("three"), 7: errors.New("seven"), 50: errors.New("fifty")}
	for hands := range 9 {
		var done [100]atomic.Int32
		if err := parallel(100, hands+1, func(i int) error { done[i].Add(1); return nil }); err != nil {
			t.Fatal(err)
		}
		for i := range done {
			if n := done[i].Load(); n != 1 {
				t.Errorf("%d hands: %d was done %d times", hands+1, i, n)
			}
		}
		later := make(chan bool, 1)
		err := parallel(100, hands+1, func(i int) error {
			switch {
			case i == 7:
				later <- true
			case i == 3 && hands > 0:
				<-later // the seventh has failed before the third does
			}
			return bad[i]
		})
		if err != bad[3] {
			t.Errorf("%d hands: %v", hands+1, err)
		}
	}
}

// TestManyFilesKilled kills a transaction that several workers stage in two batches, at every nth call, before and after its
// effect, and recovers it.
func TestManyFilesKilled(t *testing.T) {
	t.Parallel()
	manyFiles(t, 61, func(c *sweep, w *world, where string, look func(*world, string)) {
		w.disk.Kill()
		look(w, where)
	})
}

// TestManyFilesPowerCut does the same with power cuts, and checks some of the possible states of the disk.
func TestManyFilesPowerCut(t *testing.T) {
	t.Parallel()
	manyFiles(t, 317, (*sweep).crash)
}

// manyFiles ends a transaction at every nth call, and recovers the worlds that end makes.
func manyFiles(t *testing.T, step int, end func(c *sweep, w *world, where string, look func(*world, string))) {
	start, set := map[string]string{}, []wish(nil)
	for i := range 2 * batchSize {
		p := fmt.Sprintf("d%d/f%d", i%7, i)
		start[p] = p
		set = append(set, []wish{{op: "update", path: p, text: "new " + p}, {op: "delete", path: p}, {op: "add", path: p + ".new", text: p}}[i%3])
	}
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		points := 0
		c := &sweep{t: t, kind: kind, set: set, points: &points, base: newWorld(t, kind, start)}
		w := c.world()
		c.before = w.visible(t)
		if err := w.doing(plain, t, set); err != nil {
			t.Fatal(err)
		}
		c.after = w.visible(t)
		found := map[bool]int{}
		for at := 0; !t.Failed(); at += step {
			f := &vfstest.Fault{At: at, After: at%2 == 0, Dead: true}
			w, _, more := c.at(f)
			end(c, w, where(f), func(w *world, where string) {
				isNew := c.recovered(w, where)
				found[isNew]++
				if !more && !isNew {
					t.Errorf("%v, %s: acknowledged, and lost", kind, where)
				}
			})
			if !more {
				break
			}
		}
		if found[true] == 0 || found[false] == 0 {
			t.Errorf("%v: %d times new, %d times old", kind, found[true], found[false])
		}
		t.Logf("%v: %d points, %d times new, %d times old", kind, points, found[true], found[false])
	}
}
