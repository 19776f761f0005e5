package commit

import (
	"errors"
	"io/fs"
	"slices"
	"sync"

	"github.com/emend-dev/emend/internal/vfs"
)

// dirs are the directories that a transaction works in, each opened once and held: whatever happens to the paths that
// led there, what is done is done in the directory that was judged.
type dirs struct {
	tree Tree
	mu   sync.Mutex // of at, which staging calls from several goroutines
	open map[string]vfs.Dir
	ids  map[string]vfs.ID // of those that are held, as far as they were asked for: it cannot change while they are
	// most is how many are held at most, 0 for any number. Only recovery has a bound: it finds its way anew.
	most int
	last string
}

func newDirs(t Tree) *dirs {
	return &dirs{tree: t, open: map[string]vfs.Dir{}, ids: map[string]vfs.ID{}}
}

// at returns the directory at path.
func (d *dirs) at(path string) (vfs.Dir, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if dir, ok := d.open[path]; ok {
		d.last = path
		return dir, nil
	}
	if d.most > 0 && len(d.open) >= d.most {
		d.spill()
	}
	dir, err := d.tree.OpenDir(path)
	if err != nil {
		return nil, err
	}
	d.last = path
	d.hold(path, dir)
	return dir, nil
}

// hold takes over a directory that was opened at path.
func (d *dirs) hold(path string, dir vfs.Dir) {
	d.open[path] = dir
	delete(d.ids, path)
}

// spill lets go of all directories but the last, which a step that needs two of them has in hand.
func (d *dirs) spill() {
	for path := range d.open {
		if path != d.last {
			d.forget(path)
		}
	}
}

// parent returns the directory of a path and its last name.
func (d *dirs) parent(path string) (vfs.Dir, string, error) {
	up, name := split(path)
	dir, err := d.at(up)
	return dir, name, err
}

// id is what tells the directory that is held for a path from every other one.
func (d *dirs) id(path string) (vfs.ID, error) {
	if id, ok := d.ids[path]; ok {
		return id, nil
	}
	is, err := d.open[path].Stat(".")
	if err == nil {
		d.ids[path] = is.ID
	}
	return is.ID, err
}

// same reports whether the path still leads to the directory that is held for it.
func (d *dirs) same(path string) (bool, error) {
	now, err := d.tree.OpenDir(path)
	if err != nil {
		return false, err
	}
	defer now.Close()
	held, err := d.id(path)
	if err != nil {
		return false, err
	}
	is, err := now.Stat(".")
	return is.ID == held, err
}

// paths lists the directories that are held, in order.
func (d *dirs) paths() []string {
	out := make([]string, 0, len(d.open))
	for p := range d.open {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// forget lets go of a directory that was removed.
func (d *dirs) forget(path string) {
	if dir, ok := d.open[path]; ok {
		dir.Close()
		delete(d.open, path)
		delete(d.ids, path)
	}
}

func (d *dirs) close() {
	for _, dir := range d.open {
		dir.Close()
	}
	d.open, d.ids = map[string]vfs.Dir{}, map[string]vfs.ID{}
}

// exists describes name in dir; missing is no error.
func exists(dir vfs.Dir, name string) (is vfs.Info, ok bool, err error) {
	is, err = dir.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return is, false, nil
	}
	return is, err == nil, err
}
