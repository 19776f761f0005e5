package commit

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"sync"

	"github.com/emend-dev/emend/internal/vfs"
)

// openDirs holds the directories that a transaction works in, each opened once. Whatever happens to the paths that led
// there, the transaction works in the directory that was judged.
type openDirs struct {
	tree   Tree
	mu     sync.Mutex // for open, which staging calls from several goroutines
	byPath map[string]vfs.Dir
	ids    map[string]vfs.ID // identities of the open directories, as far as they were needed; they cannot change while open
	// limit is the maximum number of open directories, 0 for no limit. Only recovery has one: it opens paths anew.
	limit int
	last  string // path last opened
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

// put adds a directory that was opened at path, and takes it over.
func (d *openDirs) put(path string, dir vfs.Dir) {
	d.byPath[path] = dir
	delete(d.ids, path)
}

// closeOthers closes all directories but the last one, which an act that needs two of them is using.
func (d *openDirs) closeOthers() {
	for path := range d.byPath {
		if path != d.last {
			d.drop(path)
		}
	}
}

// parent returns the parent directory of path, and the last name of path.
func (d *openDirs) parent(path string) (vfs.Dir, string, error) {
	up, name := split(path)
	dir, err := d.open(up)
	return dir, name, err
}

// id returns the identity of the open directory at path.
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

// unmoved reports whether path still leads to the directory that is open for it.
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

// paths lists the open directories, in order.
func (d *openDirs) paths() []string {
	out := make([]string, 0, len(d.byPath))
	for p := range d.byPath {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// drop closes a directory that was removed.
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

// exists describes name in dir. A missing name is not an error.
func exists(dir vfs.Dir, name string) (is vfs.Info, ok bool, err error) {
	is, err = dir.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return is, false, nil
	}
	return is, err == nil, err
}

func split(p string) (dir, name string) { return path.Dir(p), path.Base(p) }
