package commit

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

var (
	chaosRuns = flag.Int("chaos", 1500, "random runs of TestChaos")
	chaosSeed = flag.Uint64("chaos-seed", 1, "the first seed of TestChaos")
)

// chaosFiles have equal contents, empty ones, and a file of two names, h1 and h2.
var chaosFiles = map[string]string{"a": "aaa\n", "b": "bbb\n", "e1": "", "e2": "", "s1": "same\n", "s2": "same\n",
	"sub/x": "xxx\n", "sub/y": "yyy\n", "other/z": "zzz\n", "h1": "hard\n"}

// chaos is one random transaction with errors, a kill or a power cut, people, and recoveries that fail and are killed.
type chaos struct {
	*rand.Rand
	t       *testing.T
	w       *world
	log     []string
	theirs  map[string]string // what people saved and nobody has replaced since, and where
	touched map[string]bool
	deeds   int
	notes   string
	ends    []api.RecoveryEnd
	bad     []string
	packs   bool
}

func (c *chaos) say(format string, args ...any) { c.log = append(c.log, fmt.Sprintf(format, args...)) }

func (c *chaos) fail(format string, args ...any) { c.bad = append(c.bad, fmt.Sprintf(format, args...)) }

// set draws up to four changes of different files.
func (c *chaos) set() []wish {
	free := []string{"a", "b", "e1", "e2", "s1", "s2", "sub/x", "sub/y", "other/z", "h1", "h2"}
	c.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	take := func() string { p := free[0]; free = free[1:]; return p }
	texts := []string{"", "same\n", "aaa\n", "N1\n", "N2\n", strings.Repeat("long", 50)}
	kept := []string{"k1", "k2", "k4", "kl", "km"}
	c.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
	var out []wish
	for i := range 1 + c.IntN(4) {
		text := texts[c.IntN(len(texts))]
		to := []string{"n%d", "sub/n%d", "far/n%d", "far/off/n%d"}[c.IntN(4)]
		to = fmt.Sprintf(to, i)
		switch c.IntN(9) {
		case 0, 1:
			out = append(out, wish{op: "update", path: take(), text: text})
		case 2:
			out = append(out, wish{op: "add", path: to, text: text})
		case 3:
			out = append(out, wish{op: "delete", path: take()})
		case 4:
			if c.IntN(3) == 0 {
				to = take()
			}
			out = append(out, wish{op: "move", path: take(), to: to})
		case 5:
			out = append(out, wish{op: "moveedit", path: take(), to: to, text: text})
		case 6:
			if c.IntN(2) == 0 {
				to = take()
			}
			out = append(out, wish{op: []string{"bring", "bring", "bringgone"}[c.IntN(3)], path: to, text: kept[i]})
		case 7:
			out = append(out, wish{op: "prune", path: []string{"p/q/only.txt", "p2/only.txt", "p3/only.txt", "p4/only.txt"}[i]})
		case 8:
			out = append(out, wish{op: "gone", path: take(), text: text})
		}
	}
	return out
}

// deed makes a person change one of the paths.
func (c *chaos) deed(set []wish) {
	w := set[c.IntN(len(set))]
	p := w.path
	if w.to != "" && c.IntN(2) == 0 {
		p = w.to
	}
	dir, err := tree(c.w.disk.Root).OpenDir(path.Dir(p))
	if err != nil {
		return
	}
	defer dir.Close()
	name := path.Base(p)
	was, missing := vfstest.ReadFile(dir, name)
	c.deeds++
	text := fmt.Sprintf("theirs %d\n", c.deeds)
	c.touched[w.path], c.touched[w.to] = true, true
	way, save := "atomically", ways["atomically"]
	switch c.IntN(7) {
	case 0:
		if missing != nil {
			return
		}
		way, save = "in place", ways["in place"]
	case 1:
		if dir.Remove(name) == nil {
			delete(c.theirs, was)
			c.say("a person removes %s (%q)", p, was)
		}
		return
	case 2:
		if dir.Rename(name, c.w.disk.Root(), fmt.Sprintf("else%d", c.deeds), vfs.NoReplace) == nil {
			c.say("a person moves %s away (%q)", p, was)
		}
		return
	case 3:
		text = w.text
	case 4:
		text = chaosFiles[w.path]
	}
	if save(dir, name, text) != nil {
		return
	}
	delete(c.theirs, was)
	if strings.HasPrefix(text, "theirs") {
		c.theirs[text] = p
	}
	c.say("a person saves %s %s: %q (was %q, %v)", p, way, text, was, missing)
}

func (c *chaos) world(kind vfstest.Kind, weak bool, set []wish) *world {
	w := newWorld(c.t, kind, chaosFiles)
	w.packs = c.packs
	if slices.ContainsFunc(set, func(w wish) bool { return strings.HasPrefix(w.op, "bring") || w.op == "prune" }) {
		w.keep(c.t)
	}
	w.weak = weak
	root := w.disk.Root()
	defer root.Close()
	if err := root.Link("h1", root, "h2"); err != nil {
		c.t.Fatal(err)
	}
	w.disk.Settle()
	return w
}

// faults are two faults of one process: an error, and a second error or a kill.
func (c *chaos) faults(calls int) []*vfstest.Fault {
	first := &vfstest.Fault{At: c.IntN(calls), After: c.IntN(2) == 0, Err: []error{syscall.EIO, syscall.ENOSPC}[c.IntN(2)]}
	if c.IntN(3) == 0 {
		first.At = -1
	}
	return []*vfstest.Fault{first, {At: c.IntN(calls), After: c.IntN(2) == 0, Dead: c.IntN(4) > 0}}
}

func wrapAll(faults []*vfstest.Fault) func(vfs.Dir) vfs.Dir {
	return func(d vfs.Dir) vfs.Dir {
		for _, f := range slices.Backward(faults) {
			d = f.Wrap(d)
		}
		return d
	}
}

func (c *chaos) struck(faults []*vfstest.Fault) {
	for _, f := range faults {
		if f.Fired() {
			c.say("  fault: %s", where(f))
		}
	}
}

// run returns what is wrong, and the steps that led to it.
func (c *chaos) run() []string {
	kind := []vfstest.Kind{vfstest.Journal, vfstest.Journal, vfstest.Strict}[c.IntN(3)]
	weak := c.IntN(8) == 0
	c.packs = c.IntN(3) == 0
	set := c.set()
	c.say("%v, exchange %v, packs %v, %v", kind, !weak, c.packs, set)
	c.w = c.world(kind, weak, set)
	before := c.w.visible(c.t)
	if err := c.w.doing(plain, c.t, set); err != nil {
		c.fail("it cannot even be done: %v", err)
		return c.done()
	}
	after := c.w.visible(c.t)
	c.w = c.world(kind, weak, set)
	answered, refused := c.strike(set)
	got := c.w.visible(c.t)
	if slices.ContainsFunc(c.log, func(s string) bool { return strings.Contains(s, "remove directory") }) {
		c.forgive(set, got, after)
	}
	if answered && diff(got, after) != "" || refused && diff(got, before) != "" {
		c.fail("answered %v, refused %v, but against the new tree: %s", answered, refused, diff(got, after))
	}
	c.end()
	for range c.IntN(4) {
		c.people(set)
		c.recovery(wrapAll, 25)
		c.w.disk.Kill()
	}
	c.people(set)
	if c.recovery(nil, 0) {
		c.judge(set, before, after, answered, refused)
	}
	return c.done()
}

// strike runs the transaction with faults.
func (c *chaos) strike(set []wish) (answered, refused bool) {
	faults := c.faults(60)
	err := c.w.doing(wrapAll(faults), c.t, set)
	c.say("run: %v", err)
	c.struck(faults)
	if faults[1].Fired() && faults[1].Dead {
		return false, false // nobody was told
	}
	e, _ := errors.AsType[*fail.Error](err)
	return err == nil, err != nil && (e == nil || e.Reason != fail.Indeterminate)
}

// end kills the process, or cuts the power.
func (c *chaos) end() {
	if c.IntN(3) > 0 {
		c.w.disk.Kill()
		return
	}
	c.say("the power is cut")
	c.w = c.w.cut(c.IntN)
}

func (c *chaos) people(set []wish) {
	for range c.IntN(4) {
		c.deed(set)
	}
}

// recovery recovers, with faults or without.
func (c *chaos) recovery(wrap func([]*vfstest.Fault) func(vfs.Dir) vfs.Dir, calls int) (ok bool) {
	with := plain
	var faults []*vfstest.Fault
	if wrap != nil {
		faults = c.faults(calls)
		with = wrap(faults)
	}
	o, err := c.w.recover(with)
	c.say("recovery: %+v, %v", o, err)
	c.struck(faults)
	if err != nil && wrap == nil {
		c.fail("the last recovery fails: %v", err)
	}
	if o != nil {
		c.notes += strings.Join(o.Notes, "\n")
		if o.Tx != "" && err == nil {
			c.ends = append(c.ends, o.End)
		}
	}
	return err == nil
}

// judge checks the laws: nothing that people saved is lost, or hidden without a note. Answered changes are there, refused
// ones are not, and untouched files are as the outcome says. Every displaced file is kept.
func (c *chaos) judge(set []wish, before, after map[string]vfstest.Node, answered, refused bool) {
	if o, err := c.w.recover(plain); err != nil || !o.Nothing() {
		c.fail("another recovery finds %+v, %v", o, err)
	}
	if len(slices.Compact(c.ends)) > 1 {
		c.fail("it ended more than once: %v", c.ends)
	}
	got := c.w.visible(c.t)
	all, err := vfstest.Snapshot(c.w.disk.Root())
	if err != nil {
		c.t.Fatal(err)
	}
	c.judgeTheirs(got, all)
	c.judgeKept(set, before, all)
	c.judgeBack(set)
	if answered {
		c.judgeTree("answered", set, got, after)
	}
	if refused {
		c.judgeTree("refused", set, got, before)
	}
	if len(c.ends) > 0 {
		c.judgeTree(string(c.ends[0]), set, got, map[bool]map[string]vfstest.Node{true: before, false: after}[c.ends[0] == TakenBack])
	}
}

func (c *chaos) judgeTheirs(got, all map[string]vfstest.Node) {
	for text, p := range c.theirs {
		at := ""
		for q, n := range all {
			if n.Data == text && (at == "" || got[q].Data == text) {
				at = q
			}
		}
		if at == "" {
			c.fail("%q, saved as %s, is lost", text, p)
		} else if _, seen := got[at]; !seen && !strings.Contains(c.notes, path.Base(at)) {
			c.fail("%q, saved as %s, is hidden in %s without a word", text, p, at)
		}
	}
}

func (c *chaos) judgeKept(set []wish, before, all map[string]vfstest.Node) {
	have := map[string]bool{}
	for _, n := range all {
		have[n.Data] = true
	}
	for p, n := range before {
		people := slices.ContainsFunc(set, func(w wish) bool {
			return (w.path == p || w.to == p) && (c.touched[w.path] || strings.HasSuffix(w.op, "gone"))
		})
		if n.Mode.IsRegular() && !have[n.Data] && !people && n.Data != chaosFiles["h1"] {
			c.fail("what %s had (%q) is lost", p, n.Data)
		}
	}
}

// judgeBack checks that a file that was to come back is either in the tree and nowhere in the history, or in the history.
func (c *chaos) judgeBack(set []wish) {
	orphans := c.w.orphans(c.t)
	for _, w := range set {
		if !strings.HasPrefix(w.op, "bring") || c.touched[w.path] || strings.Contains(c.notes, "could not be removed") {
			continue
		}
		k := c.w.kept[w.text]
		if c.packs && k.old.Mode.IsRegular() {
			here := c.w.change(c.t, w.path).Old
			if back := here != nil && here.Sum == k.old.Sum && here.ModTime.Equal(k.old.ModTime); back == c.w.keeps(c.t, k.slot) {
				c.fail("%s is in the tree: %v, and in the history: %v", w.text, back, !back)
			}
			continue
		}
		names := slices.DeleteFunc(c.w.names(c.t, k.old.ID), func(name string) bool { return slices.Contains(orphans, strings.Split(name, ".")[0]) })
		here := false
		if c := c.w.change(c.t, w.path); c.Old != nil {
			here = c.Old.ID == k.old.ID
		}
		if here == (len(names) > 0) {
			c.fail("%s is in the tree: %v, and in the history as %q", w.text, here, names)
		}
	}
}

// forgive ignores a directory that could not be removed.
func (c *chaos) forgive(set []wish, got, after map[string]vfstest.Node) {
	without := maps.Clone(got)
	for _, p := range pruned(set) {
		if _, there := after[p]; !there {
			delete(without, p)
		}
	}
	if diff(without, after) == "" {
		c.say("a directory stays")
		maps.DeleteFunc(got, func(p string, _ vfstest.Node) bool { return without[p] == (vfstest.Node{}) })
	}
}

func (c *chaos) judgeTree(why string, set []wish, got, want map[string]vfstest.Node) {
	for _, w := range set {
		hard := strings.HasPrefix(w.path, "h") || strings.HasPrefix(w.to, "h")
		if c.touched[w.path] || c.touched[w.to] || hard && (c.touched["h1"] || c.touched["h2"]) {
			continue
		}
		for _, p := range []string{w.path, w.to} {
			if p != "" && got[p] != want[p] {
				c.fail("%s, but %s is %+v, not %+v", why, p, got[p], want[p])
			}
		}
	}
}

func (c *chaos) done() []string {
	if len(c.bad) == 0 {
		return nil
	}
	return append(c.bad, c.log...)
}

// Random transactions with random faults, kills, power cuts and saves by people, and recoveries with the same. A seed
// reproduces a run.
func TestChaos(t *testing.T) {
	t.Parallel()
	wrong, runs := 0, *chaosRuns
	if *whole {
		runs = max(runs, 30000)
	}
	for i := range runs {
		seed := *chaosSeed + uint64(i)
		c := &chaos{Rand: rand.New(rand.NewPCG(seed, 7)), t: t, theirs: map[string]string{}, touched: map[string]bool{}}
		if bad := c.run(); bad != nil {
			t.Errorf("seed %d:\n  %s", seed, strings.Join(bad, "\n  "))
			if wrong++; wrong == 5 {
				break
			}
		}
	}
	t.Logf("%d runs", runs)
}
