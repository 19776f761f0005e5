package commit

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// beside is a disk on which somebody else acts before call number at.
type beside struct {
	weak      bool       // there is no exchange, and no rename that replaces nothing
	unlinked  bool       // there are no second names
	mu        sync.Mutex // a group syncs several directories at once
	at, calls int
	act       func()
	what      string
}

func (b *beside) call(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
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

// besideFile is a file that accepts directories of beside.
type besideFile struct{ vfs.File }

func (f besideFile) DefaultAttributes(d vfs.Dir, perm fs.FileMode) error {
	return f.File.DefaultAttributes(d.(besideDir).directory, perm)
}

func (d besideDir) Stat(name string) (vfs.Info, error) {
	d.b.call("stat " + name)
	return d.directory.Stat(name)
}

func (d besideDir) Rename(name string, to vfs.Dir, as string, how vfs.RenameMode) error {
	d.b.call(fmt.Sprintf("rename %s to %s", name, as))
	if d.b.weak && how != vfs.Replace {
		return vfs.ErrUnsupported
	}
	return d.directory.Rename(name, to.(besideDir).directory, as, how)
}

func (d besideDir) Link(name string, to vfs.Dir, as string) error {
	if d.b.unlinked {
		return vfs.ErrUnsupported
	}
	return d.directory.Link(name, to.(besideDir).directory, as)
}

func (d besideDir) ReplacesOpen() bool { return vfs.ReplacesOpen(d.directory) }

func (d besideDir) SyncAll() error {
	d.b.call("sync")
	return d.directory.SyncAll()
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

// Somebody saves one of the files of a transaction, at every call that it makes. Their save is there afterwards, whatever the
// outcome, and everything else is all old or all new.
func TestSomebodySavesAtEveryCall(t *testing.T) {
	const theirs = "saved by somebody\n"
	tried, refused := 0, 0
	for way, save := range ways {
		for i, name := range []string{"a.txt", "d.txt", "m.txt", "e.txt", "new.txt", "back.txt", "f.txt", "h.txt", "n.txt", "v.txt"} {
			for n := 0; ; n++ {
				w, set := newWorld(t, vfstest.Journal, files), together
				if i >= 5 {
					w.keep(t)
					set = backs
				}
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
				err := w.doing(b.Wrap, t, set)
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

func checkTheirs(t *testing.T, w *world, before map[string]vfstest.Node, name, theirs string, err error, where string) {
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
func saved(got map[string]vfstest.Node, name, theirs string) bool {
	for _, p := range []string{name, "sub/" + name, "other/" + name} {
		if got[p].Data == theirs {
			return true
		}
	}
	return false
}

// A transaction is killed at every call; then somebody saves one of its files; then recovery runs. The save stays.
func TestSomebodySavesBeforeRecovery(t *testing.T) {
	const theirs = "saved by somebody\n"
	points := 0
	for way, save := range ways {
		for _, name := range []string{"a.txt", "d.txt", "m.txt", "new.txt"} {
			for n := 0; ; n++ {
				w := newWorld(t, vfstest.Journal, files)
				f := &vfstest.Fault{At: n, After: true, Dead: true}
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

// loseMark removes the last applied record from the log, as a power cut may.
func (w *world) loseMark(t *testing.T) {
	t.Helper()
	store, err := w.disk.Root().Dir(storeName)
	if err != nil {
		t.Fatal(err)
	}
	log, err := store.Dir(logName)
	if err != nil {
		t.Fatal(err)
	}
	const segment = "00000001.jsonl"
	text, err := vfstest.ReadFile(log, segment)
	if err != nil {
		t.Fatal(err)
	}
	end := strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n") + 1
	if !strings.Contains(text[end:], `"kind":"applied"`) {
		t.Fatalf("the last record is %s", text[end:])
	}
	f, err := log.Append(segment, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(int64(end)); err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// What people do to files and directories, by name.
var deeds = map[string]func(root vfs.Dir, name string) error{
	"delete": func(root vfs.Dir, name string) error { return root.Remove(name) },
	"rename": func(root vfs.Dir, name string) error { return root.Rename(name, root, "elsewhere", vfs.NoReplace) },
	"save":   func(root vfs.Dir, name string) error { return ways["atomically"](root, name, "theirs\n") },
	"as it was": func(root vfs.Dir, name string) error {
		return ways["atomically"](root, name, files[name]+backFiles[name])
	},
	"mkdir": func(root vfs.Dir, name string) error { return root.Mkdir(name, 0o755) },
	"edit":  func(root vfs.Dir, name string) error { return ways["in place"](root, name, "theirs\n") },
	"file for directory": func(root vfs.Dir, name string) error {
		if err := root.Rename(name, root, "elsewhere", vfs.NoReplace); err != nil {
			return err
		}
		return createText(root, name, "a file now\n")
	},
}

// A transaction was answered, a power cut lost its applied record, and people went on working: recovery finds nothing to do,
// whatever they did, and touches nothing.
func TestMarkLostAndPeopleGoOn(t *testing.T) {
	n := 0
	for _, kind := range []vfstest.Kind{vfstest.Journal, vfstest.Strict} {
		for what, deed := range deeds {
			for i, name := range []string{"", "a.txt", "b.txt", "d.txt", "new.txt", "m.txt", "e.txt", "sub", "far", "other",
				"", "back.txt", "f.txt", "l", "g.txt", "far", "h.txt", "p", "n.txt", "v.txt"} {
				w, set := newWorld(t, kind, files), wishes
				if i >= 10 {
					w.keep(t)
					set = backs
				}
				if err := w.doing(plain, t, set); err != nil {
					t.Fatal(err)
				}
				w.loseMark(t)
				root := w.disk.Root()
				if name != "" && deed(root, name) != nil {
					continue // not possible: a directory deleted like a file, a file that is not there
				}
				root.Close()
				n++
				before := w.visible(t)
				where := fmt.Sprintf("%v, %s %s", kind, what, name)
				o, err := w.recover(plain)
				if err != nil || o.End != Complete {
					t.Errorf("%s: %+v, %v", where, o, err)
				}
				if after := w.visible(t); !maps.Equal(after, before) {
					t.Errorf("%s: recovery changed something: %s", where, diff(after, before))
				}
				if o, err := w.recover(plain); err != nil || !o.Nothing() {
					t.Errorf("%s: the second recovery: %+v, %v", where, o, err)
				}
			}
		}
	}
	t.Logf("%d cases", n)
	if n < 50 {
		t.Error("too few")
	}
}

// A transaction is killed at every call, and people move and delete its directories. Recovery completes: it never stays
// undecided because of what they did, and nothing of theirs is lost.
func TestDirectoriesGoBeforeRecovery(t *testing.T) {
	points := 0
	for what, deed := range deeds {
		for _, name := range []string{"sub", "other", "far", "a.txt", "m.txt"} {
			for n := 0; ; n++ {
				w := newWorld(t, vfstest.Journal, files)
				f := &vfstest.Fault{At: n, After: true, Dead: true}
				w.run(f.Wrap, w.changes(t, wishes))
				if !f.Fired() {
					break
				}
				w.disk.Kill()
				root := w.disk.Root()
				err := deed(root, name)
				root.Close()
				if err != nil {
					continue
				}
				points++
				where := fmt.Sprintf("killed at %d (%s), then %s %s", n, f.Trace()[n], what, name)
				if o, err := w.recover(plain); err != nil {
					t.Fatalf("%s: %+v, %v", where, o, err)
				}
				if o, err := w.recover(plain); err != nil || !o.Nothing() {
					t.Fatalf("%s: the second recovery: %+v, %v", where, o, err)
				}
				c := &sweep{t: t, kind: vfstest.Journal, set: wishes, before: w.visible(t), points: new(int)}
				next := []wish{{op: "add", path: "next.txt", text: "next\n"}}
				if err := w.run(plain, w.changes(t, next)); err != nil {
					t.Fatalf("%s: the next transaction: %v", where, err)
				}
				c.chain(w, where)
			}
		}
	}
	t.Logf("%d points", points)
}

// reader is somebody who appends a line to a file and saves it, and does so again after a look at the file in between. Each of
// the three moments is a call of the transaction.
type reader struct {
	*beside
	t     *testing.T
	root  vfs.Dir
	name  string
	save  func(dir vfs.Dir, name, text string) error
	steps []int // the calls that are left
	seen  string
}

const firstLine, secondLine = "their first line\n", "their second line\n"

// act does what comes at this call: the first save, the look, the second save.
func (r *reader) act() {
	for len(r.steps) > 0 && r.at == r.steps[0] {
		if !r.step(len(r.steps)) {
			r.at++ // the file is leased: they wait, and so does what comes after
			for i := range r.steps {
				r.steps[i] = max(r.steps[i], r.at)
			}
			return
		}
		r.steps = r.steps[1:]
	}
	if len(r.steps) > 0 {
		r.at = r.steps[0]
	}
}

func (r *reader) step(left int) bool {
	text, err := vfstest.ReadFile(r.root, r.name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	switch left {
	case 3:
		err = r.save(r.root, r.name, text+firstLine)
	case 2:
		r.seen = text
		return true
	case 1:
		err = r.save(r.root, r.name, r.seen+secondLine)
	}
	if errors.Is(err, syscall.EAGAIN) {
		return false
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return true
}

// Somebody saves a file of a transaction, reads it again and saves what was read with one line more, each at every call of
// the transaction. What they read may be the agent's version in the instant before it is taken back, so that the second save
// replaces the first. Each of their lines is in a file of the tree or of the store all the same.
func TestSomebodyReadsAndSavesAtEveryCall(t *testing.T) {
	n, tried, refused := 0, 0, 0
	for way, save := range ways {
		for _, set := range [][]wish{{wishes[3], wishes[0]}, {wishes[3], wishes[5]}, {wishes[6], wishes[0]}, {wishes[0], wishes[8]}} {
			for _, recent := range []bool{false, true} {
				counter := &beside{at: -1}
				if err := readersWorld(t, recent).doing(counter.Wrap, t, set); err != nil {
					t.Fatal(err)
				}
				calls := counter.calls
				for first := range calls {
					for look := first; look < calls; look++ {
						for second := look; second < calls; second++ {
							if n++; slow && n%20 != 0 {
								continue
							}
							r := &reader{beside: &beside{at: first}, t: t, name: set[len(set)-1].path, save: save, steps: []int{first, look, second}}
							done, err := r.run(readersWorld(t, recent), set)
							if !done {
								continue // the transaction ended before they did
							}
							tried++
							if err != nil {
								refused++
							}
							if t.Failed() {
								t.Fatalf("%v, %s, recent=%v, saved at %d, read at %d, saved at %d of %d: %v", set, way, recent, first, look, second, calls, err)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d times, %d of them refused the transaction, 0 lines lost", tried, refused)
	if refused == 0 || refused == tried {
		t.Error("the saves came all too early, or all too late")
	}
}

func readersWorld(t *testing.T, recent bool) *world {
	w := newWorld(t, vfstest.Journal, files)
	w.recent = recent
	return w
}

// run carries out the transaction beside the reader, and looks for the lines. done reports whether the reader did everything.
func (r *reader) run(w *world, set []wish) (done bool, err error) {
	r.root = w.disk.Root()
	r.beside.act = r.act
	err = w.doing(r.Wrap, r.t, set)
	if err != nil && !errors.Is(err, fail.Stale) {
		r.t.Errorf("refused for another reason than the saves: %v", err)
	}
	w.disk.Kill()
	if len(r.steps) > 0 {
		return false, err
	}
	all, serr := vfstest.Snapshot(w.disk.Root())
	if serr != nil {
		r.t.Fatal(serr)
	}
	for _, line := range []string{firstLine, secondLine} {
		if !anywhere(all, line) {
			r.t.Errorf("%q is in no file, and in no store", line)
		}
	}
	return true, err
}

func anywhere(all map[string]vfstest.Node, line string) bool {
	for _, n := range all {
		if strings.Contains(n.Data, line) {
			return true
		}
	}
	return false
}

// Somebody gives a file a second name, which changes nothing but its time of change, and somebody saves it, each at every call.
// The transaction is refused because of the save, or is done; it never fails for another reason.
func TestSomebodyLinksAndSaves(t *testing.T) {
	for _, set := range [][]wish{{wishes[0]}, {wishes[5]}, {wishes[6]}} {
		name := set[0].path
		for link := 0; ; link++ {
			calls := 0
			for save := link; save == link || save < calls; save++ {
				w := newWorld(t, vfstest.Journal, files)
				root := w.disk.Root()
				b := &beside{at: link}
				b.act = func() {
					root.Link(name, root, "second")
					b.at, b.act = save, func() { ways["atomically"](root, name, "theirs\n") }
					if save == link {
						b.act()
					}
				}
				err := w.doing(b.Wrap, t, set)
				if err != nil && !errors.Is(err, fail.Stale) {
					t.Fatalf("%v, linked at %d, saved at %d (%s): %v", set, link, save, b.what, err)
				}
				calls = max(calls, b.calls)
			}
			if link > calls {
				break
			}
		}
	}
}
