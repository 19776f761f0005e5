package commit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs"
)

// Move moves the store to another place on the same mount. Processes that have it open continue to use it. Windows renames no
// directory in which a file is open, as this store is, so there a person has to.
func (s *Store) Move(ctx context.Context, from, to Place) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := s.recover(); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		return &fail.Error{Kind: fail.CommandFailed, Path: from.Dir, Msg: "Windows does not rename a directory in which files are open, and emend has this one open",
			Hint: "End all programs of emend, move it yourself to " + to.Dir + ", and ‹run doctor --adopt›, with ‹option store› if you named the place."}
	}
	old, err := vfs.Open(filepath.Dir(from.Dir))
	if err != nil {
		return storeError(err)
	}
	defer old.Close()
	next, err := vfs.Open(filepath.Dir(to.Dir))
	if err != nil {
		return storeError(err)
	}
	defer next.Close()
	// During the move the path to the top is absolute, which is right at both places.
	if err := s.reformat(Place{Dir: from.Dir, Top: to.Top}, true); err != nil {
		return storeError(err)
	}
	err = rename(old, filepath.Base(from.Dir), next, filepath.Base(to.Dir), vfs.NoReplace)
	if err != nil {
		err = errors.Join(err, s.reformat(Place{Dir: from.Dir, Top: to.Top}, false))
	}
	if errors.Is(err, os.ErrExist) {
		return &fail.Error{Kind: fail.AlreadyExists, Path: to.Dir, Msg: "something is there already",
			Hint: "Name another place with ‹option store›, or remove what is there."}
	}
	if err != nil {
		return storeError(err)
	}
	return storeError(errors.Join(s.reformat(to, false), next.Sync(), old.Sync()))
}

// reformat rewrites the path to the top.
func (s *Store) reformat(p Place, absolute bool) error {
	top, err := filepath.Rel(p.Dir, p.Top)
	if err != nil || absolute {
		top = p.Top
	}
	version, _, err := parseFormat(s.dir)
	if err != nil {
		return err
	}
	if err := s.writeFormat(version, filepath.ToSlash(top)); err != nil {
		return err
	}
	if filepath.Base(p.Dir) == rootStoreName {
		if err := createFile(s.dir, ".gitignore", "*\n"); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return s.dir.Sync()
}
