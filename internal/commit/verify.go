package commit

import (
	"cmp"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// verify checks every path again, with the lock held: it must have what the plan saw.
func (t *transaction) verify() error {
	for _, p := range t.dirs.paths() {
		same, err := t.dirs.unmoved(p)
		if err != nil {
			return reachError(p, err)
		}
		if !same {
			return stale(p, "the directory was replaced since the patch was planned", "", "")
		}
	}
	for _, a := range t.acts {
		if err := t.verifyAct(a); err != nil {
			return err
		}
	}
	if t.tx.Check != nil {
		return t.tx.Check()
	}
	return nil
}

func (t *transaction) verifyAct(a *act) error {
	switch a.Do {
	case audit.DoMkdir, audit.DoRmdir:
		return nil
	case audit.DoPutDir, audit.DoSwapDir, audit.DoTakeDir:
		return t.verifyDir(a)
	case audit.DoPut:
		if err := cmp.Or(t.checkKept(a), t.checkStaged(a)); err != nil {
			return err
		}
		return t.checkFree(a.Path)
	case audit.DoSwap:
		if err := cmp.Or(t.checkKept(a), t.checkStaged(a)); err != nil {
			return err
		}
	case audit.DoMove:
		if err := t.checkFree(a.To); err != nil {
			return err
		}
	}
	return t.checkUnchanged(a, t.tx.Changes[a.change].Old)
}

// checkFree checks that nothing has the path. A path below a directory that the transaction makes is free.
func (t *transaction) checkFree(p string) error {
	up, name := split(p)
	dir, ok := t.dirs.byPath[up]
	if !ok {
		return nil
	}
	_, taken, err := exists(dir, name)
	if err != nil {
		return diskError(p, err)
	}
	if taken {
		return stale(p, "it was made by somebody else since the patch was planned", "", "")
	}
	return nil
}

// checkUnchanged checks that the path has the very file of the plan, and holds it.
func (t *transaction) checkUnchanged(a *act, old *Old) error {
	dir, name, err := t.dirs.parent(a.Path)
	if err != nil {
		return reachError(a.Path, err)
	}
	if a.oldInfo, err = dir.Stat(name); err != nil {
		return reachError(a.Path, err)
	}
	if isLink(old.Mode) {
		return checkLink(a, dir, name, old)
	}
	if a.oldInfo.Mode != old.Mode {
		return stale(a.Path, "its kind or permissions changed since it was read", old.Sum, "")
	}
	a.recent = t.s.isRecent(a.oldInfo)
	if err := t.holdOpen(a, dir, name, old); err != nil {
		return err
	}
	// Any change since shows in one of these, or, if it came too fast for the times to differ, in the content.
	changed := old.ChangeTime
	if !a.linkedAt.IsZero() {
		changed = a.linkedAt
	}
	timesTell := !a.recent && (a.oldInfo.ChangeTime.Equal(changed) || old.Sum == "")
	if sameFile(a.oldInfo, old.Info) && timesTell {
		return nil
	}
	sum, err := hashFile(dir, name, a.oldInfo)
	if err != nil {
		return reachError(a.Path, err)
	}
	if sum != old.Sum {
		return stale(a.Path, "the file changed since it was read", old.Sum, sum)
	}
	return nil
}

// isRecent reports whether a file changed so recently that its times may not show a later change. A program can set the
// modification time, but not the time of change.
func (s *Store) isRecent(is vfs.Info) bool {
	now := s.opts.now()
	return now.Sub(is.ModTime) < recentChange || now.Sub(is.ChangeTime) < recentTick
}

// sameFile reports whether two looks saw the same file, as far as can be told without its time of change, which a rename
// and a second name set as well.
func sameFile(a, b vfs.Info) bool {
	return a.ID == b.ID && a.Size == b.Size && a.ModTime.Equal(b.ModTime) && a.Mode == b.Mode
}

func checkLink(a *act, dir vfs.Dir, name string, old *Old) error {
	target, err := dir.Readlink(name)
	if err != nil || target != old.Link || a.oldInfo.ID != old.ID {
		return stale(a.Path, "the symbolic link changed since it was read", "", "")
	}
	return nil
}
