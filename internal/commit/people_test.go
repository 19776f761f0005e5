package commit

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/internal/vfs"
)

// beside is a disk on which somebody else does something in front of call number at.
type beside struct {
	weak      bool // there is no exchange, and no rename that replaces nothing
	at, calls int
	act       func()
	what      string
}

func (b *beside) call(what string) {
	if b.calls == b.at {
		b.what = what
		b.act()
	}
	b.calls++
}

func (b *beside) Wrap(d vfs.Dir) vfs.Dir { return besideDir{d, b} }

// besideDir counts the calls that look at names or change them.
type besideDir struct {
	directory
	b *beside
}

type directory = vfs.Dir

func (d besideDir) Dir(name string) (vfs.Dir, error) {
	d.b.call("open directory " + name)
	sub, err := d.directory.Dir(name)
	if err != nil {
		return nil, err
	}
	return besideDir{sub, d.b}, nil
}

func (d besideDir) Open(name string) (vfs.File, error) {
	d.b.call("open " + name)
	return d.directory.Open(name)
}

func (d besideDir) Create(name string, perm fs.FileMode) (vfs.File, error) {
	f, err := d.directory.Create(name, perm)
	return besideFile{f}, err
}

// besideFile is a file that knows directories from beside.
type besideFile struct{ vfs.File }

func (f besideFile) Inherit(d vfs.Dir, perm fs.FileMode) error {
	return f.File.Inherit(d.(besideDir).directory, perm)
}

func (d besideDir) Stat(name string) (vfs.Info, error) {
	d.b.call("stat " + name)
	return d.directory.Stat(name)
}

func (d besideDir) Rename(name string, to vfs.Dir, as string, how vfs.How) error {
	d.b.call(fmt.Sprintf("rename %s to %s", name, as))
	if d.b.weak && how != vfs.Replace {
		return vfs.ErrUnsupported
	}
	return d.directory.Rename(name, to.(besideDir).directory, as, how)
}

func (d besideDir) Link(name string, to vfs.Dir, as string) error {
	return d.directory.Link(name, to.(besideDir).directory, as)
}

func (d besideDir) Sync() error {
	d.b.call("sync")
	return d.directory.Sync()
}

// The ways in which a person saves.
var ways = map[string]func(dir vfs.Dir, name, text string) error{
	"atomically": func(dir vfs.Dir, name, text string) error {
		if err := createText(dir, name+".tmp", text); err != nil {
			return err
		}
		return dir.Rename(name+".tmp", dir, name, vfs.Replace)
	},
	"in place": func(dir vfs.Dir, name, text string) error {
		f, err := dir.Append(name, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := f.Truncate(0); err != nil {
			return err
		}
		_, err = f.Write([]byte(text))
		return err
	},
}

func createText(dir vfs.Dir, name, text string) error {
	f, err := dir.Create(name, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write([]byte(text))
	return err
}

var together = []wish{wishes[0], wishes[1], wishes[3], wishes[5], wishes[6], wishes[8]}

// Somebody saves one of the files of a transaction, at every call that it makes. What they saved is there afterwards,
// whatever becomes of the transaction, and of everything else all is old or all is new.
func TestSomebodySavesAtEveryCall(t *testing.T) {
	const theirs = "saved by somebody\n"
	tried, refused := 0, 0
	for way, save := range ways {
		for _, name := range []string{"a.txt", "d.txt", "m.txt", "e.txt", "new.txt"} {
			for n := 0; ; n++ {
				w := newWorld(t, vfs.Journal, files)
				before := w.visible(t)
				b := &beside{at: n}
				b.act = func() {
					root := w.disk.Root()
					defer root.Close()
					err := save(root, name, theirs)
					if errors.Is(err, syscall.EAGAIN) {
						b.at++ // the file is leased: they wait
					} else if err != nil {
						t.Fatal(err)
					}
				}
				err := w.run(b.Wrap, w.changes(t, together))
				if b.what == "" {
					break
				}
				tried++
				if err != nil {
					refused++
				}
				w.disk.Kill()
				where := fmt.Sprintf("%s, %s, at call %d (%s), %v", name, way, n, b.what, err)
				checkTheirs(t, w, before, name, theirs, err, where)
				if t.Failed() {
					return
				}
			}
		}
	}
	t.Logf("%d saves, %d of them refused the transaction, 0 lost", tried, refused)
	if refused == 0 || refused == tried {
		t.Error("the saves came all too early, or all too late")
	}
}

func checkTheirs(t *testing.T, w *world, before map[string]vfs.Node, name, theirs string, err error, where string) {
	t.Helper()
	got := w.visible(t)
	if !saved(got, name, theirs) {
		t.Errorf("%s: what they saved is lost: %v", where, got[name])
	}
	if err == nil {
		return
	}
	delete(got, name)
	delete(before, name)
	if !maps.Equal(got, before) {
		t.Errorf("%s: refused, and something else has changed: %s", where, diff(got, before))
	}
}

// saved reports whether the text is under the name, or where a transaction has moved that file to in the meantime.
func saved(got map[string]vfs.Node, name, theirs string) bool {
	for _, p := range []string{name, "sub/" + name, "other/" + name} {
		if got[p].Data == theirs {
			return true
		}
	}
	return false
}

// A transaction is killed at every call; then somebody saves one of its files; then recovery. Theirs stays.
func TestSomebodySavesBeforeRecovery(t *testing.T) {
	const theirs = "saved by somebody\n"
	points := 0
	for way, save := range ways {
		for _, name := range []string{"a.txt", "d.txt", "m.txt", "new.txt"} {
			for n := 0; ; n++ {
				w := newWorld(t, vfs.Journal, files)
				f := &vfs.Fault{At: n, After: true, Dead: true}
				w.run(f.Wrap, w.changes(t, together))
				if !f.Fired() {
					break
				}
				points++
				w.disk.Kill()
				root := w.disk.Root()
				if err := save(root, name, theirs); err != nil {
					t.Fatal(err)
				}
				root.Close()
				o, err := w.recover(plain)
				if err != nil {
					t.Fatalf("%s %s %d: %v", name, way, n, err)
				}
				if got := w.visible(t); !saved(got, name, theirs) {
					t.Fatalf("%s, %s, killed at %d (%s): what they saved is lost; %+v\n%v", name, way, n, f.Trace()[n], o, got)
				}
				if o, err := w.recover(plain); err != nil || !o.Nothing() {
					t.Fatalf("%s, %s, killed at %d: the second recovery found %+v, %v", name, way, n, o, err)
				}
			}
		}
	}
	t.Logf("%d points", points)
}
