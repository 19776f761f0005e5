package commit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
	"github.com/emend-dev/emend/patch"
)

const storeName = ".store"

// world is a disk in memory with a tree and a store on it.
type world struct {
	disk *vfstest.Disk
	path string // a directory of the system, instead of the disk
	kind vfstest.Kind
	weak bool // the file system has no exchange, though the system has
	// unlinked says that the file system has no second names.
	unlinked bool
	noSync   bool            // nothing is synced
	recent   bool            // every file was changed a moment ago, so that its times tell nothing
	packs    bool            // the history is packed, all of it
	kept     map[string]kept // what the history has, by where it was
}

// kept is a file in the history.
type kept struct {
	slot string
	old  *Old
}

// top opens the top of the disk.
func (w *world) top() vfs.Dir {
	if w.path == "" {
		return w.disk.Root()
	}
	d, err := vfs.Open(w.path)
	if err != nil {
		panic(err) // the test has made it
	}
	return d
}

// root returns the top of the disk through wrap.
func (w *world) root(wrap func(vfs.Dir) vfs.Dir) vfs.Dir {
	d := w.top()
	if w.weak || w.unlinked {
		d = besideDir{d, &beside{at: -1, weak: w.weak, unlinked: w.unlinked}}
	}
	return wrap(d)
}

// tree opens directories below a root, name by name.
type tree func() vfs.Dir

func (root tree) OpenDir(p string) (vfs.Dir, error) {
	at := root()
	for name := range strings.SplitSeq(p, "/") {
		if name == "." {
			continue
		}
		next, err := at.Dir(name)
		at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

func newWorld(t *testing.T, kind vfstest.Kind, files map[string]string) *world {
	t.Helper()
	return newWorldOf(t, vfstest.Linux, kind, files)
}

// newWorldOf makes a world on a disk that answers as system does.
func newWorldOf(t *testing.T, system vfstest.System, kind vfstest.Kind, files map[string]string) *world {
	t.Helper()
	w := &world{disk: vfstest.NewDiskOf(system, kind), kind: kind}
	if err := w.disk.Plant(files); err != nil {
		t.Fatal(err)
	}
	w.createStore(t)
	w.disk.Settle()
	return w
}

func (w *world) createStore(t *testing.T) {
	t.Helper()
	root := w.top()
	defer root.Close()
	if err := root.Mkdir(storeName, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := root.Dir(storeName)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := Create(dir, ".."); err != nil {
		t.Fatal(err)
	}
}

// cut returns the world after a power cut, in the state that choose picks.
func (w *world) cut(choose func(int) int) *world {
	after := *w
	after.disk = w.disk.Crash(choose)
	return &after
}

// open opens the store through wrap, as a process would.
func (w *world) open(wrap func(vfs.Dir) vfs.Dir) (*Store, error) {
	top := w.root(wrap)
	dir, err := top.Dir(storeName)
	top.Close()
	if err != nil {
		return nil, err
	}
	o := Options{Links: w.kind == vfstest.Strict, NoSync: w.noSync}
	if w.recent {
		o.Now = func() time.Time { return time.Unix(1_700_000_000, 0) } // as on the disk
	}
	s, err := Open(dir, tree(func() vfs.Dir { return w.root(wrap) }), o)
	if err == nil {
		s.keepLoose = 0
	}
	return s, err
}

// pack packs the history through wrap.
func (w *world) pack(wrap func(vfs.Dir) vfs.Dir) error {
	s, err := w.open(wrap)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Pack(context.Background(), true)
	return err
}

func plain(d vfs.Dir) vfs.Dir { return d }

// all returns the tree with the store.
func (w *world) all(t *testing.T) map[string]vfstest.Node {
	t.Helper()
	top := w.top()
	defer top.Close()
	all, err := vfstest.Snapshot(top)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// visible returns the tree without the store.
func (w *world) visible(t *testing.T) map[string]vfstest.Node {
	t.Helper()
	all := w.all(t)
	maps.DeleteFunc(all, func(p string, _ vfstest.Node) bool {
		return p == storeName || strings.HasPrefix(p, storeName+"/")
	})
	return all
}

// wish is a change that a test wants: new content, a new path, or a deletion ("").
type wish struct {
	op   string // update, add, delete, move, moveedit, bring, bringgone, land, putdir and swapdir (text is what), takedir, prune, empty, gone
	path string
	to   string
	text string
}

func (w wish) String() string { return strings.TrimSpace(w.op + " " + w.path + " " + w.to) }

// changes plans wishes on the current disk.
func (w *world) changes(t *testing.T, wishes []wish) []Change {
	t.Helper()
	var out []Change
	for _, want := range wishes {
		switch want.op {
		case "update":
			c := w.change(t, want.path)
			c.New = &New{Content: want.text, Sum: sum(want.text), From: len(out)}
			if want.path == "sub/x.txt" {
				c.New.Mode = patch.Executable
			}
			out = append(out, c)
		case "add":
			c := w.change(t, want.path)
			c.New = &New{Content: want.text, Sum: sum(want.text), From: -1}
			out = append(out, c)
		case "bring", "bringgone":
			c, k := w.change(t, want.path), w.kept[want.text]
			c.Discard = want.op == "bringgone"
			c.New = &New{FromSlot: k.slot, Sum: k.old.sum(), From: -1}
			out = append(out, c)
		case "land":
			c := w.change(t, want.path)
			c.New, _ = finished(t, w, want)
			out = append(out, c)
		case "putdir", "swapdir", "takedir":
			out = append(out, w.changeDir(t, want))
		case "gone":
			c := w.change(t, want.path)
			c.Discard = true
			if want.text != "" {
				c.New = &New{Content: want.text, Sum: sum(want.text), From: len(out)}
			}
			out = append(out, c)
		case "delete", "prune":
			out = append(out, w.change(t, want.path))
		case "move", "moveedit":
			from, to := w.change(t, want.path), w.change(t, want.to)
			to.New = &New{Content: want.text, Sum: sum(want.text), From: len(out), Move: want.op == "move" && to.Old == nil}
			if want.op == "move" && to.Old != nil {
				to.New.Content, to.New.Sum = w.read(t, want.path), from.Old.Sum
			}
			out = append(out, from, to)
		}
	}
	return out
}

func (w *world) read(t *testing.T, p string) string {
	t.Helper()
	dir, err := tree(w.top).OpenDir(path.Dir(p))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	data, err := vfstest.ReadFile(dir, path.Base(p))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (w *world) change(t *testing.T, p string) Change {
	t.Helper()
	c := Change{Path: p}
	up := path.Dir(p)
	dir, err := tree(w.top).OpenDir(up)
	for errors.Is(err, fs.ErrNotExist) {
		c.Missing++
		up = path.Dir(up)
		dir, err = tree(w.top).OpenDir(up)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	is, err := dir.Stat(".")
	if err != nil {
		t.Fatal(err)
	}
	c.Parent = is.ID
	if c.Missing > 0 {
		return c
	}
	is, there, err := exists(dir, path.Base(p))
	if err != nil {
		t.Fatal(err)
	}
	if !there {
		return c
	}
	c.Old = &Old{Info: is}
	if isLink(is.Mode) {
		c.Old.Link, _ = dir.Readlink(path.Base(p))
	} else {
		c.Old.Sum = sum(w.read(t, p))
	}
	return c
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// run commits changes through wrap.
func (w *world) run(wrap func(vfs.Dir) vfs.Dir, changes []Change) error {
	_, err := w.do(wrap, Tx{Changes: changes})
	return err
}

// doing commits wishes through wrap.
func (w *world) doing(wrap func(vfs.Dir) vfs.Dir, t *testing.T, wishes []wish) error {
	t.Helper()
	_, err := w.do(wrap, Tx{Changes: w.changes(t, wishes), RemoveDirs: pruned(wishes), MakeDirs: made(wishes)})
	return err
}

// pruned returns the directories that wishes remove: all above a file.
func pruned(wishes []wish) (dirs []string) {
	for _, want := range wishes {
		if want.op != "prune" {
			continue
		}
		for up := path.Dir(want.path); up != "."; up = path.Dir(up) {
			dirs = append(dirs, up)
		}
	}
	return dirs
}

// made returns the directories that wishes make without a file.
func made(wishes []wish) (dirs []string) {
	for _, want := range wishes {
		if want.op == "empty" {
			dirs = append(dirs, want.path)
		}
	}
	return dirs
}

func (w *world) do(wrap func(vfs.Dir) vfs.Dir, tx Tx) (*Done, error) {
	s, err := w.open(wrap)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	tx.Record.Kind = audit.Commit
	tx.Files = tree(func() vfs.Dir { return w.root(wrap) })
	for _, c := range tx.Changes {
		tx.Record.Ops = append(tx.Record.Ops, audit.Op{Operation: "change", Path: c.Path})
	}
	return s.Run(context.Background(), tx)
}

// recover opens the store again and recovers.
func (w *world) recover(wrap func(vfs.Dir) vfs.Dir) (*Outcome, error) {
	s, err := w.open(wrap)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Recover(context.Background())
}

// diff returns how two trees differ, "" if they do not.
func diff(got, want map[string]vfstest.Node) string {
	var out []string
	for p, n := range want {
		if g, ok := got[p]; !ok {
			out = append(out, p+" is missing")
		} else if g != n {
			out = append(out, fmt.Sprintf("%s is %+v, want %+v", p, g, n))
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			out = append(out, p+" should not be there")
		}
	}
	return strings.Join(out, "; ")
}
