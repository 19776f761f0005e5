package commit

import (
	"context"
	"maps"
	"testing"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// withSegments makes a world with a log of several segments, of which nothing is in the history.
func withSegments(t *testing.T, kind vfstest.Kind) *world {
	t.Helper()
	w := newWorld(t, kind, files)
	if err := w.run(plain, w.changes(t, wishes)); err != nil {
		t.Fatal(err)
	}
	if err := w.purge(plain, w.removal(t, false), true); err != nil {
		t.Fatal(err)
	}
	w.rotate(t)
	return w
}

// rotate makes the log begin more segments.
func (w *world) rotate(t *testing.T) {
	t.Helper()
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l, err := audit.Open(s.logDir, audit.Options{SegmentSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for range 3 {
		if err := l.Append(&audit.Record{Kind: audit.Failed}, true); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *world) dropLog(wrap func(vfs.Dir) vfs.Dir, asked bool) (d audit.Droppable, err error) {
	s, err := w.open(wrap)
	if err != nil {
		return d, err
	}
	defer s.Close()
	if d, err = s.DroppableLog(audit.Retention{Bytes: 1}); err != nil || d.Segments == 0 {
		return d, err
	}
	if asked {
		return d, s.DropLog(context.Background(), d, audit.Record{})
	}
	return d, s.TryDropLog(d, audit.Record{})
}

// dropped returns the version of the store and the first record, and checks that the log is whole.
func (w *world) dropped(t *testing.T) (version string, first uint64) {
	t.Helper()
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w.records(t, audit.Drop)
	r, err := s.log.First()
	if err != nil {
		t.Fatal(err)
	}
	if version, _, err = parseFormat(s.dir); err != nil {
		t.Fatal(err)
	}
	return version, r.Seq
}

// A drop fails, or is killed, at every call, and the power is cut: the tree is as it was, the log is whole, and no older emend
// takes a log that begins late for damaged. Run again, the drop completes.
func TestDropLogFails(t *testing.T) {
	points := 0
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		for mode := range 8 {
			asked, after, dead := mode&1 > 0, mode&2 > 0, mode&4 > 0
			for n := 0; ; n++ {
				w := withSegments(t, kind)
				w.disk.Settle()
				tree := w.visible(t)
				f := &vfstest.Fault{At: n, After: after, Dead: dead}
				_, err := w.dropLog(f.Wrap, asked)
				if !f.Fired() {
					if err != nil {
						t.Fatal(err)
					}
					break
				}
				points++
				w.disk.Kill()
				w.disk = w.disk.Crash(func(cuts int) int { return n % cuts })
				if version, first := w.dropped(t); first > 1 && version != laterFormat {
					t.Fatalf("%s: the log begins with %d, and the store is %q", where(f), first, version)
				}
				if _, err := w.dropLog(plain, asked); err != nil {
					t.Fatalf("%s, then: %v", where(f), err)
				}
				if version, first := w.dropped(t); first == 1 || version != laterFormat {
					t.Fatalf("%s, and again: the log begins with %d, and the store is %q", where(f), first, version)
				}
				if got := w.visible(t); !maps.Equal(got, tree) {
					t.Fatalf("%s: %s", where(f), diff(got, tree))
				}
			}
		}
	}
	t.Logf("%d points", points)
}

// A segment stays if the history has something of one of its transactions; a store that was dropped from works on, and can be
// moved.
func TestDropLogKeepsWhatIsInUse(t *testing.T) {
	w := newWorld(t, vfstest.Journal, files)
	if err := w.run(plain, w.changes(t, wishes)); err != nil {
		t.Fatal(err)
	}
	w.rotate(t)
	if d, err := w.dropLog(plain, true); err != nil || d.Segments != 0 || d.HeldBy == "" {
		t.Fatalf("%+v, %v", d, err)
	}
	if err := w.purge(plain, w.removal(t, false), true); err != nil {
		t.Fatal(err)
	}
	if d, err := w.dropLog(plain, true); err != nil || d.Segments == 0 || d.HeldBy != "" {
		t.Fatalf("%+v, %v", d, err)
	}
	if err := w.run(plain, w.changes(t, []wish{{op: "update", path: "a.txt", text: "again\n"}})); err != nil {
		t.Fatal(err)
	}
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.reformat(Place{Dir: "/elsewhere/store", Top: "/elsewhere"}, false); err != nil {
		t.Fatal(err)
	}
	if version, top, err := parseFormat(s.dir); version != laterFormat || top != ".." || err != nil {
		t.Errorf("%q, %q, %v", version, top, err)
	}
}

// The policy drops nothing while a transaction is pending.
func TestTryDropLogBesideOthers(t *testing.T) {
	var w *world
	for n, pending := 0, false; !pending; n++ {
		w = withSegments(t, vfstest.Journal)
		f := &vfstest.Fault{At: n, After: true, Dead: true}
		w.run(f.Wrap, w.changes(t, []wish{{op: "update", path: "a.txt", text: "again\n"}}))
		if !f.Fired() {
			t.Fatal("no call left a pending transaction")
		}
		w.disk.Kill()
		s, err := w.open(plain)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Pending()
		if pending = r != nil; err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	if _, err := w.dropLog(plain, false); err != nil {
		t.Fatal(err)
	}
	if _, first := w.dropped(t); first != 1 {
		t.Errorf("the log begins with record %d", first)
	}
	if _, err := w.dropLog(plain, true); err != nil {
		t.Fatal(err)
	}
	if _, first := w.dropped(t); first == 1 {
		t.Error("nothing was dropped")
	}
}
