package commit

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

var files = map[string]string{
	"a.txt": "one\ntwo\n", "b.txt": "b\n", "d.txt": "gone soon\n", "m.txt": "moved\n", "e.txt": "moved and edited\n",
	"o.txt": "old place\n", "sub/x.txt": "x\n", "sub/y.txt": "", "other/z.txt": "z\n",
}

// wishes are changes of every kind, on different paths so that they can be combined.
var wishes = []wish{
	{op: "update", path: "a.txt", text: "one\nTWO\n"},
	{op: "update", path: "sub/x.txt", text: strings.Repeat("x", 300)},
	{op: "update", path: "sub/y.txt", text: "was empty\n"},
	{op: "add", path: "new.txt", text: "new\n"},
	{op: "add", path: "far/off/new.txt", text: "deep\n"},
	{op: "delete", path: "d.txt"},
	{op: "move", path: "m.txt", to: "sub/m.txt"},
	{op: "move", path: "other/z.txt", to: "far/z.txt"},
	{op: "moveedit", path: "e.txt", to: "other/e.txt", text: "edited\n"},
	{op: "move", path: "o.txt", to: "b.txt"},
}

// backs are the changes that concern the history: files and links that come back, to free paths and over other files,
// directories that are removed or made empty, and discarded files.
var backs = []wish{
	{op: "bring", path: "back.txt", text: "k1"},
	{op: "bring", path: "f.txt", text: "k2"},
	{op: "bring", path: "l", text: "kl"},
	{op: "bring", path: "g.txt", text: "km"},
	{op: "bring", path: "far/away/back.txt", text: "k3"},
	{op: "bringgone", path: "h.txt", text: "k4"},
	{op: "prune", path: "p/q/only.txt"},
	{op: "empty", path: "sub/empty/in"},
	{op: "gone", path: "n.txt"},
	{op: "gone", path: "v.txt", text: "another version\n"},
}

// old reports whether no change of a set concerns the history.
func old(set []wish) bool {
	return !slices.ContainsFunc(set, func(w wish) bool { return slices.Contains(backs, w) })
}

// linkless reports whether a set brings back files and no links, and nothing else is in it that links matter to.
func linkless(set []wish) bool {
	brings := false
	for _, w := range set {
		if _, isLink := strings.CutPrefix(keptFiles[w.text], "-> "); isLink || isLand(w) && w.text == "link" {
			return false
		}
		brings = brings || strings.HasPrefix(w.op, "bring") || isLand(w)
	}
	return brings
}

// kinds are one wish of each kind.
var kinds = []wish{wishes[0], wishes[3], wishes[5], wishes[6], wishes[8], wishes[9]}

// sets are, beside those that land finished files, all sets of up to three wishes and all of them together, all sets of up to two with any that concerns the
// history and any kind of the others, and all of those together.
func sets() [][]wish {
	out := [][]wish{wishes, backs, slices.Concat(wishes, backs)}
	for i, b := range backs {
		out = append(out, []wish{b})
		for _, w := range slices.Concat(backs[i+1:], kinds) {
			out = append(out, []wish{b, w})
		}
	}
	out = append(out, wholes, slices.Concat(wishes[1:6], lands[:3], wholes))
	for i, d := range wholes {
		out = append(out, []wish{d})
		for _, w := range slices.Concat(wholes[i+1:], kinds, lands[:2], backs[6:7]) {
			out = append(out, []wish{d, w})
		}
	}
	out = append(out, lands, slices.Concat(wishes[1:], lands[:4]))
	for i, l := range lands {
		out = append(out, []wish{l})
		for _, w := range slices.Concat(lands[i+1:], kinds[1:5], backs[:2]) {
			out = append(out, []wish{l, w})
		}
	}
	for i := range wishes {
		out = append(out, wishes[i:i+1])
		for j := i + 1; j < len(wishes); j++ {
			out = append(out, []wish{wishes[i], wishes[j]})
			for k := j + 1; k < len(wishes); k++ {
				out = append(out, []wish{wishes[i], wishes[j], wishes[k]})
			}
		}
	}
	return out
}

// whole sweeps every set of up to three wishes; without it, all sets of two and a part of those of three.
var whole = flag.Bool("whole", false, "sweep all transactions (some minutes)")

var every = flag.Int("every", 0, "sweep one in so many transactions of three changes")

var only = flag.String("only", "", "sweep only transactions with a change of this kind, such as putdir")

// disks are the kinds of disks that transactions are swept on.
var disks = []struct {
	system                vfstest.System
	kind                  vfstest.Kind
	weak, unlinked, packs bool
}{{kind: vfstest.Journal}, {kind: vfstest.Strict}, {kind: vfstest.Journal, weak: true}, {kind: vfstest.Strict, weak: true},
	{kind: vfstest.Journal, unlinked: true}, {kind: vfstest.Journal, packs: true}, {kind: vfstest.Strict, packs: true},
	{system: vfstest.NTFS}, {system: vfstest.OldNTFS}, {system: vfstest.APFS}} // on these nothing is packed

var onlySystem = flag.String("system", "", "sweep only disks that answer as this system does: Linux, NTFS, OldNTFS or APFS")

// each runs f for every set of wishes on every kind of disk, with the trees before and after.
func each(t *testing.T, f func(c *sweep)) {
	t.Parallel()
	for _, disk := range disks {
		if slow && (disk.weak || disk.unlinked || disk.packs || disk.system != vfstest.Linux) || *onlySystem != "" && *onlySystem != disk.system.String() {
			continue
		}
		kind, windows := disk.kind, disk.system == vfstest.NTFS || disk.system == vfstest.OldNTFS
		points, txs := 0, 0
		for n, set := range sets() {
			if slices.ContainsFunc(set, isWhole) && (kind == vfstest.Strict || disk.weak || windows) {
				continue // they need a journal, and an exchange of names
			}
			if left(n, set) || disk.unlinked && !linkless(set) || disk.packs && old(set) {
				continue
			}
			other := disk.system != vfstest.Linux && *onlySystem == "" && !*whole
			if (disk.weak && len(set) == 3 || other && len(set) > 1 && len(set) < len(wishes)) && n%7 != 0 {
				continue
			}
			if windows {
				set = slices.DeleteFunc(slices.Clone(set), aboutLink) // a link needs a privilege
			}
			if len(set) == 0 {
				continue
			}
			c := &sweep{t: t, system: disk.system, kind: kind, weak: disk.weak, unlinked: disk.unlinked, packs: disk.packs, set: set, points: &points}
			w := c.world()
			c.before = w.visible(t)
			if err := w.doing(plain, t, set); err != nil {
				t.Fatalf("%v, %v: %v", disk.system, set, err)
			}
			c.after = w.visible(t)
			f(c)
			txs++
			if t.Failed() {
				return
			}
		}
		t.Logf("%v, %v, exchange %v, links %v, packs %v: %d transactions, %d points", disk.system, kind, !disk.weak && !windows, !disk.unlinked, disk.packs, txs, points)
	}
}

// aboutLink reports whether a wish is about a symbolic link.
func aboutLink(w wish) bool {
	return strings.HasPrefix(keptFiles[w.text], "-> ") || isLand(w) && w.text == "link"
}

// left reports whether this run leaves a set out.
func left(n int, set []wish) bool {
	triples, pairs := 20, 1
	switch {
	case *every > 0:
		triples, pairs = *every, *every
	case slow:
		triples, pairs = 400, 80
	case slices.ContainsFunc(set, isLand):
		pairs = 6
	case slices.ContainsFunc(set, isWhole):
		pairs = 4
	case !old(set):
		pairs = 30
	}
	if *only != "" && !slices.ContainsFunc(set, func(w wish) bool { return w.op == *only }) {
		return true
	}
	if *whole {
		return false
	}
	if len(set) > len(wishes) {
		return true // all of everything
	}
	return len(set) == 3 && n%triples != 0 || len(set) == 2 && n%pairs != 0 || len(set) == 1 && slow && n%4 != 0
}

// sweep is one transaction that is disturbed at every point.
type sweep struct {
	t             *testing.T
	system        vfstest.System
	kind          vfstest.Kind
	weak          bool
	unlinked      bool
	packs         bool
	set           []wish
	before, after map[string]vfstest.Node
	points        *int
	base          *world
	layer         map[string]vfs.Info // what the layer of the last world has
	dirs          map[string]wholeDir // the directories of the last world that are to come and to go, by path
}

// on names the disk.
func (c *sweep) on() string { return fmt.Sprint(c.system, " ", c.kind) }

// world returns the disk as it was at first.
func (c *sweep) world() *world {
	if c.base == nil {
		c.base = newWorldOf(c.t, c.system, c.kind, files)
		if slices.ContainsFunc(c.set, isWhole) {
			if err := c.base.disk.Plant(wholeFiles); err != nil {
				c.t.Fatal(err)
			}
		}
		c.base.packs = c.packs
		if !old(c.set) {
			c.base.keep(c.t)
		}
		c.base.weak, c.base.unlinked = c.weak, c.unlinked
	}
	w := c.base.cut(func(int) int { return 0 })
	if slices.ContainsFunc(c.set, isLand) {
		w.layer(c.t) // not in the base: nothing of a layer is durable
		c.layer = map[string]vfs.Info{}
		for _, want := range c.set {
			if isLand(want) {
				c.layer[want.text] = w.stat(c.t, layerName+"/"+want.text)
			}
		}
	}
	if slices.ContainsFunc(c.set, isWhole) {
		w.wholeDirs(c.t)
		c.dirs = map[string]wholeDir{}
		for _, want := range c.set {
			if isWhole(want) {
				c.dirs[want.path] = w.dirAt(c.t, want)
			}
		}
	}
	return w
}

// at disturbs the transaction at call n and returns the world after that; ok is false if there is no call n.
func (c *sweep) at(f *vfstest.Fault) (w *world, err error, ok bool) {
	w = c.world()
	err = w.doing(f.Wrap, c.t, c.set)
	*c.points++
	return w, err, f.Fired()
}

// whole checks that the tree is the old one or the new one, and returns which.
func (c *sweep) whole(w *world, where string) (isNew bool) {
	c.t.Helper()
	got := w.visible(c.t)
	if strings.Contains(where, "remove directory") {
		c.forgive(got)
	}
	if maps.Equal(got, c.after) {
		c.kept(w, where)
		return true
	}
	if !maps.Equal(got, c.before) {
		c.t.Errorf("%v, %v, %s: neither old nor new.\nagainst old: %s\nagainst new: %s", c.on(), c.set, where, diff(got, c.before), diff(got, c.after))
	}
	return false
}

// forgive ignores a directory that could not be removed.
func (c *sweep) forgive(got map[string]vfstest.Node) {
	if diff(got, c.before) == "" {
		return
	}
	for _, p := range pruned(c.set) {
		if _, there := c.after[p]; !there {
			delete(got, p)
		}
	}
}

// kept checks that the store has every displaced file.
func (c *sweep) kept(w *world, where string) {
	c.t.Helper()
	have := map[string]bool{}
	for _, n := range w.all(c.t) {
		have[n.Data] = true
	}
	for p, n := range c.before {
		gone := slices.ContainsFunc(c.set, func(w wish) bool {
			return w.path == p && strings.HasSuffix(w.op, "gone") || w.op == "takedir" && strings.HasPrefix(p, w.path+"/")
		})
		if n.Mode.IsRegular() && !have[n.Data] && !gone {
			c.t.Errorf("%v, %v, %s: what %s had is lost", c.on(), c.set, where, p)
		}
	}
}

// sound checks that the store is usable: the log is a chain, nothing is left over, and the next transaction works.
func (c *sweep) sound(w *world, where string) {
	c.t.Helper()
	c.chain(w, where)
	c.once(w, where)
	c.landed(w, where)
	c.dirsLanded(w, where)
	if o, err := w.recover(plain); err != nil || !o.Nothing() {
		c.t.Errorf("%v, %v, %s: something was left to recover: %+v, %v", c.on(), c.set, where, o, err)
	}
	next := []wish{{op: "add", path: "next.txt", text: "next\n"}}
	if err := w.run(plain, w.changes(c.t, next)); err != nil {
		c.t.Errorf("%v, %v, %s: the next transaction fails: %v", c.on(), c.set, where, err)
	}
}

// once checks that a file that was to come back is in one place: in the tree, as the file that it was, and nowhere in the
// history, or in the history, under the name that it had. Discarded files are not kept.
func (c *sweep) once(w *world, where string) {
	c.t.Helper()
	now, isNew := "the old", false
	if len(w.kept) > 0 && c.whole(w, where) {
		now, isNew = "the new", true
	}
	bad := func(format string, args ...any) {
		c.t.Helper()
		c.t.Errorf("%v, %v, %s: the tree is %s, and %s", c.on(), c.set, where, now, fmt.Sprintf(format, args...))
	}
	for _, want := range c.set {
		k := w.kept[want.text]
		packed := c.packs && strings.HasPrefix(want.op, "bring") && len(c.base.names(c.t, k.old.ID)) == 0
		switch {
		case packed && isNew:
			if is := w.stat(c.t, want.path); is.Mode != k.old.Mode || !is.ModTime.Equal(k.old.ModTime) || is.Links != 1 || is.UID != k.old.UID {
				bad("%s is %+v, want %+v", want.path, is, k.old.Info)
			}
			if w.keeps(c.t, k.slot) {
				bad("the history still has %s", want.path)
			}
		case packed:
			if !w.keeps(c.t, k.slot) {
				bad("the history has lost %s", want.path)
			}
		case strings.HasPrefix(want.op, "bring") && isNew:
			is := w.stat(c.t, want.path)
			copied := c.unlinked || strings.Contains(where, "permission denied")
			if is.ID != k.old.ID && !copied || !is.ModTime.Equal(k.old.ModTime) || is.Links != 1 {
				bad("%s is %+v, want %+v", want.path, is, k.old.Info)
			}
			if names := w.names(c.t, k.old.ID); len(names) > 0 {
				bad("the history has %s as %q", want.path, names)
			}
		case strings.HasPrefix(want.op, "bring"):
			names, first := w.names(c.t, k.old.ID), c.base.names(c.t, k.old.ID)
			if !slices.Equal(names, first) {
				// A power cut can take the marker of what was being staged: that is garbage that somebody has to look for.
				orphans := w.orphans(c.t)
				names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(orphans, strings.Split(name, ".")[0]) })
			}
			if !slices.Equal(names, first) {
				bad("the history has %s as %q, not %q", want.path, names, first)
			}
		}
		if strings.HasSuffix(want.op, "gone") && isNew {
			if names := w.names(c.t, c.base.stat(c.t, want.path).ID); len(names) > 0 {
				bad("what %s had is kept as %q", want.path, names)
			}
		}
	}
}

// keeps reports whether the history has something in a slot, which can be read.
func (w *world) keeps(t *testing.T, slot string) bool {
	t.Helper()
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, _, err := s.hist.Find(slot); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	f, _, err := s.hist.Open(slot)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	return true
}

func (c *sweep) chain(w *world, where string) {
	c.t.Helper()
	dir, err := tree(w.top).OpenDir(storeName + "/" + logName)
	if err != nil {
		c.t.Fatal(err)
	}
	defer dir.Close()
	if _, err := audit.Verify(dir); err != nil {
		c.t.Errorf("%v, %v, %s: the log: %v", c.on(), c.set, where, err)
	}
}

// Every call fails once, before or after its effect, with each error. The tree is the old one, or the transaction succeeded, or
// recovery decides.
func TestEveryCallFails(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EACCES} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/after=%v", errno, after), func(t *testing.T) {
				each(t, func(c *sweep) {
					for n := 0; ; n++ {
						f := &vfstest.Fault{At: n, Err: errno, After: after}
						w, err, ok := c.at(f)
						if !ok {
							break
						}
						c.failed(w, err, where(f))
						if c.t.Failed() {
							return
						}
					}
				})
			})
		}
	}
}

func where(f *vfstest.Fault) string {
	trace := f.Trace()
	return fmt.Sprintf("call %d (%s), after=%v dead=%v %v", f.At, trace[min(f.At, len(trace)-1)], f.After, f.Dead, f.Err)
}

func (c *sweep) failed(w *world, err error, where string) {
	c.t.Helper()
	e, _ := errors.AsType[*fail.Error](err)
	switch {
	case err == nil:
		if !c.whole(w, where) {
			c.t.Errorf("%v, %v, %s: no error, and the tree is the old one", c.on(), c.set, where)
		}
	case e != nil && e.Reason == fail.Indeterminate:
		if !strings.Contains(where, "sync") && !strings.Contains(where, ".jsonl") {
			c.t.Errorf("%v, %v, %s: undecided, though a single failure could be taken back: %v", c.on(), c.set, where, err)
		}
		if _, err := w.recover(plain); err != nil {
			c.t.Errorf("%v, %v, %s: recovery: %v", c.on(), c.set, where, err)
		}
		c.whole(w, where)
	case c.whole(w, where):
		c.t.Errorf("%v, %v, %s: refused (%v), and the tree is the new one", c.on(), c.set, where, err)
	}
	w.disk.Kill()
	// The mark that it was applied is not synced, and may be missing.
	if o, err := w.recover(plain); err != nil || o.Tx != "" && o.End != Complete {
		c.t.Errorf("%v, %v, %s: recovery found %+v, %v", c.on(), c.set, where, o, err)
	}
	c.sound(w, where)
}

// The process is killed at every call, before and after its effect; then recovery, twice.
func TestKilledAtEveryCall(t *testing.T) {
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprintf("after=%v", after), func(t *testing.T) {
			each(t, func(c *sweep) {
				for n := 0; ; n++ {
					f := &vfstest.Fault{At: n, After: after, Dead: true}
					w, _, ok := c.at(f)
					if !ok {
						break
					}
					w.disk.Kill()
					c.recovered(w, where(f))
					if c.t.Failed() {
						return
					}
				}
			})
		})
	}
}

func (c *sweep) recovered(w *world, where string) (isNew bool) {
	c.t.Helper()
	if _, err := w.recover(plain); err != nil {
		c.t.Errorf("%v, %v, %s: recovery: %v", c.on(), c.set, where, err)
	}
	isNew = c.whole(w, where)
	c.sound(w, where)
	return isNew
}

// The power is cut at every call, and many of the possible states of the disk are checked.
func TestPowerCutAtEveryCall(t *testing.T) {
	each(t, func(c *sweep) {
		for n := 0; ; n++ {
			f := &vfstest.Fault{At: n, After: true, Dead: true}
			w, _, more := c.at(f)
			acknowledged := !more
			c.crash(w, where(f), func(w *world, where string) {
				if isNew := c.recovered(w, where); acknowledged && !isNew {
					c.t.Errorf("%v, %v, %s: acknowledged, and lost", c.on(), c.set, where)
				}
			})
			if !more || c.t.Failed() {
				return
			}
		}
	})
}

// states is how many states of a disk are checked; if there are more, they are drawn at random.
const states = 12

func (c *sweep) crash(w *world, where string, look func(*world, string)) {
	c.t.Helper()
	_, err := vfstest.Enumerate(states, 1, func(choose func(int) int) error {
		var said []int
		cut := w.cut(func(n int) int {
			k := choose(n)
			said = append(said, k)
			return k
		})
		*c.points++
		look(cut, fmt.Sprintf("%s, power cut %v", where, said))
		if c.t.Failed() {
			return errors.New("stop")
		}
		return nil
	})
	if err != nil && !c.t.Failed() {
		c.t.Error(err)
	}
}

// Recovery is killed, and the power cut, at every call of its own.
func TestRecoveryIsKilled(t *testing.T) {
	each(t, func(c *sweep) {
		if len(c.set) == 2 {
			return // singles, triples and all of them are enough of this product
		}
		for n := 0; ; n++ {
			f := &vfstest.Fault{At: n, After: true, Dead: true}
			w, _, ok := c.at(f)
			if !ok {
				return
			}
			w.disk.Kill()
			if p, err := pending(w); err != nil || !p {
				continue
			}
			c.killRecovery(w, n)
			if c.t.Failed() {
				return
			}
		}
	})
}

func pending(w *world) (bool, error) {
	s, err := w.open(plain)
	if err != nil {
		return false, err
	}
	defer s.Close()
	r, err := s.Pending()
	return r != nil, err
}

// killRecovery continues where the last recovery died, as happens in practice, until one completes.
func (c *sweep) killRecovery(w *world, n int) {
	c.t.Helper()
	for m := 0; ; m++ {
		f := &vfstest.Fault{At: m, After: m%2 == 0, Dead: true}
		w.recover(f.Wrap)
		*c.points++
		if !f.Fired() {
			break
		}
		w.disk.Kill()
		if m > 200 {
			c.t.Fatalf("%v, %v: recovery does not come to an end:\n%s", c.on(), c.set, strings.Join(f.Trace(), "\n"))
		}
		if (n+m)%11 == 0 {
			c.crash(w, fmt.Sprintf("killed at %d and in recovery at %s", n, where(f)), func(w *world, where string) { c.recovered(w, where) })
		}
	}
	c.whole(w, fmt.Sprintf("killed at %d, and in each recovery", n))
	c.sound(w, "after recovery was killed")
}
