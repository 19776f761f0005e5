package commit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// keptFiles are put into the history, each by the transaction that deletes it, before a wish asks for it.
var keptFiles = map[string]string{"k1": "kept one\n", "k2": "kept two\n", "k3": "", "k4": "kept four\n", "kl": "-> where/it/was", "km": "-> a.txt"}

// backFiles are what the wishes for the history need beside files.
var backFiles = map[string]string{"f.txt": "in its place\n", "g.txt": "in its place too\n", "h.txt": "in its place, and not kept\n", "n.txt": "never again\n",
	"v.txt": "version\n", "p/q/only.txt": "alone\n", "p2/only.txt": "alone too\n",
	"p3/only.txt": "alone again\n", "p4/only.txt": "and alone\n"}

// keep puts the files that are to be asked for into the history.
func (w *world) keep(t *testing.T) {
	t.Helper()
	if err := errors.Join(w.disk.Plant(backFiles), w.disk.Plant(keptFiles)); err != nil {
		t.Fatal(err)
	}
	for p, uid := range map[string]uint32{"k1": 7, "k2": 8} {
		if w.packs {
			uid = 0 // what another user owns is not packed
		}
		if err := w.disk.Change(p, func(i *vfs.Info) { i.Mode, i.UID, i.ModTime = 0o640, uid, time.Unix(1_000_000_000, 0) }); err != nil {
			t.Fatal(err)
		}
	}
	w.kept = map[string]kept{}
	var wishes []wish
	for _, p := range slices.Sorted(maps.Keys(keptFiles)) {
		wishes = append(wishes, wish{op: "delete", path: p})
	}
	changes := w.changes(t, wishes)
	d, err := w.do(plain, Tx{Changes: changes})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range changes {
		w.kept[c.Path] = kept{slot: d.Slots[i], old: c.Old}
	}
	if w.packs {
		if err := w.pack(plain); err != nil {
			t.Fatal(err)
		}
	}
	w.disk.Settle()
}

func keptWorld(t *testing.T, kind vfstest.Kind) *world {
	t.Helper()
	w := newWorld(t, kind, files)
	w.keep(t)
	return w
}

// slots opens the directory of the slots.
func (w *world) slots(t *testing.T) vfs.Dir {
	t.Helper()
	dir, err := tree(w.disk.Root).OpenDir(storeName + "/slots")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// names lists the names that a file has in the history.
func (w *world) names(t *testing.T, id vfs.ID) (names []string) {
	t.Helper()
	dir := w.slots(t)
	defer dir.Close()
	all, err := dir.Names()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if is, err := dir.Stat(name); err != nil {
			t.Fatal(err)
		} else if is.ID == id {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// orphans lists the transactions that left slots and no record.
func (w *world) orphans(t *testing.T) []string {
	t.Helper()
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out, err := s.Orphans()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (w *world) stat(t *testing.T, p string) vfs.Info {
	t.Helper()
	c := w.change(t, p)
	if c.Old == nil {
		t.Fatalf("%s is missing", p)
	}
	return c.Old.Info
}

// The file itself comes back, and leaves the history; the file in its place is kept.
func TestBringBack(t *testing.T) {
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		w := keptWorld(t, kind)
		set := []wish{{op: "bring", path: "back/again/k1", text: "k1"}, {op: "bring", path: "f.txt", text: "k2"},
			{op: "bring", path: "l", text: "kl"}, {op: "bring", path: "g.txt", text: "km"}}
		d, err := w.do(plain, Tx{Changes: w.changes(t, set)})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range set {
			was, is := w.kept[s.text].old, w.stat(t, s.path)
			if is.ID != was.ID || is.Mode != was.Mode || is.UID != was.UID || !is.ModTime.Equal(was.ModTime) || is.Links != 1 {
				t.Errorf("%v, %v: %+v, want %+v", kind, s, is, was.Info)
			}
			if names := w.names(t, is.ID); len(names) > 0 {
				t.Errorf("%v, %v: the history has it as %q", kind, s, names)
			}
		}
		if got, _ := vfstest.ReadFile(w.slots(t), d.Slots[1]); got != backFiles["f.txt"] {
			t.Errorf("%v: what stood there is kept as %q: %q", kind, d.Slots[1], got)
		}
		if o, err := w.recover(plain); err != nil || !o.Nothing() {
			t.Errorf("%v: %+v, %v", kind, o, err)
		}
		// Once more: it is there no more.
		_, err = w.do(plain, Tx{Changes: w.changes(t, []wish{{op: "bring", path: "twice", text: "k1"}})})
		if !errors.Is(err, fail.NotFound) || !strings.Contains(err.Error(), "restored or cleared") {
			t.Errorf("%v: %v", kind, err)
		}
	}
}

// TouchNow, and nothing else, sets the modification time to now.
func TestFresh(t *testing.T) {
	w := keptWorld(t, vfstest.Journal)
	changes := w.changes(t, []wish{{op: "bring", path: "fresh", text: "k1"}, {op: "bring", path: "l", text: "kl"}})
	changes[0].New.TouchNow, changes[1].New.TouchNow = true, true
	now := time.Unix(2_000_000_000, 0)
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.opts.Now = func() time.Time { return now }
	if _, err := s.Run(context.Background(), Tx{Changes: changes, Record: audit.Record{Kind: audit.Undo}}); err != nil {
		t.Fatal(err)
	}
	if got := w.stat(t, "fresh").ModTime; !got.Equal(now) {
		t.Errorf("changed %v, want %v", got, now)
	}
}

// A file that cannot come back is refused with a reason, and nothing changes.
func TestBringBackRefused(t *testing.T) {
	for _, c := range []struct {
		what string
		prep func(w *world, changes []Change) error
		set  []wish
		kind fail.Kind
		says string
	}{
		{"nothing kept", func(w *world, c []Change) error { return w.slots(t).Remove(c[0].New.FromSlot) }, nil, fail.NotFound, "restored or cleared"},
		{"no slot", func(w *world, c []Change) error { c[0].New.FromSlot += ".diff"; return nil }, nil, fail.NotFound, "restored or cleared"},
		{"a way out", func(w *world, c []Change) error { c[0].New.FromSlot = "../log/00000001.jsonl"; return nil }, nil, fail.NotFound, "restored or cleared"},
		{"twice", nil, []wish{{op: "bring", path: "x1", text: "k1"}, {op: "bring", path: "x2", text: "k1"}}, fail.NotFound, "restored or cleared"},
		{"written to", func(w *world, c []Change) error { return ways["in place"](w.slots(t), c[0].New.FromSlot, "later\n") }, nil, fail.Stale, "written to since"},
		{"other link", func(w *world, c []Change) error { c[0].New.Sum = hashText("x"); return nil }, []wish{{op: "bring", path: "l", text: "kl"}}, fail.Stale, "written to since"},
		{"taken place", func(w *world, c []Change) error { return createText(w.disk.Root(), "x1", "theirs") }, nil, fail.Stale, "made by somebody else"},
		{"itself", func(w *world, c []Change) error {
			if err := w.slots(t).Link(c[0].New.FromSlot, w.disk.Root(), "x1"); err != nil {
				return err
			}
			c[0].Old = w.change(t, "x1").Old
			return nil
		}, nil, fail.AlreadyExists, "very file"},
	} {
		w := keptWorld(t, vfstest.Journal)
		if c.set == nil {
			c.set = []wish{{op: "bring", path: "x1", text: "k1"}}
		}
		changes := w.changes(t, append(c.set, wish{op: "update", path: "a.txt", text: "new\n"}))
		if c.prep != nil {
			if err := c.prep(w, changes); err != nil {
				t.Fatal(err)
			}
		}
		before := w.disk.Snapshot()
		_, err := w.do(plain, Tx{Changes: changes})
		if e, ok := errors.AsType[*fail.Error](err); !ok || e.Kind != c.kind || !strings.Contains(e.Msg, c.says) || e.Hint == "" {
			t.Errorf("%s: %v", c.what, err)
		}
		if d := diff(w.disk.Snapshot(), before); d != "" {
			t.Errorf("%s: something has changed: %s", c.what, d)
		}
	}
}

// Between staging and the lock somebody else brings the file back, clears it, or writes to it.
func TestBringBackLosesTheRace(t *testing.T) {
	for what, act := range map[string]func(w *world, slot string) error{
		"not_found": func(w *world, slot string) error { return w.slots(t).Remove(slot) },
		"stale":     func(w *world, slot string) error { return ways["in place"](w.slots(t), slot, "later\n") },
		"restored": func(w *world, slot string) error {
			_, err := w.do(plain, Tx{Changes: w.changes(t, []wish{{op: "bring", path: "first", text: "k1"}})})
			return err
		},
	} {
		w := keptWorld(t, vfstest.Journal)
		s, err := w.open(plain)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		ts := s.newTransaction(t.Context(), Tx{Changes: w.changes(t, []wish{{op: "bring", path: "x1", text: "k1"}})})
		if err := ts.stage(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := act(w, w.kept["k1"].slot); err != nil {
			t.Fatal(err)
		}
		want := map[bool]fail.Kind{true: fail.Stale, false: fail.NotFound}[what == "stale"]
		if s.runGroup([]*transaction{ts}); !errors.Is(ts.err, want) {
			t.Errorf("%s: %v, want %v", what, ts.err, want)
		}
		ts.discardSlots()
		ts.close()
		if names := w.names(t, w.kept["k1"].old.ID); what == "stale" && len(names) != 1 || what != "stale" && len(names) != 0 {
			t.Errorf("%s: the history has it as %q", what, names)
		}
	}
}

// Without second names a file comes back as a copy, and a link is refused.
func TestBringBackWithoutLinks(t *testing.T) {
	w := keptWorld(t, vfstest.Journal)
	w.unlinked = true
	if _, err := w.do(plain, Tx{Changes: w.changes(t, []wish{{op: "bring", path: "l", text: "kl"}})}); !errors.Is(err, fail.CommandFailed) || !strings.Contains(err.Error(), "second name") {
		t.Errorf("a link: %v", err)
	}
	if _, err := w.do(plain, Tx{Changes: w.changes(t, []wish{{op: "bring", path: "x1", text: "k1"}})}); err != nil {
		t.Fatal(err)
	}
	was, is := w.kept["k1"].old, w.stat(t, "x1")
	if is.Mode != was.Mode || is.UID != was.UID || !is.ModTime.Equal(was.ModTime) || w.read(t, "x1") != keptFiles["k1"] {
		t.Errorf("%+v, want %+v", is, was.Info)
	}
	if names := w.names(t, was.ID); len(names) > 0 {
		t.Errorf("the history has it as %q", names)
	}
}

// Directories that are empty at the end are removed, deepest first; others stay without a note.
func TestPrune(t *testing.T) {
	w := keptWorld(t, vfstest.Journal)
	set := []wish{{op: "delete", path: "p/q/only.txt"}, {op: "add", path: "p2/more", text: ""}, {op: "move", path: "other/z.txt", to: "z"}}
	tx := Tx{Changes: w.changes(t, set), RemoveDirs: []string{".", "p", "p/q", "p/q", "sub", "p2", "missing/too", "a.txt", "other", "../x"}}
	if _, err := w.do(plain, tx); err != nil {
		t.Fatal(err)
	}
	got := w.visible(t)
	for p, want := range map[string]bool{"p": false, "p/q": false, "other": false, "sub": true, "p2": true, "a.txt": true} {
		if _, there := got[p]; there != want {
			t.Errorf("%s is there: %v", p, there)
		}
	}
}

// A directory that did not become empty does not make recovery finish a complete transaction.
func TestPruneOfWhatIsInUse(t *testing.T) {
	w := keptWorld(t, vfstest.Journal)
	if err := w.doing(plain, t, []wish{{op: "prune", path: "p2/only.txt"}, {op: "add", path: "p2/more"}}); err != nil {
		t.Fatal(err)
	}
	w.loseMark(t)
	if o, err := w.recover(plain); err != nil || o.End != Complete {
		t.Errorf("%+v, %v", o, err)
	}
}

// Recovery makes a removed directory again, with its permissions, when it takes the transaction back.
func TestPruneIsTakenBack(t *testing.T) {
	met := 0
	for n := 0; ; n++ {
		w := keptWorld(t, vfstest.Journal)
		if err := w.disk.Change("p2", func(i *vfs.Info) { i.Mode = 0o1775 }); err != nil {
			t.Fatal(err)
		}
		before := w.visible(t)
		f := &vfstest.Fault{At: n, After: true, Dead: true}
		w.doing(f.Wrap, t, []wish{{op: "prune", path: "p2/only.txt"}})
		if !f.Fired() {
			break
		}
		w.disk.Kill()
		s, err := w.open(plain)
		if err != nil {
			t.Fatal(err)
		}
		unlock, err := s.lock(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if pending, err := s.Pending(); err == nil && len(pending) == 1 {
			rv := &recovery{transaction: s.transactionOf(pending[0], newOpenGroup(1))}
			if err := rv.inspectAll(); err != nil {
				t.Fatal(err)
			}
			if err := rv.revert(); err != nil {
				t.Fatalf("killed at %d (%s): %v", n, f.Trace()[n], err)
			}
			if rv.states[1] == stateDone {
				met++
			}
			rv.close()
			if d := diff(w.visible(t), before); d != "" {
				t.Errorf("killed at %d (%s): %s", n, f.Trace()[n], d)
			}
		}
		unlock()
		s.Close()
	}
	if met == 0 {
		t.Error("no directory was ever removed")
	}
}

// A discarded file is not kept.
func TestGone(t *testing.T) {
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		w := keptWorld(t, kind)
		taken, swapped := w.stat(t, "n.txt").ID, w.stat(t, "v.txt").ID
		d, err := w.do(plain, Tx{Changes: w.changes(t, []wish{{op: "gone", path: "n.txt"}, {op: "gone", path: "v.txt", text: "new\n"}})})
		if err != nil {
			t.Fatal(err)
		}
		if d.Slots[0] != "" || d.Slots[1] != "" || len(w.names(t, taken))+len(w.names(t, swapped)) > 0 {
			t.Errorf("%v: kept as %q, %q, %q", kind, d.Slots, w.names(t, taken), w.names(t, swapped))
		}
		if got := w.read(t, "v.txt"); got != "new\n" {
			t.Errorf("%v: %q", kind, got)
		}
	}
}

// Somebody deletes the file that comes back, at every call: if the history still has it then, the history keeps it.
func TestDeletedWhileItComesBack(t *testing.T) {
	met := 0
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		for n := 0; ; n++ {
			w := keptWorld(t, kind)
			id, had := w.kept["k1"].old.ID, 0
			b := &beside{at: n}
			b.act = func() {
				if had = len(w.names(t, id)); w.disk.Root().Remove("back.txt") == nil {
					met++
				}
			}
			w.doing(b.Wrap, t, backs)
			if b.what == "" {
				break
			}
			w.disk.Kill()
			_, there := w.visible(t)["back.txt"]
			if names := w.names(t, id); !there && had > 0 && len(names) == 0 {
				t.Errorf("%v, at call %d (%s): it is lost", kind, n, b.what)
			}
		}
	}
	if met == 0 {
		t.Error("nobody could delete it")
	}
}

// A program writes to a kept file that is about to come back, and the transaction is refused since its place is taken: the
// history has the file once, with what was written.
func TestWrittenWhileItComesBack(t *testing.T) {
	met := 0
	for n := 0; ; n++ {
		w := keptWorld(t, vfstest.Journal)
		k := w.kept["k1"]
		b := &beside{at: n}
		b.act = func() {
			ways["in place"](w.slots(t), k.slot, "later\n")
			createText(w.disk.Root(), "back.txt", "theirs\n")
		}
		err := w.doing(b.Wrap, t, []wish{{op: "bring", path: "back.txt", text: "k1"}})
		if b.what == "" {
			break
		}
		if err == nil {
			continue
		}
		if names := w.names(t, k.old.ID); !slices.Equal(names, []string{k.slot}) {
			t.Errorf("at call %d (%s): kept as %q", n, b.what, names)
		}
		met++
	}
	if met == 0 {
		t.Error("nothing was refused")
	}
}

// Without syncs everything survives a kill at every call.
func TestKilledWithoutSyncs(t *testing.T) {
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		c := &sweep{t: t, kind: kind, set: backs, points: new(int)}
		w := c.world()
		c.base.noSync = true
		c.before = w.visible(t)
		if err := w.doing(plain, t, backs); err != nil {
			t.Fatal(err)
		}
		c.after = w.visible(t)
		for n := 0; ; n++ {
			f := &vfstest.Fault{At: n, After: n%2 == 0, Dead: true}
			w, _, ok := c.at(f)
			if !ok {
				break
			}
			w.disk.Kill()
			c.recovered(w, where(f))
		}
		t.Logf("%v: %d points", kind, *c.points)
	}
}

// A process dies between the second name and the record: the second name is removed, and the first stays.
func TestStagedBackIsSwept(t *testing.T) {
	w := keptWorld(t, vfstest.Journal)
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ts := s.newTransaction(t.Context(), Tx{Changes: w.changes(t, []wish{{op: "bring", path: "x1", text: "k1"}})})
	if err := ts.stage(context.Background()); err != nil {
		t.Fatal(err)
	}
	id := w.kept["k1"].old.ID
	if names := w.names(t, id); len(names) != 2 {
		t.Fatalf("it has the names %q", names)
	}
	w.disk.Kill()
	o, err := w.recover(plain)
	if err != nil || len(o.Swept) != 1 {
		t.Errorf("%+v, %v", o, err)
	}
	if names := w.names(t, id); len(names) != 1 || names[0] != w.kept["k1"].slot {
		t.Errorf("it has the names %q", names)
	}
}

// The last process of a transaction dies after it recorded the end, and before it removed the last second name: the next
// process removes it.
func TestSpareNamesAreSwept(t *testing.T) {
	for n := 0; ; n++ {
		w := keptWorld(t, vfstest.Strict)
		f := &vfstest.Fault{At: n, Dead: true}
		w.doing(f.Wrap, t, []wish{{op: "update", path: "a.txt", text: "new\n"}})
		if !f.Fired() {
			break
		}
		w.disk.Kill()
		if _, err := w.recover(plain); err != nil {
			t.Fatal(err)
		}
		if names := w.names(t, w.stat(t, "a.txt").ID); len(names) > 0 {
			t.Fatalf("killed at %d (%s): a.txt is also %q", n, f.Trace()[n], names)
		}
	}
}

func TestParseSlot(t *testing.T) {
	id := history.NewID(time.Now())
	if tx, n, ok := history.ParseSlot(id + ".12"); !ok || tx != id || n != 12 {
		t.Errorf("%q %d %v", tx, n, ok)
	}
	for _, bad := range []string{"", id, id + ".", id + ".x", id + ".1.old", id + ".01", id + ".diff", "../" + id + ".1", id + "/.1", "x.1"} {
		if _, _, ok := history.ParseSlot(bad); ok {
			t.Errorf("%q is a slot", bad)
		}
	}
	if _, _, ok := history.ParseSlot(history.Slot(id, -1)); ok {
		t.Error("a negative slot")
	}
}

// killed runs wishes and kills the process at each call in turn; then look is called.
func killed(t *testing.T, kind vfstest.Kind, set []wish, look func(w *world, where string)) {
	t.Helper()
	for n := 0; ; n++ {
		w := keptWorld(t, kind)
		f := &vfstest.Fault{At: n, After: true, Dead: true}
		w.doing(f.Wrap, t, set)
		if !f.Fired() {
			return
		}
		w.disk.Kill()
		look(w, where(f))
	}
}

// A transaction that removes directories has its applied record on disk before the answer: nothing else tells an empty
// directory that somebody makes later from one that is still to be removed.
func TestPruneIsMarked(t *testing.T) {
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		w := keptWorld(t, kind)
		if err := w.doing(plain, t, []wish{{op: "prune", path: "p2/only.txt"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := vfstest.Enumerate(200, 1, func(choose func(int) int) error {
			p, err := pending(w.cut(choose))
			if p {
				err = errors.Join(err, errors.New("it is pending"))
			}
			return err
		}); err != nil {
			t.Errorf("%v: %v", kind, err)
		}
	}
}

// A directory that somebody makes where one was removed is theirs.
func TestMadeAgainBeforeRecovery(t *testing.T) {
	met := 0
	killed(t, vfstest.Journal, []wish{{op: "prune", path: "p2/only.txt"}}, func(w *world, where string) {
		if w.disk.Root().Mkdir("p2", 0o755) != nil {
			return
		}
		met++
		if o, err := w.recover(plain); err != nil || o.Tx != "" && o.End != Complete {
			t.Errorf("%s: %+v, %v", where, o, err)
		}
		if _, there := w.visible(t)["p2"]; !there {
			t.Errorf("%s: theirs is gone", where)
		}
	})
	if met == 0 {
		t.Error("it was always there")
	}
}

// Somebody saves over a file that is to come back, before recovery: if the history had the file then, it still has it.
func TestSavedOverWhatComesBack(t *testing.T) {
	met := 0
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		for _, name := range []string{"f.txt", "back.txt"} {
			killed(t, kind, []wish{wishes[0], backs[0], backs[1]}, func(w *world, where string) {
				k := map[string]kept{"f.txt": w.kept["k2"], "back.txt": w.kept["k1"]}[name]
				had := w.names(t, k.old.ID)
				if err := errors.Join(ways["atomically"](w.disk.Root(), name, "theirs\n"), ways["atomically"](w.disk.Root(), "a.txt", "theirs too\n")); err != nil {
					t.Fatal(err)
				}
				o, err := w.recover(plain)
				got := w.visible(t)
				if err != nil || got[name].Data != "theirs\n" || got["a.txt"].Data != "theirs too\n" {
					t.Errorf("%s: %+v, %v, %v", where, o, err, got[name])
				}
				names := w.names(t, k.old.ID)
				want := []string{k.slot}
				if kind == vfstest.Strict {
					want = append(want, history.OldLink(k.slot))
				}
				if slices.Contains(had, k.slot) && !slices.Equal(names, want) || len(had) > 0 && len(names) == 0 {
					t.Errorf("%v, %s, %s: kept as %q, then as %q; %+v", kind, name, where, had, names, o)
				}
				if o != nil && slices.ContainsFunc(o.Notes, func(s string) bool { return strings.Contains(s, "as before") }) {
					met++
				}
			})
		}
	}
	if met == 0 {
		t.Error("nobody was told")
	}
}

// Recovery keeps what it says that it keeps, even of a discarded file.
func TestKeptInsteadOfGone(t *testing.T) {
	met := 0
	killed(t, vfstest.Journal, []wish{wishes[0], {op: "gone", path: "v.txt", text: "another version\n"}}, func(w *world, where string) {
		if err := errors.Join(ways["atomically"](w.disk.Root(), "v.txt", "theirs\n"), ways["atomically"](w.disk.Root(), "a.txt", "theirs too\n")); err != nil {
			t.Fatal(err)
		}
		o, err := w.recover(plain)
		if err != nil {
			t.Fatalf("%s: %+v, %v", where, o, err)
		}
		for _, note := range o.Notes {
			_, name, ok := strings.Cut(note, "kept as ")
			if !ok {
				continue
			}
			met++
			if _, err := w.slots(t).Stat(strings.TrimSuffix(name, ".")); err != nil {
				t.Errorf("%s: %s: %v", where, note, err)
			}
		}
	})
	if met == 0 {
		t.Error("nothing was said to be kept")
	}
}

// While a transaction that brings a file back is pending, somebody removes the kept file by hand and saves over its place:
// the file is not lost.
func TestRemovedByHandWhilePending(t *testing.T) {
	met := 0
	killed(t, vfstest.Journal, []wish{backs[1]}, func(w *world, where string) {
		k := w.kept["k2"]
		if p, err := pending(w); err != nil || !p || len(w.names(t, k.old.ID)) < 2 {
			return
		}
		met++
		if err := errors.Join(w.slots(t).Remove(k.slot), ways["atomically"](w.disk.Root(), "f.txt", "theirs\n")); err != nil {
			t.Fatal(err)
		}
		o, err := w.recover(plain)
		if names := w.names(t, k.old.ID); err != nil || !slices.Equal(names, []string{k.slot}) {
			t.Errorf("%s: kept as %q; %+v, %v", where, names, o, err)
		}
	})
	if met == 0 {
		t.Error("it was never pending")
	}
}

// One rename fails, so everything is taken back, and the process dies at each call of that: after recovery the history has
// the file that was to come back, once.
func TestKilledWhileTakenBack(t *testing.T) {
	points := 0
	set := []wish{backs[0], backs[1], wishes[0]}
	for n := 0; ; n++ {
		w := keptWorld(t, vfstest.Journal)
		probe := &vfstest.Fault{At: n}
		w.doing(probe.Wrap, t, set)
		if !probe.Fired() {
			break
		}
		if !strings.HasPrefix(probe.Trace()[n], "rename") {
			continue
		}
		for m := n; ; m++ {
			w := keptWorld(t, vfstest.Journal)
			first, second := &vfstest.Fault{At: n, Err: syscall.ENOSPC}, &vfstest.Fault{At: m, After: true, Dead: true}
			w.doing(func(d vfs.Dir) vfs.Dir { return second.Wrap(first.Wrap(d)) }, t, set)
			if !second.Fired() {
				break
			}
			points++
			w.disk.Kill()
			if _, err := w.recover(plain); err != nil {
				t.Fatalf("%s, then %s: %v", where(first), where(second), err)
			}
			for p, k := range map[string]kept{"back.txt": w.kept["k1"], "f.txt": w.kept["k2"]} {
				names := w.names(t, k.old.ID)
				if c := w.change(t, p); c.Old != nil && c.Old.ID == k.old.ID {
					names = append(names, p)
				}
				if len(names) != 1 {
					t.Errorf("%s, then %s: it has the names %q", where(first), where(second), names)
				}
			}
		}
	}
	t.Logf("%d points", points)
}

// A program that has a discarded file open writes to it after the commit, before recovery: what it wrote is kept.
func TestWriterInSlotOfGone(t *testing.T) {
	met := 0
	killed(t, vfstest.Journal, []wish{{op: "gone", path: "n.txt"}}, func(w *world, where string) {
		if p, err := pending(w); err != nil || !p || !w.writeInSlot(t, backFiles["n.txt"], "theirs\n") {
			return
		}
		met++
		o, err := w.recover(plain)
		if err != nil || len(o.Notes) == 0 || !w.writeInSlot(t, "theirs\n", "") {
			t.Errorf("%s: it is not kept: %+v, %v", where, o, err)
		}
	})
	if met == 0 {
		t.Error("the file was never in its slot")
	}
}

// Without a journal a power cut may undo the name of a slot: the displaced file comes back by its second name.
func TestBringBackAfterPowerCut(t *testing.T) {
	w := newWorld(t, vfstest.Strict, map[string]string{"a": "a\n"})
	old := w.change(t, "a").Old
	d, err := w.do(plain, Tx{Changes: w.changes(t, []wish{{op: "delete", path: "a"}})})
	if err != nil {
		t.Fatal(err)
	}
	torn := 0
	if _, err := vfstest.Enumerate(200, 1, func(choose func(int) int) error {
		w := w.cut(choose)
		if _, err := w.recover(plain); err != nil {
			return err
		}
		if is, err := w.slots(t).Stat(d.Slots[0]); err == nil && is.ID != old.ID {
			torn++
		}
		w.kept = map[string]kept{"a": {slot: d.Slots[0], old: old}}
		if _, err := w.do(plain, Tx{Changes: w.changes(t, []wish{{op: "bring", path: "b", text: "a"}})}); err != nil {
			return err
		}
		if is := w.stat(t, "b"); is.ID != old.ID || is.Links != 1 {
			return fmt.Errorf("%+v came back", is)
		}
		if _, err := w.slots(t).Stat(d.Slots[0]); err == nil {
			return fmt.Errorf("%s is still there", d.Slots[0])
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if torn == 0 {
		t.Error("no slot was ever undone")
	}
}
