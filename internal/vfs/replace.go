package vfs

import (
	"errors"
	"io/fs"
)

// ReplaceFile writes a file under the name draft, and gives it its name when it is whole, so that a reader finds the old file or the
// new one. It syncs nothing. An older draft is removed.
func ReplaceFile(dir Dir, draft, name string, b []byte) error {
	if err := dir.Remove(draft); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := dir.Create(draft, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return dir.Rename(draft, dir, name, Replace)
}
