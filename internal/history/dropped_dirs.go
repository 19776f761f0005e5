package history

import (
	"errors"
	"io/fs"

	"github.com/emend-dev/emend/internal/vfs"
)

// droppedName is the directory of the store that has the directories which transactions took out of the tree and do not keep, named
// like slots, until they are removed.
const droppedName = "dropped"

// DroppedDirs opens the directory for directories that are not kept. If it is missing and create is set, DroppedDirs makes it.
func (h *History) DroppedDirs(create bool) (vfs.Dir, error) {
	dir, err := h.store.Dir(droppedName)
	if !create || !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	if err := h.store.Mkdir(droppedName, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return h.store.Dir(droppedName)
}

// DropDir removes the directory of a slot that is not kept, if there is one.
func (h *History) DropDir(slot string) error {
	dir, err := h.DroppedDirs(false)
	if err != nil {
		return ignoreMissing(err)
	}
	defer dir.Close()
	return vfs.RemoveTree(dir, slot)
}

// dropDirs is DropDir for the n slots of an ended transaction.
func (h *History) dropDirs(tx string, n int) error {
	dir, err := h.DroppedDirs(false)
	if err != nil {
		return ignoreMissing(err)
	}
	defer dir.Close()
	for i := range n {
		if err := vfs.RemoveTree(dir, Slot(tx, i)); err != nil {
			return err
		}
	}
	return nil
}

// SavedDir is the name, beside that of a slot, of a directory that could not go back to its place in the tree. It stays.
func SavedDir(slot string) string { return slot + ".saved" }
