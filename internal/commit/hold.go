package commit

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// maxHeld is how many old files are kept open from verification on. Beyond it an inode number could be used again, so the
// content of the file that came out is read instead.
const maxHeld = 1024

// holdEarly keeps the file that lends its attributes open until it is verified, unless many are open by now: a
// transaction that does not have the lock must not use up the file descriptors of the one that has it.
func (s *Store) holdEarly(a *act, f vfs.File) bool {
	if s.heldEarly.Add(1) > int64(min(maxHeld, s.openLimit/8)) {
		s.heldEarly.Add(-1)
		return false
	}
	a.held, a.heldEarly = f, true
	return true
}

// holdOpen holds the file open, so that its inode number is not used again, and takes a lease to hear of writers.
func (t *transaction) holdOpen(a *act, dir vfs.Dir, name string, old *Old) error {
	if a.oldInfo.ID != old.ID {
		t.s.closeHeld(a) // another file has the path now; it may have the same content
	}
	if a.held == nil {
		if err := t.openHeld(a, dir, name); a.held == nil || err != nil {
			return err
		}
	}
	if a.Do == audit.DoMove {
		return nil // the file itself moves on, so a write to it is not lost
	}
	busy, err := t.takeLease(a)
	if err != nil {
		return diskError(a.Path, err)
	}
	if busy {
		e := stale(a.Path, "another program has the file open for writing"+whoHas(a.held), "", "")
		e.Hint = "Wait until it has finished, re-read the file and re-apply your edit."
		return e
	}
	return nil
}

// takeLease takes a lease on the file that is held, unless a program has it open for writing. Many a program is about to close it, and a
// process that was just forked has it open until it runs its program: so a commit waits a moment, and then looks at the file again.
func (t *transaction) takeLease(a *act) (busy bool, err error) {
	a.lease, busy = a.held.Lease()
	if !busy || t.s.opts.Patience == 0 {
		return busy, nil
	}
	begin := time.Now()
	for pause := time.Millisecond; busy && time.Since(begin) < t.s.opts.Patience; pause *= 2 {
		time.Sleep(pause)
		a.lease, busy = a.held.Lease()
	}
	a.oldInfo, err = a.held.Stat()
	a.recent = t.s.isRecent(a.oldInfo)
	return busy, err
}

// openHeld opens the file to hold, if it may be read and not too many are open.
func (t *transaction) openHeld(a *act, dir vfs.Dir, name string) error {
	if t.heldCount >= min(maxHeld, t.s.openLimit/4) {
		a.recent = true
		return nil
	}
	f, err := dir.Open(name)
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		a.recent = true // as beyond maxHeld
		return nil
	}
	if err != nil {
		if errors.Is(err, fs.ErrPermission) && a.Do != audit.DoSwap {
			a.recent = false // a file that may not be read can still be deleted and moved
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

// whoHas names the programs that have a file open, where the system tells.
func whoHas(f vfs.File) string {
	users := vfs.UsersOf(f)
	if len(users) == 0 {
		return ""
	}
	return ", or keeps it from being renamed: " + strings.Join(users, ", ")
}
