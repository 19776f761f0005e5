package commit

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// holds lists the names in the history.
func (w *world) holds(t *testing.T) []string {
	t.Helper()
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	names, err := s.History().Slots().Names()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// records counts the records of a kind in the log, which must be undamaged.
func (w *world) records(t *testing.T, kind audit.Kind) int {
	t.Helper()
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rep, err := audit.Verify(s.logDir)
	if err != nil || !rep.Whole() {
		t.Fatalf("the log: %+v, %v", rep, err)
	}
	return rep.Kinds[kind]
}

// removal removes everything that the first transaction kept, by names or by the transaction.
func (w *world) removal(t *testing.T, byName bool) Removal {
	t.Helper()
	what := Removal{Records: []audit.Record{{Kind: audit.Purge, Message: "first"}, {Kind: audit.Purge, Message: "second"}}}
	names := w.holds(t)
	tx, _, _ := strings.Cut(names[0], ".")
	if byName {
		what.Names = history.Names(history.Slot(tx, 0))
	} else {
		what.Txs = []string{tx}
	}
	return what
}

func (w *world) purge(wrap func(vfs.Dir) vfs.Dir, what Removal, asked bool) error {
	s, err := w.open(wrap)
	if err != nil {
		return err
	}
	defer s.Close()
	if asked {
		return s.Purge(context.Background(), what)
	}
	_, err = s.Prune(what)
	return err
}

// A removal fails, or is killed, at every call, before and after its effect, and the power is cut: the tree is as it was, the
// log is undamaged, and it records whatever is gone. Run again, the removal completes.
func TestPurgeFails(t *testing.T) {
	points := 0
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		for mode := range 16 {
			byName, asked, after, dead := mode&1 > 0, mode&2 > 0, mode&4 > 0, mode&8 > 0
			for n := 0; ; n++ {
				w := newWorld(t, kind, files)
				if err := w.run(plain, w.changes(t, wishes)); err != nil {
					t.Fatal(err)
				}
				w.disk.Settle()
				tree, had, what := w.visible(t), w.holds(t), w.removal(t, byName)
				f := &vfstest.Fault{At: n, After: after, Dead: dead}
				err := w.purge(f.Wrap, what.again(), asked)
				if !f.Fired() {
					if err != nil {
						t.Fatal(err)
					}
					break
				}
				points++
				w.disk.Kill()
				if asked {
					w.disk = w.disk.Crash(func(cuts int) int { return n % cuts })
				}
				has := w.holds(t)
				if logged := w.records(t, audit.Purge); len(has) < len(had) && logged == 0 {
					t.Fatalf("%s: %q became %q with nothing on record", where(f), had, has)
				}
				if err == nil && asked && !byName && len(has) > 0 {
					t.Fatalf("%s: done, and there is still %q", where(f), has)
				}
				if err := w.purge(plain, what.again(), asked); err != nil {
					t.Fatalf("%s, then: %v", where(f), err)
				}
				if got := w.visible(t); !maps.Equal(got, tree) {
					t.Fatalf("%s: %s", where(f), diff(got, tree))
				}
				if has := w.holds(t); slices.Contains(has, what.first()) {
					t.Fatalf("%s, and again: there is still %q", where(f), has)
				}
			}
		}
	}
	t.Logf("%d points", points)
}

// again returns the same removal with fresh records.
func (r Removal) again() Removal {
	r.Records = slices.Clone(r.Records)
	return r
}

func (r Removal) first() string { return append(r.Names, history.Slot(append(r.Txs, "")[0], 0))[0] }

// After a power cut, purged content does not come back.
func TestPurgeIsDurable(t *testing.T) {
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		w := newWorld(t, kind, files)
		if err := w.run(plain, w.changes(t, wishes)); err != nil {
			t.Fatal(err)
		}
		if err := w.purge(plain, w.removal(t, false), true); err != nil {
			t.Fatal(err)
		}
		w.disk = w.disk.Crash(func(int) int { return 0 })
		if has := w.holds(t); len(has) > 0 || w.records(t, audit.Purge) != 2 {
			t.Errorf("there is still %q", has)
		}
	}
}

// Nothing is pruned while a transaction is pending, whoever began it, or while somebody has the lock; Purge recovers first.
func TestPruneBesideOthers(t *testing.T) {
	for n := 0; ; n++ {
		w := newWorld(t, vfstest.Journal, files)
		if err := w.run(plain, w.changes(t, wishes)); err != nil {
			t.Fatal(err)
		}
		what := w.removal(t, true)
		f := &vfstest.Fault{At: n, After: true, Dead: true}
		w.run(f.Wrap, w.changes(t, []wish{{op: "update", path: "a.txt", text: "again\n"}, {op: "delete", path: "new.txt"}}))
		if !f.Fired() {
			break
		}
		w.disk.Kill()
		s, err := w.open(plain)
		if err != nil {
			t.Fatal(err)
		}
		pending, err := s.Pending()
		if err != nil {
			t.Fatal(err)
		}
		done, err := s.Prune(what.again())
		if err != nil || done == (pending != nil) {
			t.Fatalf("%s: pruned %v, %v, with %+v pending", where(f), done, err, pending)
		}
		if err := s.Purge(context.Background(), what.again()); err != nil {
			t.Fatalf("%s: %v", where(f), err)
		}
		if pending, err := s.Pending(); pending != nil || err != nil {
			t.Fatalf("%s: %+v, %v", where(f), pending, err)
		}
		unlock, err := s.lock(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if done, err := s.Prune(what.again()); done || err != nil {
			t.Fatalf("pruned beside somebody at work: %v", err)
		}
		unlock()
		s.Close()
	}
}

// A purge removes what a power cut left of a transaction that was being staged. What the log has stays, and so does what is
// being staged.
func TestPurgeGarbage(t *testing.T) {
	w := newWorld(t, vfstest.Journal, files)
	if err := w.run(plain, w.changes(t, wishes[:1])); err != nil {
		t.Fatal(err)
	}
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const live, dead = "29990101-000000-aaaaaaaaaa", "20000101-000000-bbbbbbbbbb"
	mark, err := s.hist.Begin(live, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer mark.End()
	for _, tx := range []string{live, dead} {
		if err := s.hist.WriteText(history.Slot(tx, 0), "x"); err != nil {
			t.Fatal(err)
		}
	}
	had := w.holds(t)
	if err := s.Purge(context.Background(), Removal{Txs: []string{"nothing"}}); err != nil {
		t.Fatal(err)
	}
	if has := w.holds(t); len(has) != len(had)-1 || slices.ContainsFunc(has, func(n string) bool { return strings.HasPrefix(n, dead) }) {
		t.Errorf("%q became %q", had, has)
	}
}
