package commit

import (
	"errors"
	"io/fs"
	"slices"
	"sync"

	"github.com/emend-dev/emend/internal/vfs"
)

// openDirs are the directories that a transaction works in, each opened once and held: whatever happens to the paths that
// led there, what is done is done in the directory that was judged.
type openDirs struct {
	tree   Tree
	mu     sync.Mutex // of at, which staging calls from several goroutines
	byPath map[string]vfs.Dir
	ids    map[string]vfs.ID // of those that are held, as far as they were asked for: it cannot change while they are
	// limit is how many are held at most, 0 for any number. Only recovery has a bound: it finds its way anew.
	limit int
	last  string
}

func newOpenDirs(t Tree) *openDirs {
	return &openDirs{tree: t, byPath: map[string]vfs.Dir{}, ids: map[string]vfs.ID{}}
}

// open returns the directory at path.
func (d *openDirs) open(path string) (vfs.Dir, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if dir, ok := d.byPath[path]; ok {
		d.last = path
		return dir, nil
	}
	if d.limit > 0 && len(d.byPath) >= d.limit {
		d.closeOthers()
	}
	dir, err := d.tree.OpenDir(path)
	if err != nil {
		return nil, err
	}
	d.last = path
	d.put(path, dir)
	return dir, nil
}

// put takes over a directory that was opened at path.
func (d *openDirs) put(path string, dir vfs.Dir) {
	d.byPath[path] = dir
	delete(d.ids, path)
}

// closeOthers lets go of all directories but the last, which a step that needs two of them has in hand.
func (d *openDirs) closeOthers() {
	for path := range d.byPath {
		if path != d.last {
			d.drop(path)
		}
	}
}

// parent returns the directory of a path and its last name.
func (d *openDirs) parent(path string) (vfs.Dir, string, error) {
	up, name := split(path)
	dir, err := d.open(up)
	return dir, name, err
}

// id is what tells the directory that is held for a path from every other one.
func (d *openDirs) id(path string) (vfs.ID, error) {
	if id, ok := d.ids[path]; ok {
		return id, nil
	}
	is, err := d.byPath[path].Stat(".")
	if err == nil {
		d.ids[path] = is.ID
	}
	return is.ID, err
}

// unmoved reports whether the path still leads to the directory that is held for it.
func (d *openDirs) unmoved(path string) (bool, error) {
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
func (d *openDirs) paths() []string {
	out := make([]string, 0, len(d.byPath))
	for p := range d.byPath {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// drop lets go of a directory that was removed.
func (d *openDirs) drop(path string) {
	if dir, ok := d.byPath[path]; ok {
		dir.Close()
		delete(d.byPath, path)
		delete(d.ids, path)
	}
}

func (d *openDirs) close() {
	for _, dir := range d.byPath {
		dir.Close()
	}
	d.byPath, d.ids = map[string]vfs.Dir{}, map[string]vfs.ID{}
}

// exists describes name in dir; missing is no error.
func exists(dir vfs.Dir, name string) (is vfs.Info, ok bool, err error) {
	is, err = dir.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return is, false, nil
	}
	return is, err == nil, err
}
