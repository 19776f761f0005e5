package commit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"syscall"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// racy is how long a change must lie back for the time of it to tell it from a later one: some file systems keep
// whole seconds, or two.
const racy = 2100 * time.Millisecond

// verify looks at every path again, with the lock held: it must have what the plan saw.
func (t *transaction) verify() error {
	for _, p := range t.dirs.paths() {
		same, err := t.dirs.same(p)
		if err != nil {
			return moved(p, err)
		}
		if !same {
			return stale(p, "the directory was replaced since the patch was planned", "", "")
		}
	}
	for _, a := range t.acts {
		if err := t.check(a); err != nil {
			return err
		}
	}
	return nil
}

func (t *transaction) check(a *act) error {
	switch a.Do {
	case audit.DoMkdir, audit.DoRmdir:
		return nil
	case audit.DoPut:
		if err := t.stillKept(a); err != nil {
			return err
		}
		return t.free(a.Path)
	case audit.DoSwap:
		if err := t.stillKept(a); err != nil {
			return err
		}
	case audit.DoMove:
		if err := t.free(a.To); err != nil {
			return err
		}
	}
	return t.unchanged(a, t.tx.Changes[a.change].Old)
}

// free checks that nothing has the path. Whatever is below a directory that is to be made is free.
func (t *transaction) free(p string) error {
	up, name := split(p)
	dir, ok := t.dirs.open[up]
	if !ok {
		return nil
	}
	_, taken, err := exists(dir, name)
	if err != nil {
		return broken(p, err)
	}
	if taken {
		return stale(p, "it was made by somebody else since the patch was planned", "", "")
	}
	return nil
}

// unchanged checks that the path has the very file that was planned on, and takes hold of it.
func (t *transaction) unchanged(a *act, old *Old) error {
	dir, name, err := t.dirs.parent(a.Path)
	if err != nil {
		return moved(a.Path, err)
	}
	if a.old, err = dir.Stat(name); err != nil {
		return moved(a.Path, err)
	}
	if isLink(old.Mode) {
		return sameLink(a, dir, name, old)
	}
	if a.old.Mode != old.Mode {
		return stale(a.Path, "its kind or permissions changed since it was read", old.Sum, "")
	}
	a.racy = t.s.opts.now().Sub(a.old.ModTime) < racy
	if err := t.hold(a, dir, name, old); err != nil {
		return err
	}
	// A change since, however it was made, shows in one of these; one so fast that it does not, in the content.
	if a.old.ID == old.ID && a.old.Size == old.Size && a.old.ModTime.Equal(old.ModTime) && !a.racy {
		return nil
	}
	sum, err := digest(dir, name, a.old)
	if err != nil {
		return moved(a.Path, err)
	}
	if sum != old.Sum {
		return stale(a.Path, "the file changed since it was read", old.Sum, sum)
	}
	return nil
}

func sameLink(a *act, dir vfs.Dir, name string, old *Old) error {
	target, err := dir.Readlink(name)
	if err != nil || target != old.Link || a.old.ID != old.ID {
		return stale(a.Path, "the symbolic link changed since it was read", "", "")
	}
	return nil
}

// keeps holds the file that lends its attributes to a new content open until it is verified, unless many are held so by
// now: what does not have the lock must not use up what the one that has it needs.
func (s *Store) keeps(a *act, f vfs.File) bool {
	if s.early.Add(1) > int64(min(maxHeld, s.files/8)) {
		s.early.Add(-1)
		return false
	}
	a.held, a.early = f, true
	return true
}

// unhold closes the file that is held.
func (s *Store) unhold(a *act) {
	if a.held == nil {
		return
	}
	a.held.Close()
	a.held = nil
	if a.early {
		s.early.Add(-1)
	}
	a.early = false
}

// hold sees to it that the file is open, so that its inode number stays its own, and asks to hear of writers.
func (t *transaction) hold(a *act, dir vfs.Dir, name string, old *Old) error {
	if a.old.ID != old.ID {
		t.s.unhold(a) // another file by now, which may have the same content
	}
	if a.held == nil {
		if err := t.open(a, dir, name); a.held == nil || err != nil {
			return err
		}
	}
	if a.Do == audit.DoMove {
		return nil // the very file goes on: whoever writes to it, nothing is lost
	}
	release, busy := a.held.Lease()
	if busy {
		e := stale(a.Path, "another program has the file open for writing", "", "")
		e.Hint = "Wait until it has finished, re-read the file and re-apply your edit."
		return e
	}
	a.lease = release
	return nil
}

// open opens the file that is to be held, if it can be had and not too many are.
func (t *transaction) open(a *act, dir vfs.Dir, name string) error {
	if t.held >= min(maxHeld, t.s.files/4) {
		a.racy = true
		return nil
	}
	f, err := dir.Open(name)
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		a.racy = true // as for those beyond what is held
		return nil
	}
	if err != nil {
		if errors.Is(err, fs.ErrPermission) && a.Do != audit.DoSwap {
			a.racy = false // a file that may not be read can be deleted and moved all the same
			return nil
		}
		return moved(a.Path, err)
	}
	a.held, t.held = f, t.held+1
	is, err := f.Stat()
	if err != nil {
		return broken(a.Path, err)
	}
	if is.ID != a.old.ID {
		return stale(a.Path, "the file was replaced since it was read", "", "")
	}
	return nil
}

// digest is the sha256 of the file called name, which must be the one that is meant.
func digest(dir vfs.Dir, name string, want vfs.Info) (string, error) {
	f, err := dir.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	is, err := f.Stat()
	if err == nil && is.ID != want.ID {
		err = fs.ErrNotExist // another file has the name by now
	}
	if err != nil {
		return "", err
	}
	h := sha256.New()
	buf := make([]byte, max(1, min(is.Size+1, 32<<10)))
	if _, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{f}, buf); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
