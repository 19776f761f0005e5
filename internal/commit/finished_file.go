package commit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"syscall"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// linkFinished gives a finished file a second name, the slot of the act. From there on the slot is like any other. The first name
// stays until the transaction is in the tree, so a transaction that fails leaves the file where it was.
func (t *transaction) linkFinished(a *act, n *New, slots vfs.Dir, name string) error {
	from, last, err := t.finished(n.File)
	if err != nil {
		return finishedChanged(a.Path, err)
	}
	defer from.Close()
	if a.source, err = from.Stat(last); err != nil {
		return finishedChanged(a.Path, err)
	}
	switch {
	case n.FileInfo != nil && !sameFile(a.source, *n.FileInfo):
		return finishedChanged(a.Path, nil)
	case !a.source.Mode.IsRegular() && !isLink(a.source.Mode):
		return cannotLand(a.Path, "it is neither a file nor a symbolic link", nil)
	}
	err = from.Link(last, slots, name)
	switch {
	case err == nil:
		return t.checkFinished(a, n, slots, name)
	case errors.Is(err, fs.ErrNotExist):
		return finishedChanged(a.Path, err)
	case ignoreNoLink(err) != nil && !errors.Is(err, syscall.EXDEV):
		return storeError(err)
	case isLink(a.source.Mode):
		return cannotLand(a.Path, "the symbolic link cannot be given a second name here", err)
	}
	return t.copyFinished(a, n, from, last, slots, name)
}

// finished opens the directory of a finished file.
func (t *transaction) finished(p string) (dir vfs.Dir, name string, err error) {
	if t.tx.Files == nil {
		return nil, "", fs.ErrInvalid
	}
	dir, err = t.tx.Files.OpenDir(path.Dir(p))
	return dir, path.Base(p), err
}

// checkFinished checks that the slot has what the caller judged.
func (t *transaction) checkFinished(a *act, n *New, slots vfs.Dir, name string) (err error) {
	if a.stagedInfo, err = slots.Stat(name); err != nil {
		return storeError(err)
	}
	if a.stagedInfo.ID != a.source.ID {
		return finishedChanged(a.Path, nil)
	}
	if !isLink(a.stagedInfo.Mode) {
		// What cannot be opened cannot be synced, and nobody could say what is committed.
		if a.staged, err = slots.Open(name); errors.Is(err, fs.ErrPermission) {
			return cannotLand(a.Path, "its owner may not read it", err)
		}
		if err != nil {
			return storeError(err)
		}
	}
	sum, err := hashContent(slots, name, a.stagedInfo)
	if err != nil {
		return storeError(err)
	}
	if n.Sum != "" && sum != n.Sum {
		return finishedChanged(a.Path, nil)
	}
	a.New = newIdent(a.stagedInfo, sum)
	return nil
}

// copyFinished makes the slot a copy of the file, where the file cannot have a second name there.
func (t *transaction) copyFinished(a *act, n *New, from vfs.Dir, last string, slots vfs.Dir, name string) error {
	src, err := from.Open(last)
	if err != nil {
		return finishedChanged(a.Path, err)
	}
	defer src.Close()
	if a.staged, err = slots.Create(name, 0o600); err != nil {
		return storeError(err)
	}
	f, h := a.staged, sha256.New()
	if _, err := io.Copy(io.MultiWriter(f, h), src); err != nil {
		return storeError(err)
	}
	sum := hex.EncodeToString(h.Sum(nil))
	if n.Sum != "" && sum != n.Sum {
		return finishedChanged(a.Path, nil)
	}
	if a.lostAttrs, err = f.CopyAttributes(src); err != nil {
		return cannotKeep(a.Path, err)
	}
	if err := f.Touch(a.source.ModTime); err != nil {
		return storeError(err)
	}
	if a.stagedInfo, err = f.Stat(); err != nil {
		return storeError(err)
	}
	a.New = newIdent(a.stagedInfo, sum)
	return nil
}

// isFinished reports whether the act puts a finished file in place.
func (t *transaction) isFinished(a *act) bool {
	if a.change < 0 || !a.Places() {
		return false
	}
	n := t.tx.Changes[a.change].New
	return n != nil && n.File != ""
}

// checkStaged checks, with the lock held, that nobody wrote to a finished file by its first name since it was staged.
func (t *transaction) checkStaged(a *act) error {
	if !t.isFinished(a) {
		return nil
	}
	is, err := t.s.hist.Slots().Stat(history.Slot(t.id, a.Slot))
	if err != nil {
		return storeError(err)
	}
	if !sameFile(is, a.stagedInfo) {
		return finishedChanged(a.Path, nil)
	}
	return nil
}

// removeFirstNames removes the first names of finished files that are in the tree now. One that stays is a second name of a file of
// the tree, until whoever made it removes it.
func (t *transaction) removeFirstNames() {
	for _, a := range t.acts {
		if !t.isFinished(a) || !a.placed {
			continue
		}
		dir, name, err := t.finished(t.tx.Changes[a.change].New.File)
		if err != nil {
			continue
		}
		if is, err := dir.Stat(name); err == nil && is.ID == a.source.ID {
			dir.Remove(name)
		}
		dir.Close()
	}
}

func finishedChanged(path string, err error) *fail.Error {
	e := stale(path, "its new content was changed or removed since it was judged", "", "")
	e.Hint, e.Cause = "Nothing was changed. Make it anew.", err
	return e
}

func cannotLand(path, why string, err error) *fail.Error {
	msg := why
	if err != nil {
		msg = fmt.Sprintf("%s: %v", why, cause(err))
	}
	return &fail.Error{Kind: fail.CommandFailed, Path: path, Msg: msg, Cause: err, Hint: "Nothing was changed."}
}
