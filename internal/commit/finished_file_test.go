package commit

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// layerName is where the tests have finished files: in the store, as layers are.
const layerName = storeName + "/layer"

// finishedFiles are the files of the layer. Two are names of one file.
var finishedFiles = map[string]string{"new": "landed\n", "d/over": strings.Repeat("landed over ", 30), "empty": "", "one": "two names\n", "link": "-> a.txt"}

// lands are the changes that put finished files in place: new ones, over other files, links, and two names of one file.
var lands = []wish{
	{op: "land", path: "landed.txt", text: "new"},
	{op: "land", path: "a.txt", text: "d/over"},
	{op: "land", path: "far/below/landed.txt", text: "empty"},
	{op: "land", path: "landed-link", text: "link"},
	{op: "land", path: "other/z.txt", text: "one"},
	{op: "land", path: "sub/two.txt", text: "two"},
}

func isLand(w wish) bool { return w.op == "land" }

// layer makes the layer. Nothing in it is synced.
func (w *world) layer(t *testing.T) {
	t.Helper()
	if err := w.disk.Plant(map[string]string{layerName + "/d/": ""}); err != nil {
		t.Fatal(err)
	}
	for _, p := range slices.Sorted(maps.Keys(finishedFiles)) {
		content := finishedFiles[p]
		p = layerName + "/" + p
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			if err := w.disk.Symlink(p, target); err != nil {
				t.Fatal(err)
			}
			continue
		}
		dir, err := tree(w.disk.Root).OpenDir(path.Dir(p))
		if err != nil {
			t.Fatal(err)
		}
		f, err := dir.Create(path.Base(p), 0o751)
		if err == nil {
			err = errors.Join(writeString(f, content), f.Touch(time.Unix(1_200_000_000, 0)), f.Close())
		}
		if err == nil && path.Base(p) == "one" {
			err = dir.Link("one", dir, "two")
		}
		if err = errors.Join(err, dir.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// finished returns what a wish lands, and what the layer has of it.
func finished(t *testing.T, w *world, want wish) (*New, vfs.Info) {
	t.Helper()
	is := w.stat(t, layerName+"/"+want.text)
	name := want.text
	if name == "two" {
		name = "one"
	}
	content, _ := strings.CutPrefix(finishedFiles[name], "-> ")
	return &New{File: layerName + "/" + want.text, FileInfo: &is, Sum: sum(content), From: -1}, is
}

// landed checks the layer: if the tree is the new one, it has the very files, and else the layer has.
func (c *sweep) landed(w *world, where string) {
	c.t.Helper()
	var set []wish
	for _, want := range c.set {
		if isLand(want) {
			set = append(set, want)
		}
	}
	if len(set) == 0 {
		return
	}
	isNew, cut := c.whole(w, where), strings.Contains(where, "power cut")
	copied := c.unlinked || strings.Contains(where, "permission denied")
	for _, want := range set {
		was := c.layer[want.text]
		p := want.path
		if !isNew && cut {
			continue // a layer is not durable
		}
		if !isNew {
			p = layerName + "/" + want.text
		}
		is := w.stat(c.t, p)
		if is.ID != was.ID && !(copied && isNew) || is.Mode != was.Mode || is.Size != was.Size || was.Mode.IsRegular() && !is.ModTime.Equal(was.ModTime) && !cut {
			c.t.Errorf("%v, %v, %s: the tree is new: %v; %s is %+v, and was %+v", c.on(), c.set, where, isNew, p, is, was)
		}
	}
}

// landing is a world with a layer.
func landing(t *testing.T, kind vfstest.Kind) *world {
	t.Helper()
	w := newWorld(t, kind, files)
	w.layer(t)
	return w
}

// TestLand: the very files are in the tree, and the layer has none of them any more.
func TestLand(t *testing.T) {
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		w := landing(t, kind)
		before := map[string]vfs.Info{}
		for _, want := range lands {
			_, before[want.path] = finished(t, w, want)
		}
		if err := w.doing(plain, t, lands); err != nil {
			t.Fatal(err)
		}
		for p, was := range before {
			is := w.stat(t, p)
			names := uint64(1)
			if p == "other/z.txt" || p == "sub/two.txt" {
				names = 2
			}
			if is.ID != was.ID || is.Mode != was.Mode || !is.ModTime.Equal(was.ModTime) || is.Links != names {
				t.Errorf("%v, %s: %+v, was %+v", kind, p, is, was)
			}
		}
		for name := range finishedFiles {
			dir, err := tree(w.disk.Root).OpenDir(path.Dir(layerName + "/" + name))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := dir.Stat(path.Base(name)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%v: the layer still has %s: %v", kind, name, err)
			}
			dir.Close()
		}
		if got := w.read(t, "a.txt"); got != finishedFiles["d/over"] {
			t.Errorf("%q", got)
		}
	}
}

// TestLandCopies: where a file cannot have a second name, a copy with its mode and time lands; a link is refused.
func TestLandCopies(t *testing.T) {
	w := landing(t, vfstest.Journal)
	w.unlinked = true
	set := slices.DeleteFunc(slices.Clone(lands), func(l wish) bool { return l.text == "link" })
	if err := w.doing(plain, t, set); err != nil {
		t.Fatal(err)
	}
	if is := w.stat(t, "landed.txt"); is.Mode != 0o751 || !is.ModTime.Equal(time.Unix(1_200_000_000, 0)) {
		t.Errorf("%+v", is)
	}
	before := w.visible(t)
	if err := w.doing(plain, t, lands[3:4]); !errors.Is(err, fail.CommandFailed) {
		t.Errorf("a link: %v", err)
	}
	if d := diff(w.visible(t), before); d != "" {
		t.Error(d)
	}
}

// TestLandRefuses: what is not what the caller judged does not land, and nothing else either.
func TestLandRefuses(t *testing.T) {
	at := layerName + "/new"
	for name, tc := range map[string]struct {
		spoil func(w *world, n *New) error
		kind  fail.Kind
	}{
		"another content": {func(w *world, n *New) error { n.Sum = sum("other"); return nil }, fail.Stale},
		"another mode":    {func(w *world, n *New) error { return w.disk.Change(at, func(i *vfs.Info) { i.Mode = 0o777 }) }, fail.Stale},
		"another time": {func(w *world, n *New) error {
			return w.disk.Change(at, func(i *vfs.Info) { i.ModTime = time.Unix(5, 0) })
		}, fail.Stale},
		"gone":         {func(w *world, n *New) error { n.File += "-gone"; return nil }, fail.Stale},
		"no directory": {func(w *world, n *New) error { n.File = layerName + "/none/new"; return nil }, fail.Stale},
		"a directory":  {func(w *world, n *New) error { n.File, n.FileInfo = layerName+"/d", nil; return nil }, fail.CommandFailed},
		"a fifo": {func(w *world, n *New) error {
			n.File, n.FileInfo = layerName+"/f", nil
			return w.disk.Mkfifo(layerName + "/f")
		}, fail.CommandFailed},
	} {
		w := landing(t, vfstest.Journal)
		set := []wish{lands[0], wishes[0]}
		changes := w.changes(t, set)
		if err := tc.spoil(w, changes[0].New); err != nil {
			t.Fatal(err)
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

// TestLandWrittenMeanwhile: somebody writes to the file by its first name after it was staged.
func TestLandWrittenMeanwhile(t *testing.T) {
	w := landing(t, vfstest.Journal)
	changes := w.changes(t, []wish{lands[0], lands[1]})
	before := w.visible(t)
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tx := s.newTransaction(t.Context(), Tx{Changes: changes, Files: tree(w.disk.Root)})
	defer tx.close()
	if err := tx.stage(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.disk.Change(layerName+"/d/over", func(i *vfs.Info) { i.ModTime = time.Unix(5, 0) }); err != nil {
		t.Fatal(err)
	}
	if err := tx.verify(); !errors.Is(err, fail.Stale) {
		t.Error(err)
	}
	if d := diff(w.visible(t), before); d != "" {
		t.Error(d)
	}
}

// TestLandTakenBack: when somebody saved a file that the same transaction changes, the layer is as it was and can land again.
func TestLandTakenBack(t *testing.T) {
	w := landing(t, vfstest.Journal)
	changes := w.changes(t, lands)
	if err := w.disk.Change("a.txt", func(i *vfs.Info) { i.Mode = 0o600 }); err != nil {
		t.Fatal(err)
	}
	if err := w.run(plain, changes); !errors.Is(err, fail.Stale) {
		t.Fatal(err)
	}
	if err := w.doing(plain, t, lands); err != nil {
		t.Fatal(err)
	}
	if got := w.read(t, "landed.txt"); got != finishedFiles["new"] {
		t.Errorf("%q", got)
	}
}

// TestLandOtherError: an error that has nothing to do with second names is no reason to copy.
func TestLandOtherError(t *testing.T) {
	for n := 0; ; n++ {
		f := &vfstest.Fault{At: n, Err: syscall.EIO}
		err := landing(t, vfstest.Journal).doing(f.Wrap, t, lands[:1])
		if !f.Fired() {
			t.Fatal("nothing is linked")
		}
		if strings.HasPrefix(f.Trace()[n], "link") {
			if err == nil {
				t.Error("it landed")
			}
			return
		}
	}
}
