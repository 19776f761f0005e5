package commit

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// wholeFiles are in directories of the tree that are replaced or removed with all that is in them.
var wholeFiles = map[string]string{"mods/a.js": "a\n", "mods/lib/b.js": "b\n", "mods/lib/l": "-> b.js", "dist/out": "built\n", "dist/empty/": ""}

// wholes are the changes of whole directories: new ones, one of them in a directory that is missing, in place of another, and gone.
var wholes = []wish{
	{op: "putdir", path: "fresh", text: "one"},
	{op: "putdir", path: "far/out/fresh", text: "two"},
	{op: "swapdir", path: "mods", text: "three"},
	{op: "takedir", path: "dist"},
}

func isWhole(w wish) bool { return strings.HasSuffix(w.op, "dir") }

// wholeName is where the directories wait that come.
const wholeName = layerName + "/whole"

// wholeDirs makes the directories that come. Nothing in them is synced.
func (w *world) wholeDirs(t *testing.T) {
	t.Helper()
	root := w.disk.Root()
	defer root.Close()
	for _, p := range []string{layerName, wholeName, wholeName + "/one", wholeName + "/two", wholeName + "/three", wholeName + "/three/deep"} {
		dir, err := tree(w.disk.Root).OpenDir(path.Dir(p))
		if err == nil {
			err = errors.Join(ignore(dir.Mkdir(path.Base(p), 0o750), fs.ErrExist), dir.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for p, text := range map[string]string{"one/x": "x of one\n", "two/y": "y of two\n", "three/a.js": "another a\n", "three/deep/z": ""} {
		dir, err := tree(w.disk.Root).OpenDir(path.Dir(wholeName + "/" + p))
		if err == nil {
			err = errors.Join(createText(dir, path.Base(p), text), dir.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// wholeDir is what is known of a directory that comes, and of one that goes.
type wholeDir struct {
	comes, goes vfs.ID
	sum         string // of what comes
}

func (w *world) dirAt(t *testing.T, want wish) (d wholeDir) {
	t.Helper()
	c := w.changeDir(t, want)
	if c.New != nil {
		d.comes, d.sum = c.New.FileInfo.ID, c.New.Sum
	}
	if c.Old != nil {
		d.goes = c.Old.ID
	}
	return d
}

// changeDir plans a change of a whole directory.
func (w *world) changeDir(t *testing.T, want wish) Change {
	t.Helper()
	c := Change{Path: want.path}
	if want.op == "putdir" {
		c = w.change(t, want.path)
	} else {
		up, err := tree(w.disk.Root).OpenDir(path.Dir(want.path))
		if err != nil {
			t.Fatal(err)
		}
		defer up.Close()
		parent, err := up.Stat(".")
		is, s, serr := sumDir(up, path.Base(want.path))
		if err := errors.Join(err, serr); err != nil {
			t.Fatal(err)
		}
		c.Parent, c.Old = parent.ID, &Old{Info: is, Sum: s.String()}
	}
	if want.op != "takedir" {
		dir, err := tree(w.disk.Root).OpenDir(wholeName)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		is, s, err := sumDir(dir, want.text)
		if err != nil {
			t.Fatal(err)
		}
		c.New = &New{From: -1, Dir: strings.TrimPrefix(wholeName, storeName+"/") + "/" + want.text, Sum: s.String(), FileInfo: &is}
	}
	return c
}

// idAt returns the identity of a directory, zero if there is none.
func (w *world) idAt(t *testing.T, p string) vfs.ID {
	t.Helper()
	dir, err := tree(w.disk.Root).OpenDir(p)
	if errors.Is(err, fs.ErrNotExist) {
		return vfs.ID{}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	is, err := dir.Stat(".")
	if err != nil {
		t.Fatal(err)
	}
	return is.ID
}

// dirsLanded checks the whole directories: if the tree is the new one, it has the very directories that were to come, and those that
// went are in their places in the store or gone; else all is where it was.
func (c *sweep) dirsLanded(w *world, where string) {
	c.t.Helper()
	if !slices.ContainsFunc(c.set, isWhole) {
		return
	}
	isNew, cut := c.whole(w, where), strings.Contains(where, "power cut")
	for _, want := range c.set {
		d, ok := c.dirs[want.path]
		if !ok {
			continue
		}
		inTree, inStore := w.idAt(c.t, want.path), vfs.ID{}
		if want.text != "" {
			inStore = w.idAt(c.t, wholeName+"/"+want.text)
		}
		wantTree, wantStore := d.comes, vfs.ID{}
		if want.op == "swapdir" {
			wantStore = d.goes
		}
		if !isNew {
			wantTree, wantStore = d.goes, d.comes
		}
		if inTree != wantTree || inStore != wantStore && !(cut && !isNew) {
			c.t.Errorf("%v, %v, %s: new %v: %s is %v, want %v; in the store %v, want %v", c.on(), c.set, where, isNew, want.path, inTree, wantTree, inStore, wantStore)
		}
	}
	dropped, err := tree(w.disk.Root).OpenDir(storeName + "/" + droppedPath)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		c.t.Fatal(err)
	}
	defer dropped.Close()
	// A power cut can take the marker by which it would be found, and a single failure can keep it: that is space, and no more.
	if names, err := dropped.Names(); err != nil || len(names) > 0 && !cut && !strings.Contains(where, "remove") {
		c.t.Errorf("%v, %v, %s: left in the store: %q, %v", c.on(), c.set, where, names, err)
	}
}

// wholeWorld is a world with whole directories to come and to go.
func wholeWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, vfstest.Journal, files)
	if err := w.disk.Plant(wholeFiles); err != nil {
		t.Fatal(err)
	}
	w.wholeDirs(t)
	return w
}

// TestWholeDirs: the very directories are in the tree, those that went are in the layer or gone, and the log has a step for each.
func TestWholeDirs(t *testing.T) {
	w := wholeWorld(t)
	c := &sweep{t: t, kind: w.kind, set: wholes, dirs: map[string]wholeDir{}, before: w.visible(t)}
	for _, want := range wholes {
		c.dirs[want.path] = w.dirAt(t, want)
	}
	if err := w.doing(plain, t, wholes); err != nil {
		t.Fatal(err)
	}
	c.after = w.visible(t)
	c.dirsLanded(w, "done")
	if got := w.read(t, "mods/a.js"); got != "another a\n" {
		t.Errorf("%q", got)
	}
	if _, there := c.after["dist/out"]; there {
		t.Error("what was to go is there")
	}
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var does []string
	for r, err := range s.log.Query(audit.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range r.Acts {
			does = append(does, string(a.Do)+" "+a.Path)
		}
	}
	want := []string{"mkdir far", "mkdir far/out", "putdir fresh", "putdir far/out/fresh", "takedir dist", "swapdir mods"}
	if !slices.Equal(does, want) {
		t.Errorf("%q, want %q", does, want)
	}
}

// TestWholeDirRefused: what changed since it was planned, on either side, refuses everything.
func TestWholeDirRefused(t *testing.T) {
	edit := func(p string) func(w *world) error {
		return func(w *world) error {
			dir, err := tree(w.disk.Root).OpenDir(path.Dir(p))
			if err != nil {
				return err
			}
			f, err := dir.Append(path.Base(p), 0o644)
			if err == nil {
				err = errors.Join(writeString(f, "more"), f.Close())
			}
			return errors.Join(err, dir.Close())
		}
	}
	for name, tc := range map[string]struct {
		spoil func(w *world) error
		kind  fail.Kind
	}{
		"a file in what comes":     {edit(wholeName + "/three/deep/z"), fail.Stale},
		"a new file in what comes": {edit(wholeName + "/one/new"), fail.Stale},
		"a file in what goes":      {edit("mods/lib/b.js"), fail.Stale},
		"a new file in what goes":  {edit("dist/empty/new"), fail.Stale},
		"something at a free path": {edit("fresh"), fail.Stale},
		"a link in what goes": {func(w *world) error {
			return w.disk.Change("mods/lib/l", func(i *vfs.Info) { i.ModTime = i.ModTime.Add(1) })
		}, fail.Stale},
		"a mode in what goes": {func(w *world) error {
			return w.disk.Change("mods/lib", func(i *vfs.Info) { i.Mode |= 0o7 })
		}, fail.Stale},
	} {
		w := wholeWorld(t)
		changes := w.changes(t, slices.Concat(wholes, wishes[:1]))
		if err := tc.spoil(w); err != nil {
			t.Fatal(name, err)
		}
		before := w.visible(t)
		if err := w.run(plain, changes); !errors.Is(err, tc.kind) {
			t.Errorf("%s: %v, want %s", name, err, tc.kind)
		}
		if d := diff(w.visible(t), before); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestWholeDirNeedsJournal: without a journal a power cut could lose both names of a directory.
func TestWholeDirNeedsJournal(t *testing.T) {
	w := newWorld(t, vfstest.Strict, files)
	if err := w.disk.Plant(wholeFiles); err != nil {
		t.Fatal(err)
	}
	w.wholeDirs(t)
	for _, want := range wholes {
		if err := w.doing(plain, t, []wish{want}); !errors.Is(err, fail.CommandFailed) {
			t.Errorf("%v: %v", want, err)
		}
	}
}

// TestWholeDirOrFile: a directory does not take the place of a file, nor a file that of a directory.
func TestWholeDirOrFile(t *testing.T) {
	w := wholeWorld(t)
	over := w.change(t, "a.txt")
	over.New = w.changeDir(t, wholes[0]).New
	under := w.changeDir(t, wholes[3])
	under.New = &New{Content: "x", Sum: sum("x"), From: -1}
	for _, c := range []Change{over, under} {
		if err := w.run(plain, []Change{c}); !errors.Is(err, fail.CommandFailed) {
			t.Errorf("%s: %v", c.Path, err)
		}
	}
}

// TestWholeDirSavedMeanwhile: somebody works in a directory at every single call of the transaction. Nothing of theirs is lost: it is in
// the tree, or, saved when the directory was gone already, nowhere that they could have put it.
func TestWholeDirSavedMeanwhile(t *testing.T) {
	for n := 0; ; n++ {
		w := wholeWorld(t)
		saved, fired := false, false
		b := &beside{at: n, act: func() {
			fired = true
			dir, err := tree(w.disk.Root).OpenDir("mods/lib")
			if err != nil {
				return
			}
			defer dir.Close()
			saved = createText(dir, "theirs", "theirs\n") == nil
		}}
		changes := w.changes(t, wholes)
		err := w.run(b.Wrap, changes)
		if !fired {
			break
		}
		if err != nil && !errors.Is(err, fail.Stale) {
			t.Errorf("call %d: %v", n, err)
		}
		_, inTree := w.visible(t)["mods/lib/theirs"]
		if err == nil && saved && !inTree {
			t.Errorf("call %d, %s: saved, landed, and not in the tree", n, b.what)
		}
		if err != nil && saved && !inTree {
			t.Errorf("call %d: refused, and the save is not in the tree: %v", n, err)
		}
	}
}

// TestDroppedDirSwept: what a killed process did not come to remove is removed by the next one.
func TestDroppedDirSwept(t *testing.T) {
	for n := 0; ; n++ {
		w := wholeWorld(t)
		f := &vfstest.Fault{At: n, Dead: true}
		w.doing(f.Wrap, t, wholes[3:])
		if !f.Fired() {
			break
		}
		w.disk.Kill()
		if _, err := w.recover(plain); err != nil {
			t.Fatal(err)
		}
		if dir, err := tree(w.disk.Root).OpenDir(storeName + "/" + droppedPath); err == nil {
			if names, _ := dir.Names(); len(names) > 0 {
				t.Errorf("killed at %d (%s): left %q", n, f.Trace()[n], names)
			}
			dir.Close()
		}
	}
}
