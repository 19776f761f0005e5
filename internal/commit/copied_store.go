package commit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// originName is the file that ties a store to the disk on which it was made.
const originName = "origin"

// identityText returns the text of the origin file for a store at this place: inode number and birth time of its log
// directory, which nobody can put into an archive.
//
// A store decides what recovery does to files, so one that came with a clone or an archive must not be believed: its
// log could say that a pending transaction has to put a program into .git/hooks.
func identityText(store string) (string, error) {
	ino, born, err := dirIdentity(filepath.Join(store, logName))
	return fmt.Sprintf("%d %d\n", ino, born), err
}

// Identity tells the store at this place from others that were or will be there: a file system that has no times of creation may give its
// number to a later one. It stays the same when the store is moved on its disk. It is "" if there is no store.
func (p Place) Identity() string {
	is, err := identityText(p.Dir)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(is)
}

// CheckOrigin returns an error unless emend made the store where it is. The store may have been moved on its disk
// since.
func (p Place) CheckOrigin() error {
	is, err := identityText(p.Dir)
	if err != nil {
		return storeError(err)
	}
	said, err := p.readOrigin()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return storeError(err)
	}
	if said == is {
		return nil
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable,
		Msg:  fmt.Sprintf("the store %s was not made here: it was copied, restored from a backup, or came with the files", fail.Quote(p.Dir)),
		Hint: "If the copy was made on purpose, ‹run doctor --adopt›; else move it out of the way. Until then nothing is written, and nothing that it has pending is touched."}
}

// readOrigin reads the origin file. Whoever made the store may have put anything there.
func (p Place) readOrigin() (string, error) {
	dir, err := vfs.Open(p.Dir)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	f, err := dir.Open(originName)
	switch {
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.EISDIR), errors.Is(err, vfs.ErrNotRegular):
		return "", fs.ErrNotExist
	case err != nil:
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 256))
	return string(b), err
}

// writeOrigin ties the store to its place, durably.
func (p Place) writeOrigin(store string) error {
	is, err := identityText(store)
	if err != nil {
		return err
	}
	dir, err := vfs.Open(store)
	if err != nil {
		return err
	}
	defer dir.Close()
	draft := originName + ".new"
	if err := ignoreMissing(dir.Remove(draft)); err != nil {
		return err
	}
	if err := createFile(dir, draft, is); err != nil {
		return err
	}
	if err := dir.Rename(draft, dir, originName, vfs.Replace); err != nil {
		return err
	}
	return dir.Sync()
}

// Adopt makes a store that was copied here a store of this place; a person asked for it. Its pending transactions
// belong to where it came from: Adopt ends them in the log and returns them, and touches no file.
func (p Place) Adopt(s *Store) (disowned []*audit.Record, err error) {
	if disowned, err = s.disown(); err != nil {
		return nil, err
	}
	return disowned, storeError(p.writeOrigin(p.Dir))
}
