package emend

import (
	"os"
	"path/filepath"

	"github.com/emend-dev/emend/internal/find"
)

// Reach is where the workspace reads and writes, for who wants to keep the process from everything else. Below write are
// the root, the top of the tree that shares its store, which recovery may have to put in order, and the store; a named
// store that is still to be made is the directory that it will be in. Read lists the files, and directories of files,
// outside of it that say what is ignored.
func (w *Workspace) Reach() (write, read []string, err error) {
	if err := w.enter(); err != nil {
		return nil, nil, err
	}
	defer w.calls.Done()
	if _, err := w.keeper.find(); err != nil {
		return nil, nil, err
	}
	place := w.keeper.where()
	write = []string{w.keeper.root, place.Top, place.Dir}
	if !place.Exists {
		write[2] = existing(filepath.Dir(place.Dir))
	}
	if place.Else != "" {
		write = append(write, existing(filepath.Dir(place.Else)))
	}
	return write, find.Elsewhere(w.keeper.root), nil
}

// existing is dir, or the nearest directory above it that is there.
func existing(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
	}
}
