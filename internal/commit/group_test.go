package commit

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// oneGroup are transactions that one process commits as a group.
var oneGroup = [][]wish{{wishes[0]}, {wishes[1], wishes[2]}, {{op: "update", path: "b.txt", text: "B\n"}}}

// runTogether commits the transactions as one group, in the goroutine of the caller, and returns their errors.
func (w *world) runTogether(wrap func(vfs.Dir) vfs.Dir, sets [][]Change) []error {
	errs := make([]error, len(sets))
	all := func(err error) []error {
		for i := range errs {
			errs[i] = err
		}
		return errs
	}
	s, err := w.open(wrap)
	if err != nil {
		return all(err)
	}
	defer panics.Call(s.Close) //nolint:errcheck // one call of a sweep panics
	s.hands = 1
	staged := make([]*transaction, len(sets))
	for i, changes := range sets {
		t := s.newTransaction(context.Background(), recordedTx(changes))
		defer panics.Call(func() error { t.close(); return nil }) //nolint:errcheck // as above
		if err := panics.Call(func() error { return t.stage(t.ctx) }); err != nil {
			errs[i] = err
			continue
		}
		s.queue.add(t)
		staged[i] = t
	}
	err = panics.Call(func() error {
		unlock, err := s.lock(context.Background())
		if err == nil {
			s.runNextGroup(unlock)
		}
		return err
	})
	for i, t := range staged {
		if t != nil {
			if errs[i] = t.err; err != nil {
				errs[i] = err
			}
		}
	}
	return errs
}

// recordedTx returns a transaction of changes with its record.
func recordedTx(changes []Change) Tx {
	tx := Tx{Changes: changes, Record: audit.Record{Kind: audit.Commit}}
	for _, c := range changes {
		tx.Record.Ops = append(tx.Record.Ops, audit.Op{Operation: "change", Path: c.Path})
	}
	return tx
}

// A group is disturbed at every call: the call fails, panics, or the process is killed there, or the power is cut. Every
// transaction that was acknowledged is done, every one that was refused is not, and the next process recovers the others,
// each entirely or not at all.
func TestGroupIsDisturbed(t *testing.T) {
	points, undecided := 0, 0
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		trees := treesOf(t, kind, oneGroup)
		for _, f := range []*vfstest.Fault{{Err: syscall.EIO}, {Err: syscall.EIO, After: true}, {Err: syscall.ENOSPC}, {Panic: true}, {Panic: true, After: true},
			{Dead: true}, {Dead: true, After: true}} {
			for n := 0; ; n++ {
				fault := &vfstest.Fault{At: n, Err: f.Err, After: f.After, Dead: f.Dead, Panic: f.Panic}
				w := newWorld(t, kind, files)
				errs := w.runTogether(fault.Wrap, w.allChanges(t, oneGroup))
				if !fault.Fired() {
					break
				}
				cuts := 3
				if f.Dead {
					cuts = 16
				}
				for cut := range cuts {
					points++
					after := *w
					if cut > 0 {
						after = *w.cut(func(n int) int { return (cut * 7) % n })
					}
					if p, err := pending(&after); err == nil && p {
						undecided++
					}
					checkOutcomes(t, &after, trees, errs, everyOpen(f.Dead), fmt.Sprintf("%v, %s, errors %v, cut %d", kind, where(fault), errs, cut))
					if t.Failed() {
						return
					}
				}
			}
		}
	}
	t.Logf("%d points, %d with something pending", points, undecided)
}

// everyOpen says which transactions may be done although they were not acknowledged: with a process that died, all of them.
func everyOpen(dead bool) func(first bool) bool { return func(bool) bool { return dead } }

// allChanges plans several transactions on the current disk.
func (w *world) allChanges(t *testing.T, sets [][]wish) (out [][]Change) {
	for _, set := range sets {
		out = append(out, w.changes(t, set))
	}
	return out
}

// The recovery of a group is killed at every call, again and again, and goes on where it was.
func TestRecoveryOfGroupIsKilled(t *testing.T) {
	met := 0
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		trees := treesOf(t, kind, oneGroup)
		for n := 0; ; n++ {
			fault := &vfstest.Fault{At: n, After: true, Dead: true}
			w := newWorld(t, kind, files)
			errs := w.runTogether(fault.Wrap, w.allChanges(t, oneGroup))
			if !fault.Fired() {
				break
			}
			w.disk.Kill()
			if p, err := pending(w); err != nil || !p {
				continue
			}
			met++
			for m := 0; ; m++ {
				f := &vfstest.Fault{At: m, After: m%2 == 0, Dead: true}
				w.recover(f.Wrap)
				if !f.Fired() {
					break
				}
				if w.disk.Kill(); m%5 == 0 {
					after := w.cut(func(n int) int { return m % n })
					checkOutcomes(t, after, trees, errs, everyOpen(true), fmt.Sprintf("%v, killed at %d, and in recovery at %s", kind, n, where(f)))
				}
			}
			checkOutcomes(t, w, trees, errs, everyOpen(true), fmt.Sprintf("%v, killed at %d, and in each recovery", kind, n))
			if t.Failed() {
				return
			}
		}
	}
	if met == 0 {
		t.Error("no call left a group pending")
	}
}

// A member that cannot be committed is refused, and the others are committed.
func TestMemberFailsAlone(t *testing.T) {
	w := newWorld(t, vfstest.Journal, files)
	changes := w.allChanges(t, oneGroup)
	if err := w.doing(plain, t, []wish{{op: "update", path: "b.txt", text: "somebody's\n"}}); err != nil {
		t.Fatal(err)
	}
	errs := w.runTogether(plain, changes)
	if errs[0] != nil || errs[1] != nil || !errors.Is(errs[2], fail.Stale) {
		t.Errorf("errors %v", errs)
	}
	if got := w.read(t, "a.txt") + w.read(t, "b.txt"); got != "one\nTWO\nsomebody's\n" {
		t.Errorf("the tree has %q", got)
	}
	if o, err := w.recover(plain); err != nil || !o.Nothing() {
		t.Errorf("left to recover: %+v, %v", o, err)
	}
}

// A store has the later format from its first group of several on.
func TestFormatOfGroups(t *testing.T) {
	w := newWorld(t, vfstest.Journal, files)
	is := func(want string) {
		t.Helper()
		s, err := w.open(plain)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if version, top, err := parseFormat(s.dir); version != want || top != ".." || err != nil {
			t.Errorf("the format is %q, %q, %v; want %q", version, top, err, want)
		}
	}
	for n, want := range []string{format, laterFormat, laterFormat} {
		set := [][]wish{{{op: "update", path: "a.txt", text: fmt.Sprintln("a", n)}}, {{op: "update", path: "b.txt", text: fmt.Sprintln("b", n)}}}
		for _, err := range w.runTogether(plain, w.allChanges(t, set[:1+n%2])) {
			if err != nil {
				t.Fatal(err)
			}
		}
		is(want)
	}
}

// A group syncs the log once, and each directory once.
func TestGroupSyncs(t *testing.T) {
	fault := &vfstest.Fault{At: -1}
	w := newWorld(t, vfstest.Journal, files)
	for _, err := range w.runTogether(plain, w.allChanges(t, [][]wish{{{op: "update", path: "d.txt", text: "D\n"}}, {{op: "update", path: "m.txt", text: "M\n"}}})) {
		if err != nil {
			t.Fatal(err) // from here on the store has the later format
		}
	}
	for i, err := range w.runTogether(fault.Wrap, w.allChanges(t, oneGroup)) {
		if err != nil {
			t.Errorf("transaction %d: %v", i, err)
		}
	}
	var got []string
	for _, call := range fault.Trace() {
		if strings.Contains(call, "sync") {
			got = append(got, call)
		}
	}
	// Files, the slots for each transaction, the store once for each process, the log, two directories.
	if want := 4 + 3 + 1 + 1 + 2; len(got) != want {
		t.Errorf("%d syncs, want %d:\n%s", len(got), want, strings.Join(got, "\n"))
	}
}

func TestTake(t *testing.T) {
	// A letter is an edit of the file of that name, one in upper case another kind of change; "=k" gives the key k.
	queue := func(words string) *txQueue {
		q := &txQueue{}
		for word := range strings.FieldsSeq(words) {
			paths, key, _ := strings.Cut(word, "=")
			tx := &transaction{id: word, tx: Tx{Record: audit.Record{Idem: key}}}
			for _, r := range paths {
				a := &act{Act: audit.Act{Do: audit.DoSwap, Path: strings.ToLower(string(r))}}
				if a.Path != string(r) {
					a.Do = audit.DoPut
				}
				tx.acts = append(tx.acts, a)
			}
			q.add(tx)
		}
		return q
	}
	for _, tc := range []struct{ waiting, groups string }{
		{"", ""},
		{"a", "a"},
		{"a b c", "a b c"},
		{"a b a c", "a b c, a"},
		{"a ab b c", "a c, ab, b"}, // the later edit of b stays behind the earlier one
		{"a B c", "a c, B"},
		{"A b c", "A, b c"},
		{"a A b", "a b, A"},
		{"a=k b=k c=l", "a=k c=l, b=k"},
		{"abcde f ghi", "abcde, f ghi"},
	} {
		q := queue(tc.waiting)
		var groups []string
		for len(q.all) > 0 {
			var group []string
			for _, tx := range q.take(4) {
				group = append(group, tx.id)
			}
			groups = append(groups, strings.Join(group, " "))
		}
		if got := strings.Join(groups, ", "); got != tc.groups {
			t.Errorf("%q is taken as %q, want %q", tc.waiting, got, tc.groups)
		}
	}
}

// Calls that wait for the lock at the same time are committed as a group by one of them. One whose time runs out meanwhile
// is not.
func TestCallsThatWaitAreAGroup(t *testing.T) {
	w := newWorld(t, vfstest.Journal, files)
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	unlock, err := s.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	waiting := func(n int) {
		for {
			s.queue.mu.Lock()
			is := len(s.queue.all)
			s.queue.mu.Unlock()
			if is == n {
				return
			}
			runtime.Gosched()
		}
	}
	errs := make([]error, len(oneGroup))
	var calls sync.WaitGroup
	for i, changes := range w.allChanges(t, oneGroup) {
		calls.Go(func() { _, errs[i] = s.Run(t.Context(), recordedTx(changes)) })
	}
	waiting(len(oneGroup))
	ctx, cancel := context.WithCancel(t.Context())
	var late error
	calls.Go(func() {
		_, late = s.Run(ctx, recordedTx(w.changes(t, []wish{{op: "update", path: "m.txt", text: "late\n"}})))
	})
	waiting(len(oneGroup) + 1)
	cancel()
	waiting(len(oneGroup))
	unlock()
	calls.Wait()
	if err := errors.Join(errs...); err != nil || !errors.Is(late, fail.CommandFailed) {
		t.Errorf("errors %v, of the late one %v", err, late)
	}
	var groups []string
	for r, err := range s.log.Forward(0) {
		if err != nil {
			t.Fatal(err)
		}
		groups = append(groups, fmt.Sprint(r.Kind, " ", r.Group))
	}
	if got, want := strings.Join(groups, ", "), "rotate 0, commit 2, commit 1, commit 0, applied 3, applied 2, applied 1"; got != want {
		t.Errorf("the log has %s, want %s", got, want)
	}
	if w.read(t, "m.txt") != "moved\n" || w.read(t, "a.txt") != "one\nTWO\n" {
		t.Error("the tree has something else")
	}
}

// Somebody saves a file of a member at every call of a group, or after a kill at every call. Their save is there afterwards.
// Every member is in the tree as it was answered; one that was not answered, as a whole or not at all.
func TestSomebodySavesAFileOfAGroup(t *testing.T) {
	const theirs = "saved by somebody\n"
	saves, refused, recovered := 0, 0, 0
	for way, save := range ways {
		for _, name := range []string{"a.txt", "b.txt"} {
			for n := 0; ; n++ {
				w := newWorld(t, vfstest.Journal, files)
				changes := w.allChanges(t, oneGroup)
				b := &beside{at: n}
				b.act = func() {
					if err := save(w.disk.Root(), name, theirs); errors.Is(err, syscall.EAGAIN) {
						b.at++ // the file is leased: they wait
					} else if err != nil {
						t.Fatal(err)
					}
				}
				errs := w.runTogether(b.Wrap, changes)
				if b.what == "" {
					break
				}
				saves++
				if errors.Join(errs...) != nil {
					refused++
				}
				w.disk.Kill()
				w.checkMembers(t, name, theirs, errs, false, fmt.Sprintf("%s, %s, at call %d (%s), %v", name, way, n, b.what, errs))
			}
			for n := 0; ; n++ {
				w := newWorld(t, vfstest.Journal, files)
				fault := &vfstest.Fault{At: n, After: n%2 == 0, Dead: true}
				errs := w.runTogether(fault.Wrap, w.allChanges(t, oneGroup))
				if !fault.Fired() {
					break
				}
				w.disk.Kill()
				if err := save(w.disk.Root(), name, theirs); err != nil {
					t.Fatal(err)
				}
				if o, err := w.recover(plain); err != nil {
					t.Errorf("%s, %s: recovery: %v", name, where(fault), err)
				} else if o.Tx != "" {
					recovered++
				}
				w.checkMembers(t, name, theirs, errs, true, fmt.Sprintf("%s, %s, after %s", name, way, where(fault)))
			}
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d saves, %d of them refused a member; %d recoveries", saves, refused, recovered)
	if refused == 0 || refused == saves || recovered == 0 {
		t.Error("the saves came all too early, or all too late")
	}
}

// checkMembers compares the tree with what the members of the group were answered, but for a file that somebody saved.
func (w *world) checkMembers(t *testing.T, saved, theirs string, errs []error, killed bool, where string) {
	t.Helper()
	if got := w.read(t, saved); got != theirs {
		t.Errorf("%s: what they saved is lost: %q", where, got)
	}
members:
	for i, set := range oneGroup {
		isNew := 0
		for _, want := range set {
			switch got := w.read(t, want.path); {
			case want.path == saved:
				continue members
			case got == want.text:
				isNew++
			case got != files[want.path]:
				t.Errorf("%s: %s has %q", where, want.path, got)
			}
		}
		if all := isNew == len(set); !all && isNew > 0 || all != (errs[i] == nil) && !(killed && errs[i] != nil) {
			t.Errorf("%s: member %d: %v, and %d of %d files are new", where, i, errs[i], isNew, len(set))
		}
	}
}
