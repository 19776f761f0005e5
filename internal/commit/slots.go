package commit

import (
	"errors"
	"io/fs"
	"path"
	"sync"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plant"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/patch"
)

// stageSlot prepares the slot of one act.
func (t *transaction) stageSlot(a *act) error {
	slots, name := t.s.hist.Slots(), history.Slot(t.id, a.Slot)
	switch a.Do {
	case audit.DoPut, audit.DoSwap:
		if err := t.stageContent(a, slots, name); err != nil {
			return err
		}
	case audit.DoPutDir, audit.DoSwapDir, audit.DoTakeDir:
		return t.stageDir(a)
	case audit.DoTake:
		if err := reserve(a, slots, name); err != nil {
			return storeError(err)
		}
	}
	return t.linkSecondNames(a, slots, name)
}

// reserve makes an empty slot for a file that is to be deleted, so that the deletion needs no space.
func reserve(a *act, slots vfs.Dir, name string) error {
	f, err := slots.Create(name, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	is, err := f.Stat()
	if err != nil {
		return err
	}
	a.New = newIdent(is, emptySum)
	return nil
}

// linkSecondNames makes the second names, where the file system can lose both names of a rename.
func (t *transaction) linkSecondNames(a *act, slots vfs.Dir, name string) error {
	if !t.s.opts.secondNames() || plant.Enabled(plant.NoLink) || a.onDirectory() {
		return nil
	}
	if a.Places() {
		if err := ignoreNoLink(slots.Link(name, slots, history.NewLink(name))); err != nil {
			return storeError(err)
		}
	}
	if a.Old == nil {
		return nil
	}
	dir, last, err := t.dirs.parent(a.Path)
	if err != nil {
		return reachError(a.Path, err)
	}
	return reachError(a.Path, t.linkOld(a, dir, last, slots, history.OldLink(name)))
}

// linkOld gives the old file its second name. That changes its time of change, and linkOld remembers to what.
func (t *transaction) linkOld(a *act, dir vfs.Dir, name string, slots vfs.Dir, as string) error {
	before, err := dir.Stat(name)
	if err != nil {
		return err
	}
	if err := dir.Link(name, slots, as); err != nil {
		return ignoreNoLink(err)
	}
	after, err := dir.Stat(name)
	if err == nil && before.ChangeTime.Equal(t.tx.Changes[a.change].Old.ChangeTime) {
		a.linkedAt = after.ChangeTime
	}
	return err
}

// stageContent makes the new file of an act, complete but for its place.
func (t *transaction) stageContent(a *act, slots vfs.Dir, name string) error {
	n := t.tx.Changes[a.change].New
	if a.From != "" {
		return t.linkKept(a, n, slots, name)
	}
	if n.File != "" {
		return t.linkFinished(a, n, slots, name)
	}
	f, err := slots.Create(name, t.createMode(n))
	if err != nil {
		return storeError(err)
	}
	a.staged = f
	if err := writeString(f, n.Content); err != nil {
		return storeError(err)
	}
	if err := t.giveAttributes(a, n, f); err != nil {
		return err
	}
	if a.stagedInfo, err = f.Stat(); err != nil {
		return storeError(err)
	}
	a.New = newIdent(a.stagedInfo, n.Sum)
	return nil
}

// createMode returns the mode to create a new content with. It is the final mode as far as that is known, since to
// change it later is another write; nobody else can enter the directory of the slots. The owner may write until the
// attributes are set.
func (t *transaction) createMode(n *New) fs.FileMode {
	if n.From < 0 {
		return 0o600
	}
	return t.tx.Changes[n.From].Old.Mode.Perm() | 0o600
}

// buffers are for writing strings piece by piece.
var buffers = sync.Pool{New: func() any { return new([128 << 10]byte) }}

// writeString writes text without copying all of it at once.
func writeString(f vfs.File, text string) error {
	page := buffers.Get().(*[128 << 10]byte)
	defer buffers.Put(page)
	buf := page[:]
	for len(text) > 0 {
		n := copy(buf, text)
		if _, err := f.Write(buf[:n]); err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// giveAttributes gives the new file owner, mode and attributes: those of the file that it comes from, or those that a
// new file in its directory gets.
func (t *transaction) giveAttributes(a *act, n *New, f vfs.File) error {
	switch {
	case n.From < 0 && n.LikeSlot != "":
		return t.attributesOfKept(a, n, f)
	case n.From < 0:
		return t.defaultAttributes(a, n, f)
	}
	from := &t.tx.Changes[n.From]
	dir, name, err := t.dirs.parent(from.Path)
	if err != nil {
		return reachError(from.Path, err)
	}
	old, err := dir.Open(name)
	if err != nil {
		return reachError(from.Path, err)
	}
	if n.From != a.change || !t.s.holdEarly(a, old) {
		defer old.Close()
	}
	if is, err := old.Stat(); err != nil || is.ID != from.Old.ID {
		return stale(from.Path, "the file was replaced since it was read", from.Old.Sum, "")
	}
	if err := t.adoptAttributes(a, from.Path, f, old); err != nil {
		return err
	}
	return t.setMode(a, n, f)
}

// setMode makes the new file executable or not, if it is to differ in that from the one whose attributes it has.
func (t *transaction) setMode(a *act, n *New, f vfs.File) error {
	if n.Mode == patch.KeepMode {
		return nil
	}
	is, err := f.Stat()
	if err != nil {
		return storeError(err)
	}
	perm := is.Mode.Perm() &^ 0o111
	if n.Mode == patch.Executable {
		perm |= is.Mode.Perm() & 0o444 >> 2
	}
	if err := f.Chmod(perm); err != nil {
		return cannotKeep(a.Path, err)
	}
	return nil
}

// attributesOfKept gives the new file the attributes of a kept one.
func (t *transaction) attributesOfKept(a *act, n *New, f vfs.File) error {
	old, is, err := t.s.hist.Open(n.LikeSlot)
	if errors.Is(err, fs.ErrNotExist) {
		return t.defaultAttributes(a, n, f)
	}
	if err != nil {
		return storeError(err)
	}
	defer old.Close()
	lost, err := giveKept(f, old, is)
	if err != nil {
		return cannotKeep(a.Path, err)
	}
	a.lostAttrs = lost
	return nil
}

func (t *transaction) adoptAttributes(a *act, from string, f, old vfs.File) error {
	lost, err := f.CopyAttributes(old)
	if err != nil {
		return cannotKeep(from, err)
	}
	a.lostAttrs = lost
	return nil
}

func (t *transaction) defaultAttributes(a *act, n *New, f vfs.File) error {
	perm := fs.FileMode(0o666)
	if n.Exec {
		perm = 0o777
	}
	dir, err := t.dirs.open(t.existingParent(a))
	if err != nil {
		return reachError(a.Path, err)
	}
	return storeError(f.DefaultAttributes(dir, perm))
}

// existingParent returns the deepest directory above an act's path that exists before the transaction.
func (t *transaction) existingParent(a *act) string {
	up := path.Dir(a.Path)
	for range t.tx.Changes[a.change].Missing {
		up = path.Dir(up)
	}
	return up
}
