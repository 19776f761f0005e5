package commit

import (
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// A directory with all that is in it can be one change: thousands of files come, go or are replaced by one rename, and one sync of the
// file system makes them durable before the commit point. Nothing of what comes out is kept. These changes need a journal, since a
// directory cannot have a second name.
//
// A directory that comes waits in the store, in a layer for example, and stays there until it is applied: a transaction that
// fails leaves it where it was. Its inode says where it is after a crash, since a rename has it in one place only; its [vfs.DirSum] says
// whether somebody has worked in it since.

// MovesDirs reports whether whole directories can be changes here.
func (s *Store) MovesDirs() bool { return !s.opts.secondNames() }

// storeTree opens directories of the store.
type storeTree struct{ s *Store }

func (t storeTree) OpenDir(p string) (vfs.Dir, error) {
	at := t.s.dir
	for name := range strings.SplitSeq(p, "/") {
		next, err := at.Dir(name)
		if at != t.s.dir {
			at.Close()
		}
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// ofDirectory reports whether the change is that of a directory with all that is in it.
func (c *Change) ofDirectory() bool {
	return c.Old != nil && c.Old.Mode.IsDir() || c.New != nil && c.New.Dir != ""
}

// checkDirectory refuses a change that turns a directory into a file, or a file into a directory.
func (c *Change) checkDirectory() error {
	if !c.ofDirectory() || (c.Old == nil || c.Old.Mode.IsDir()) && (c.New == nil || c.New.Dir != "") {
		return nil
	}
	return cannotLand(c.Path, "a directory cannot take the place of a file, or a file that of a directory", nil)
}

func wholeDirDo(c *Change) audit.Do {
	switch {
	case c.Old == nil:
		return audit.DoPutDir
	case c.New == nil:
		return audit.DoTakeDir
	}
	return audit.DoSwapDir
}

// syncsOnce reports whether to sync the file system once instead of each staged file. What is in a directory that comes whole has
// no other sync.
func (t *transaction) syncsOnce() bool {
	finished := 0
	for _, a := range t.acts {
		if a.Source != "" && !t.s.opts.NoSync {
			return true
		}
		if t.isFinished(a) {
			finished++
		}
	}
	return finished >= syncOnceFrom && !t.s.opts.NoSync && runtime.GOOS == "linux"
}

// stageDir checks the directory that is to come, or makes the place for the one that is to go.
func (t *transaction) stageDir(a *act) error {
	if !t.s.MovesDirs() {
		return cannotLand(a.Path, "a directory with all that is in it cannot be moved safely on a file system without a journal", nil)
	}
	if a.Do == audit.DoTakeDir {
		dir, err := t.s.hist.DroppedDirs(true)
		if err != nil {
			return storeError(err)
		}
		return storeError(dir.Close())
	}
	dir, name, err := t.sources.parent(a.Source)
	if err != nil {
		return finishedChanged(a.Path, err)
	}
	is, sum, err := sumDir(dir, name)
	if err != nil {
		return finishedChanged(a.Path, err)
	}
	if n := t.tx.Changes[a.change].New; sum.String() != n.Sum || n.FileInfo != nil && (is.ID != n.FileInfo.ID || is.Mode != n.FileInfo.Mode) {
		return finishedChanged(a.Path, nil)
	}
	a.stagedInfo = is
	a.New = &audit.Ident{Ino: is.ID.Ino, Sum: sum.String(), Size: sum.Bytes, Mode: is.Mode}
	return nil
}

// sumDir describes and sums the directory called name.
func sumDir(dir vfs.Dir, name string) (is vfs.Info, sum *vfs.DirSum, err error) {
	below, err := dir.Dir(name)
	if err != nil {
		return is, nil, err
	}
	defer below.Close()
	if is, err = below.Stat("."); err != nil {
		return is, nil, err
	}
	sum, err = vfs.SumDir(below)
	return is, sum, err
}

// verifyDir checks, with the lock held, that the directory that comes is still where it was staged, and that the path has what the plan
// saw.
func (t *transaction) verifyDir(a *act) error {
	if a.Do != audit.DoTakeDir {
		dir, name, err := t.sources.parent(a.Source)
		if err != nil {
			return finishedChanged(a.Path, err)
		}
		if is, err := dir.Stat(name); err != nil || is.ID != a.stagedInfo.ID || is.Mode != a.stagedInfo.Mode {
			return finishedChanged(a.Path, err)
		}
	}
	if a.Do == audit.DoPutDir {
		return t.checkFree(a.Path)
	}
	dir, name, err := t.dirs.parent(a.Path)
	if err != nil {
		return reachError(a.Path, err)
	}
	old := t.tx.Changes[a.change].Old
	is, sum, err := sumDir(dir, name)
	if err != nil {
		return reachError(a.Path, err)
	}
	if is.ID != old.ID || is.Mode != old.Mode || sum.String() != old.Sum {
		return stale(a.Path, "something in the directory changed since it was read", old.Sum, sum.String())
	}
	a.oldInfo = is
	return nil
}

// counterpart opens the directory of the store that the act renames from or to, and returns the name there.
func (t *transaction) counterpart(a *act) (vfs.Dir, string, error) {
	if a.Do != audit.DoTakeDir {
		return t.sources.parent(a.Source)
	}
	dir, err := t.sources.open(droppedPath)
	if errors.Is(err, fs.ErrNotExist) { // a power cut may have taken it
		if dir, err = t.s.hist.DroppedDirs(true); err == nil {
			t.sources.put(droppedPath, dir)
		}
	}
	return dir, history.Slot(t.id, a.Slot), err
}

// droppedPath is the path in the store of [history.History.DroppedDirs].
const droppedPath = "dropped"

// moveDir performs the act.
func (t *transaction) moveDir(a *act, dir vfs.Dir, name string) error {
	store, as, err := t.counterpart(a)
	if err != nil {
		return reachError(a.Path, err)
	}
	if a.Do == audit.DoPutDir {
		return reachError(a.Path, store.Rename(as, dir, name, vfs.NoReplace))
	}
	is, err := dir.Stat(name)
	if err != nil {
		return reachError(a.Path, err)
	}
	if is.ID != a.oldInfo.ID {
		return stale(a.Path, "somebody replaced the directory while the patch was committed", a.Old.Sum, "")
	}
	how := vfs.NoReplace
	if a.Do == audit.DoSwapDir {
		how = vfs.Exchange
	}
	if err := dir.Rename(name, store, as, how); err != nil {
		return reachError(a.Path, err)
	}
	return t.checkDisplacedDir(a, store, as, func() error { return store.Rename(as, dir, name, how) })
}

// checkDisplacedDir checks the directory that came out from under a path and is in store now. If it is not the one that was verified, or
// somebody has changed something in it, back puts it where it was.
func (t *transaction) checkDisplacedDir(a *act, store vfs.Dir, as string, back func() error) error {
	is, sum, err := sumDir(store, as)
	if err == nil && is.ID == a.oldInfo.ID && sum.String() == a.Old.Sum {
		return nil
	}
	if err != nil && !pathChanged(err) {
		err = diskError(a.Path, err)
	} else {
		err = stale(a.Path, "somebody changed something in the directory while the patch was committed", a.Old.Sum, "")
	}
	if berr := back(); berr != nil {
		return t.cannotTakeBack(a, berr)
	}
	return err
}

// undoMoveDir takes the act back. A directory in which somebody has worked since stays in the tree.
func (t *transaction) undoMoveDir(a *act, dir vfs.Dir, name string) error {
	store, as, err := t.counterpart(a)
	if err != nil {
		return err
	}
	if a.Do == audit.DoTakeDir {
		err := store.Rename(as, dir, name, vfs.NoReplace)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		t.conflict("%s: somebody made it anew meanwhile; what it was before is in the store as %s.", a.Path, path.Join(droppedPath, history.SavedDir(as)))
		return store.Rename(as, store, history.SavedDir(as), vfs.NoReplace)
	}
	is, sum, err := sumDir(dir, name)
	if err != nil && !pathChanged(err) {
		return err
	}
	if err != nil || is.ID.Ino != a.New.Ino || sum.String() != a.New.Sum {
		t.conflict("%s: somebody changed something in the directory meanwhile, so it stays.", a.Path)
		return nil
	}
	how := vfs.NoReplace
	if a.Do == audit.DoSwapDir {
		how = vfs.Exchange
	}
	return dir.Rename(name, store, as, how)
}

// inspectDir finds the state of an act after a crash.
func (rv *recovery) inspectDir(a *act, target observation) (stepState, error) {
	store := observation{}
	dir, name, err := rv.counterpart(a)
	if err == nil {
		store, err = observe(dir, name, a)
	} else if pathChanged(err) {
		err = nil
	}
	if err == nil {
		err = errors.Join(target.classifyDir(a), store.classifyDir(a))
	}
	if err != nil {
		return stateBlocked, err
	}
	isOld := func(o observation) bool { return o.class == oldFile || o.class == oldEdited }
	isNew := func(o observation) bool { return o.class == newFile || o.class == newEdited }
	a.stagedInfo = target.info
	switch a.Do {
	case audit.DoPutDir:
		switch {
		case isNew(store):
			a.stagedInfo = store.info
			return rv.todoIfFree(target, a.Path), nil
		case isNew(target):
			a.certain, a.undoable = true, target.class == newFile && store.class == absent && store.dir != nil
			return stateDone, nil
		}
		return stateMoot, nil
	case audit.DoSwapDir:
		switch {
		case isNew(store) && target.class == oldFile:
			a.stagedInfo = store.info
			return stateTodo, nil
		case isNew(store):
			return stateBlocked, nil
		case isOld(store):
			a.certain, a.undoable = true, target.class == newFile && store.class == oldFile
			return stateDone, nil
		case store.class == foreign && isNew(target):
			// Somebody replaced the directory in the last instant, theirs came out, and then the process died.
			return stateBlocked, dir.Rename(name, target.dir, target.name, vfs.Exchange)
		case isNew(target):
			a.certain = true
			return stateDone, nil
		}
		return stateMoot, nil
	}
	switch {
	case isOld(store):
		a.certain, a.undoable = true, target.class == absent && target.dir != nil && store.class == oldFile
		return stateDone, nil
	case store.class == foreign && target.class == absent && target.dir != nil:
		return stateBlocked, dir.Rename(name, target.dir, target.name, vfs.NoReplace)
	case target.class == oldFile:
		return stateTodo, nil
	case target.class == absent:
		return stateMoot, nil
	}
	return stateBlocked, nil
}

// classifyDir says what a name has from the view of an act on a whole directory.
func (s *observation) classifyDir(a *act) error {
	if s.class == absent || s.class == unreachable {
		return nil
	}
	s.class = foreign
	if !s.info.Mode.IsDir() {
		return nil
	}
	same, edited, ident := newFile, newEdited, a.New
	if a.New == nil || s.info.ID.Ino != a.New.Ino {
		same, edited, ident = oldFile, oldEdited, a.Old
	}
	if ident == nil || s.info.ID.Ino != ident.Ino {
		return nil
	}
	_, sum, err := sumDir(s.dir, s.name)
	switch {
	case err != nil && !pathChanged(err):
		return err
	case err == nil && sum.String() == ident.Sum:
		s.class = same
	default:
		s.class = edited
	}
	return nil
}

// dropsDirs reports whether the transaction takes directories out of the tree that are not kept.
func (t *transaction) dropsDirs() bool {
	return slices.ContainsFunc(t.acts, func(a *act) bool { return a.Do == audit.DoTakeDir })
}

// dropDirs removes the directories that the transaction took out of the tree. It is in the tree and on record by now: what cannot be
// removed takes space, and no more.
func (t *transaction) dropDirs() {
	for _, a := range t.acts {
		if a.Do != audit.DoTakeDir || !a.done {
			continue
		}
		slot := history.Slot(t.id, a.Slot)
		if err := t.s.hist.DropDir(slot); err != nil && t.s.hist.DropDir(slot) != nil {
			t.remark("%s: it is gone from the tree, and could not be removed from the store, where it is %s: %v.", a.Path, path.Join(droppedPath, slot), cause(err))
		}
	}
}
