package workspace

import (
	"os"
	"path/filepath"

	"github.com/emend-dev/emend/internal/find"
)

// AccessPaths returns the paths that the workspace needs, for a caller that confines the process to them. Below write are the
// root, the top of the tree that shares its store, which recovery may have to repair, and the store; for a named store that
// is still to be made, the directory that will hold it. read lists the files outside of these, and the directories of
// files, that say what is ignored.
func (w *Workspace) AccessPaths() (write, read []string, err error) {
	if err := w.Enter(); err != nil {
		return nil, nil, err
	}
	defer w.Leave()
	if _, err := w.OpenStore(); err != nil {
		return nil, nil, err
	}
	place := w.StorePlace()
	write = []string{w.RealRoot(), place.Top, place.Dir}
	if !place.Exists {
		write[2] = nearestDir(filepath.Dir(place.Dir))
	}
	if place.Fallback != "" {
		write = append(write, nearestDir(filepath.Dir(place.Fallback)))
	}
	return write, find.IgnoreSources(w.RealRoot()), nil
}

// nearestDir returns dir, or the nearest directory above it that exists.
func nearestDir(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
	}
}
