package commit

import (
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
	return nil
}

func (t *transaction) verifyAct(a *act) error {
	switch a.Do {
	case audit.DoMkdir, audit.DoRmdir:
		return nil
	case audit.DoPut:
		if err := t.checkKept(a); err != nil {
			return err
		}
		return t.checkFree(a.Path)
	case audit.DoSwap:
		if err := t.checkKept(a); err != nil {
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
	a.recent = t.s.opts.now().Sub(a.oldInfo.ModTime) < recentChange
	if err := t.holdOpen(a, dir, name, old); err != nil {
		return err
	}
	// Any change since shows in one of these, or, if it came too fast for the time to differ, in the content.
	if a.oldInfo.ID == old.ID && a.oldInfo.Size == old.Size && a.oldInfo.ModTime.Equal(old.ModTime) && !a.recent {
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

func checkLink(a *act, dir vfs.Dir, name string, old *Old) error {
	target, err := dir.Readlink(name)
	if err != nil || target != old.Link || a.oldInfo.ID != old.ID {
		return stale(a.Path, "the symbolic link changed since it was read", "", "")
	}
	return nil
}
