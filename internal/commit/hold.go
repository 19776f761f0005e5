package commit

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

const (
	// maxHeld is how many old files are kept open from verification on. Beyond it an inode number could be used
	// again, so there the content of what came out is read instead.
	maxHeld = 1024
)

// holdEarly holds the file that lends its attributes to a new content open until it is verified, unless many are held so by
// now: what does not have the lock must not use up what the one that has it needs.
func (s *Store) holdEarly(a *act, f vfs.File) bool {
	if s.heldEarly.Add(1) > int64(min(maxHeld, s.openLimit/8)) {
		s.heldEarly.Add(-1)
		return false
	}
	a.held, a.heldEarly = f, true
	return true
}

// closeHeld closes the file that is held.
func (s *Store) closeHeld(a *act) {
	if a.held == nil {
		return
	}
	a.held.Close()
	a.held = nil
	if a.heldEarly {
		s.heldEarly.Add(-1)
	}
	a.heldEarly = false
}

// holdOpen sees to it that the file is open, so that its inode number stays its own, and asks to hear of writers.
func (t *transaction) holdOpen(a *act, dir vfs.Dir, name string, old *Old) error {
	if a.oldInfo.ID != old.ID {
		t.s.closeHeld(a) // another file by now, which may have the same content
	}
	if a.held == nil {
		if err := t.openHeld(a, dir, name); a.held == nil || err != nil {
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

// openHeld opens the file that is to be held, if it can be had and not too many are.
func (t *transaction) openHeld(a *act, dir vfs.Dir, name string) error {
	if t.heldCount >= min(maxHeld, t.s.openLimit/4) {
		a.recent = true
		return nil
	}
	f, err := dir.Open(name)
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		a.recent = true // as for those beyond what is held
		return nil
	}
	if err != nil {
		if errors.Is(err, fs.ErrPermission) && a.Do != audit.DoSwap {
			a.recent = false // a file that may not be read can be deleted and moved all the same
			return nil
		}
		return reachError(a.Path, err)
	}
	a.held, t.heldCount = f, t.heldCount+1
	is, err := f.Stat()
	if err != nil {
		return diskError(a.Path, err)
	}
	if is.ID != a.oldInfo.ID {
		return stale(a.Path, "the file was replaced since it was read", "", "")
	}
	return nil
}

// releaseLease ends the lease and reports whether somebody wanted to write meanwhile.
func (a *act) releaseLease() (asked bool) {
	if a.lease != nil {
		asked = a.lease()
		a.lease = nil
	}
	return asked
}
