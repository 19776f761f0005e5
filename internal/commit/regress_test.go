package commit

import (
	"errors"
	"io/fs"
	"maps"
	"strings"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// An answered transaction stays, whichever call of a recovery fails that has only a record to write: once, or every time.
func TestAnsweredStaysWhenRecoveryFails(t *testing.T) {
	points := 0
	for _, dead := range []bool{false, true} {
		for _, after := range []bool{false, true} {
			for n := 0; ; n++ {
				w := newWorld(t, vfstest.Journal, files)
				if err := w.run(plain, w.changes(t, wishes)); err != nil {
					t.Fatal(err)
				}
				w.loseMark(t)
				answered := w.visible(t)
				f := &vfstest.Fault{At: n, Err: syscall.ENOSPC, After: after, Dead: dead, Reads: true}
				o, err := w.recover(f.Wrap)
				if !f.Fired() {
					break
				}
				points++
				if got := w.visible(t); !maps.Equal(got, answered) {
					t.Fatalf("%s: %+v, %v: %s", where(f), o, err, diff(got, answered))
				}
				w.disk.Kill()
				if o, err := w.recover(plain); err != nil || o.Tx != "" && o.End != Complete {
					t.Fatalf("%s, then: %+v, %v", where(f), o, err)
				}
			}
		}
	}
	t.Logf("%d points", points)
}

// One rename fails, and then one stat or read while everything is taken back. A refusal means that nothing changed.
func TestLookFailsInWalkBack(t *testing.T) {
	set := []wish{wishes[3], wishes[0], wishes[1]}
	points := 0
	for n := 0; ; n++ {
		probe := &vfstest.Fault{At: n}
		w := newWorld(t, vfstest.Journal, files)
		w.run(probe.Wrap, w.changes(t, set))
		if !probe.Fired() {
			break
		}
		if !strings.HasPrefix(probe.Trace()[n], "rename") {
			continue
		}
		for m := 0; ; m++ {
			w := newWorld(t, vfstest.Journal, files)
			before := w.visible(t)
			first, second := &vfstest.Fault{At: n, Err: syscall.ENOSPC}, &vfstest.Fault{At: m, Reads: true}
			err := w.run(func(d vfs.Dir) vfs.Dir { return second.Wrap(first.Wrap(d)) }, w.changes(t, set))
			if !second.Fired() {
				break
			}
			points++
			refused := err != nil && !isIndeterminate(err)
			if got := w.visible(t); refused && !maps.Equal(got, before) {
				t.Fatalf("%s, then %s: refused (%v), but %s", where(first), where(second), err, diff(got, before))
			}
		}
	}
	t.Logf("%d pairs", points)
}

// A transaction is killed at every call, and a person makes the same changes by hand: they stay.
func TestFinishedByHand(t *testing.T) {
	set := []wish{wishes[0], wishes[1]}
	for n := 0; ; n++ {
		w := newWorld(t, vfstest.Journal, files)
		f := &vfstest.Fault{At: n, After: true, Dead: true}
		w.run(f.Wrap, w.changes(t, set))
		if !f.Fired() {
			break
		}
		w.disk.Kill()
		root := w.disk.Root()
		sub, err := root.Dir("sub")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(ways["atomically"](root, "a.txt", wishes[0].text), ways["atomically"](sub, "x.txt", wishes[1].text)); err != nil {
			t.Fatal(err)
		}
		o, err := w.recover(plain)
		got := w.visible(t)
		if err != nil || got["a.txt"].Data != wishes[0].text || got["sub/x.txt"].Data != wishes[1].text {
			t.Fatalf("killed at %d (%s): %+v, %v: %v", n, f.Trace()[n], o, err, got)
		}
	}
}

// A program that had to wait for the lease writes into the old file after the kill, when that is in its slot already.
// Recovery says where that is.
func TestWriterInSlot(t *testing.T) {
	met := 0
	for n := 0; ; n++ {
		w := newWorld(t, vfstest.Journal, files)
		f := &vfstest.Fault{At: n, After: true, Dead: true}
		w.run(f.Wrap, w.changes(t, []wish{wishes[0], wishes[1]}))
		if !f.Fired() {
			break
		}
		w.disk.Kill()
		if !w.writeInSlot(t, files["a.txt"], "theirs\n") {
			continue
		}
		o, err := w.recover(plain)
		if err == nil && o.Tx == "" {
			break // it was over: what is written to an old file then is nobody's to notice
		}
		met++
		if err != nil || len(o.Notes) == 0 && !saved(w.visible(t), "a.txt", "theirs\n") {
			t.Fatalf("killed at %d (%s): %+v, %v", n, f.Trace()[n], o, err)
		}
	}
	if met == 0 {
		t.Error("the file was never in its slot")
	}
}

// writeInSlot writes into the slot that has this content.
func (w *world) writeInSlot(t *testing.T, old, text string) bool {
	t.Helper()
	store, err := w.disk.Root().Dir(storeName)
	if err != nil {
		t.Fatal(err)
	}
	slots, err := store.Dir("slots")
	if err != nil {
		t.Fatal(err)
	}
	names, err := slots.Names()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if data, _ := vfstest.ReadFile(slots, name); data == old {
			return ways["in place"](slots, name, text) == nil
		}
	}
	return false
}

// Without an exchange: the process is killed at every call, then an editor saves the file again as it is. Recovery completes.
func TestResavedWithoutExchange(t *testing.T) {
	for way, save := range ways {
		for n := 0; ; n++ {
			w := newWorld(t, vfstest.Journal, files)
			w.weak = true
			f := &vfstest.Fault{At: n, After: true, Dead: true}
			w.run(f.Wrap, w.changes(t, []wish{wishes[0], wishes[1]}))
			if !f.Fired() {
				break
			}
			w.disk.Kill()
			root := w.disk.Root()
			text, err := vfstest.ReadFile(root, "a.txt")
			if err != nil {
				t.Fatal(err)
			}
			if err := save(root, "a.txt", text); err != nil {
				t.Fatal(err)
			}
			if o, err := w.recover(plain); err != nil {
				t.Fatalf("%s, killed at %d (%s): %+v, %v", way, n, f.Trace()[n], o, err)
			}
		}
	}
}

// A link that a transaction deletes is another one by the time of recovery, with the same inode number, since numbers are
// used again. It stays.
func TestLinkIsKnownByWhatItSays(t *testing.T) {
	a := &act{}
	a.Old = newIdent(vfs.Info{ID: vfs.ID{Ino: 7}, Mode: 0o777 | fs.ModeSymlink}, hashText("there"))
	if got := classify(vfs.Info{ID: vfs.ID{Ino: 7}, Mode: 0o777 | fs.ModeSymlink}, hashText("elsewhere"), a); got != foreign {
		t.Errorf("another link with the same number is %v", got)
	}
	if got := classify(vfs.Info{ID: vfs.ID{Ino: 8}, Mode: 0o777 | fs.ModeSymlink}, hashText("there"), a); got != oldFile {
		t.Errorf("the same link with another number is %v", got)
	}
}

// A refusal after changes were taken back over somebody's saves says where their first save is kept.
func TestConflictIsSaid(t *testing.T) {
	w := newWorld(t, vfstest.Journal, files)
	said := 0
	for n := range 60 {
		w = newWorld(t, vfstest.Journal, files)
		saves := 0
		b := &beside{at: n}
		b.act = func() {
			root := w.disk.Root()
			defer root.Close()
			saves++
			ways["atomically"](root, "a.txt", strings.Repeat("again ", saves)+"\n")
			if saves < 3 {
				b.at = b.calls + 2 // and once more, a moment later
			}
		}
		err := w.run(b.Wrap, w.changes(t, []wish{wishes[0]}))
		e, _ := errors.AsType[*fail.Error](err)
		if e != nil && len(e.Notes) > 0 && strings.Contains(e.Notes[0], "kept as") {
			said++
		}
	}
	if said == 0 {
		t.Error("no refusal has said it")
	}
}
