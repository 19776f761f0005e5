package commit

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// Every call panics once, before or after its effect, in the goroutine of the transaction or in one of its workers. No panic
// leaves Run. The error says whether recovery has to decide. The lock is free, so that another process can recover, and so
// does the next transaction of the same process. The tree is the old one or the new one.
func TestEveryCallPanics(t *testing.T) {
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprintf("after=%v", after), func(t *testing.T) {
			each(t, func(c *sweep) {
				if len(c.set) == 3 {
					return // a panic ends where an error or a kill does; singles, pairs and all of them are enough
				}
				for n := 0; ; n++ {
					f := &vfstest.Fault{At: n, After: after, Panic: true}
					if !c.panicking(f) || c.t.Failed() {
						return
					}
				}
			})
		})
	}
}

// panicking runs the transaction with a call that panics, and the next one in the same process. It reports whether there
// was such a call.
func (c *sweep) panicking(f *vfstest.Fault) bool {
	c.t.Helper()
	w := c.world()
	s, err := w.open(f.Wrap)
	if err != nil {
		c.t.Fatal(err)
	}
	defer s.Close()
	tx := Tx{Changes: w.changes(c.t, c.set), RemoveDirs: pruned(c.set), MakeDirs: made(c.set), Record: audit.Record{Kind: audit.Commit},
		Files: tree(func() vfs.Dir { return w.root(f.Wrap) })}
	err = panics.Call(func() error { _, err := s.Run(context.Background(), tx); return err })
	*c.points++
	if !f.Fired() {
		return false
	}
	at := where(f)
	if err == nil { // the call fails anyway, and that is ignored
		if !c.whole(w, at) {
			c.t.Errorf("%v, %v, %s: no error, and the tree is the old one", c.on(), c.set, at)
		}
		return true
	}
	e, ok := err.(*fail.Error)
	if p, caused := errors.AsType[*panics.Value](err); !ok || !caused || len(p.Stack) == 0 {
		c.t.Errorf("%v, %v, %s panics: %v", c.on(), c.set, at, err)
		return true
	}
	undecided := e.Kind == fail.CommandFailed && e.Reason == fail.Indeterminate
	if !undecided && (e.Kind != fail.Unknown || c.whole(w, at)) {
		c.t.Errorf("%v, %v, %s panics: %v, and the tree is the new one: %v", c.on(), c.set, at, err, c.whole(w, at))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if f.At%2 == 0 { // another process comes first
		other, err := w.open(plain)
		if err == nil {
			_, err = other.Recover(ctx)
			other.Close()
		}
		if err != nil {
			c.t.Errorf("%v, %v, %s panics, and another process cannot recover: %v", c.on(), c.set, at, err)
		}
	}
	next := Tx{Changes: w.changes(c.t, []wish{{op: "add", path: "same.txt", text: "same process\n"}}), Record: audit.Record{Kind: audit.Commit}}
	if _, err := s.Run(ctx, next); err != nil {
		c.t.Errorf("%v, %v, %s panics, and the next transaction fails: %v", c.on(), c.set, at, err)
	}
	if err := w.disk.Root().Remove("same.txt"); err != nil {
		c.t.Errorf("%v, %v, %s panics: %v", c.on(), c.set, at, err)
	}
	c.whole(w, at)
	w.disk.Kill() // a marker of the panic stays locked as long as the process lives
	if _, err := w.recover(plain); err != nil {
		c.t.Errorf("%v, %v, %s panics: %v", c.on(), c.set, at, err)
	}
	c.sound(w, at)
	return true
}

// A panic of recovery leaves it to the next one, in the same process.
func TestRecoveryPanics(t *testing.T) {
	each(t, func(c *sweep) {
		if len(c.set) == 2 {
			return // as in TestRecoveryIsKilled
		}
		for n := 0; ; n++ {
			f := &vfstest.Fault{At: n, After: true, Dead: true}
			w, _, ok := c.at(f)
			if !ok {
				return
			}
			w.disk.Kill()
			if p, err := pending(w); err != nil || !p || n%7 > 0 {
				continue
			}
			c.recoveryPanics(w, fmt.Sprintf("killed at %s", where(f)))
			if c.t.Failed() {
				return
			}
		}
	})
}

func (c *sweep) recoveryPanics(w *world, at string) {
	c.t.Helper()
	for m := 0; ; m++ {
		f := &vfstest.Fault{At: m, After: m%2 == 0, Panic: true}
		now := w.cut(func(int) int { return 0 })
		s, err := now.open(f.Wrap)
		if err != nil {
			c.t.Fatal(err)
		}
		again := func() error { _, err := s.Recover(context.Background()); return err }
		panics.Call(again) //nolint:errcheck // that it panics is what is wanted
		*c.points++
		if !f.Fired() {
			s.Close()
			return
		}
		if err := again(); err != nil {
			c.t.Errorf("%v, %v, %s: recovery panics at %s, and the next one fails: %v", c.on(), c.set, at, where(f), err)
		}
		c.whole(now, at)
		s.Close()
		now.disk.Kill()
		c.sound(now, at)
		if c.t.Failed() {
			return
		}
	}
}

// A panic of one worker is the error of its number, and the other workers end.
func TestParallelPanics(t *testing.T) {
	for workers := range 5 {
		err := parallel(100, workers+1, func(i int) error {
			if i == 3 {
				panic("three")
			}
			return nil
		})
		if p, ok := errors.AsType[*panics.Value](err); !ok || p.Panic != "three" {
			t.Errorf("%d workers: %v", workers+1, err)
		}
	}
}
