package commit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/emend-dev/emend/internal/fail"
)

// originName is the file that ties a store to the disk where it was made.
const originName = "origin"

// A store decides what recovery does to files, so one that came with a clone or an archive must not be believed: its
// log could say that a transaction is to be finished which puts a program into .git/hooks. What nobody can put into
// an archive is the number and the time of birth of a directory on this disk.
func stamp(store string) (string, error) {
	ino, born, err := birth(filepath.Join(store, logName))
	return fmt.Sprintf("%d %d\n", ino, born), err
}

// Genuine reports whether the store was made where it is, by emend. It may have been moved on its disk since.
func (p Place) Genuine() error {
	is, err := stamp(p.Dir)
	if err != nil {
		return unwritable(err)
	}
	said, err := os.ReadFile(filepath.Join(p.Dir, originName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritable(err)
	}
	if string(said) == is {
		return nil
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable,
		Msg:  fmt.Sprintf("the store %s was not made here: it was copied, restored from a backup, or came with the files", fail.Quote(p.Dir)),
		Hint: "If you made the copy yourself, run emend doctor --adopt; else move it out of the way. Until then nothing is written, and nothing that it has pending is touched."}
}

// mark ties the store to its place.
func (p Place) mark(store string) error {
	is, err := stamp(store)
	if err != nil {
		return err
	}
	draft := filepath.Join(store, originName+".new")
	if err := os.WriteFile(draft, []byte(is), 0o600); err != nil {
		return err
	}
	return os.Rename(draft, filepath.Join(store, originName))
}

// Adopt makes a store that was copied here one of this place, as a person asked. What it has pending belongs to where
// it came from: it is closed in the log, and no file is touched.
func (p Place) Adopt(s *Store) error {
	if err := s.disown(); err != nil {
		return err
	}
	return unwritable(p.mark(p.Dir))
}
