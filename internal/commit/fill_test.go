package commit

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/emend-dev/emend/internal/vfs"
)

// TestInTurn: any number of hands does everything once, and finds the error that one hand finds.
func TestInTurn(t *testing.T) {
	bad := map[int]error{3: errors.New("three"), 7: errors.New("seven"), 50: errors.New("fifty")}
	for hands := range 9 {
		var done [100]atomic.Int32
		if err := inTurn(100, hands+1, func(i int) error { done[i].Add(1); return nil }); err != nil {
			t.Fatal(err)
		}
		for i := range done {
			if n := done[i].Load(); n != 1 {
				t.Errorf("%d hands: %d was done %d times", hands+1, i, n)
			}
		}
		later := make(chan bool, 1)
		err := inTurn(100, hands+1, func(i int) error {
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

// TestManyFilesKilled: a transaction that several hands stage is killed at one call in so many, before and after its
// effect, and recovered.
func TestManyFilesKilled(t *testing.T) {
	t.Parallel()
	const n = 2 * many
	start := map[string]string{}
	var set []wish
	for i := range n {
		p := fmt.Sprintf("d%d/f%d", i%7, i)
		start[p] = p
		set = append(set, []wish{{op: "update", path: p, text: "new " + p}, {op: "delete", path: p}, {op: "add", path: p + ".new", text: p}}[i%3])
	}
	for _, kind := range []vfs.Kind{vfs.Journal, vfs.Strict} {
		points := 0
		c := &sweep{t: t, kind: kind, set: set, points: &points, base: newWorld(t, kind, start)}
		w := c.world()
		c.before = w.visible(t)
		if err := w.doing(plain, t, set); err != nil {
			t.Fatal(err)
		}
		c.after = w.visible(t)
		isNew, isOld := 0, 0
		for at := 0; !t.Failed(); at += 41 {
			f := &vfs.Fault{At: at, After: at%2 == 0, Dead: true}
			w, _, ok := c.at(f)
			if !ok {
				break
			}
			w.disk.Kill()
			if c.recovered(w, where(f)) {
				isNew++
			} else {
				isOld++
			}
		}
		if isNew == 0 || isOld == 0 {
			t.Errorf("%v: %d times new, %d times old", kind, isNew, isOld)
		}
		t.Logf("%v: %d points", kind, points)
	}
}
