package commit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plant"
	"github.com/emend-dev/emend/internal/vfs"
)

// linkKept gives a kept file a second name, the slot of the act. Its first name stays as it is until the transaction is
// in the tree, so nothing has to be put back if the transaction fails.
func (t *transaction) linkKept(a *act, n *New, slots vfs.Dir, name string) error {
	from, is, err := t.s.hist.Find(n.FromSlot)
	if errors.Is(err, fs.ErrNotExist) {
		return notKept(a.Path, n.FromSlot)
	}
	if err != nil {
		return storeError(err)
	}
	a.source = is
	if old := t.tx.Changes[a.change].Old; old != nil && old.ID == is.ID {
		return alreadyInPlace(a.Path, n.FromSlot)
	}
	if from == "" {
		return t.copyKept(a, n, slots, name)
	}
	err = linkSlot(slots, from, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && is.Mode.IsRegular():
		return t.copyKept(a, n, slots, name) // packed in this moment, or gone
	case errors.Is(err, fs.ErrNotExist):
		return notKept(a.Path, n.FromSlot)
	case err != nil && ignoreNoLink(err) == nil && is.Mode.IsRegular():
		return t.copyKept(a, n, slots, name)
	case err != nil && ignoreNoLink(err) == nil:
		return cannotLinkKept(a.Path, n.FromSlot, err)
	case err != nil:
		return storeError(err)
	}
	return t.checkLinked(a, n, slots, name)
}

func linkSlot(slots vfs.Dir, from, name string) error {
	if plant.Enabled(plant.BackMovesEarly) {
		return rename(slots, from, slots, name, vfs.NoReplace)
	}
	return slots.Link(from, slots, name)
}

// checkLinked checks that the slot has what the caller expects.
func (t *transaction) checkLinked(a *act, n *New, slots vfs.Dir, name string) (err error) {
	if a.stagedInfo, err = slots.Stat(name); err != nil {
		return storeError(err)
	}
	if a.stagedInfo.ID != a.source.ID {
		return notKept(a.Path, n.FromSlot)
	}
	sum, err := hashContent(slots, name, a.stagedInfo)
	if err != nil {
		return storeError(err)
	}
	if n.Sum != "" && sum != n.Sum {
		return keptChanged(a.Path, n.FromSlot, n.Sum, sum)
	}
	a.New = newIdent(a.stagedInfo, sum)
	if !a.stagedInfo.Mode.IsRegular() {
		return nil
	}
	if a.staged, err = slots.Open(name); errors.Is(err, fs.ErrPermission) {
		return nil // a file that may not be read was not written here either
	}
	return storeError(err)
}

// copyKept makes the slot a copy of the kept file, with every attribute that can be copied, where the file cannot have
// a second name, or is packed.
func (t *transaction) copyKept(a *act, n *New, slots vfs.Dir, name string) error {
	kept, is, err := t.s.hist.Open(n.FromSlot)
	if errors.Is(err, fs.ErrNotExist) {
		return notKept(a.Path, n.FromSlot)
	}
	if err != nil {
		return storeError(err)
	}
	defer kept.Close()
	if _, loose := kept.(vfs.File); loose && is.ID != a.source.ID {
		return notKept(a.Path, n.FromSlot)
	}
	a.source = is
	if a.staged, err = slots.Create(name, 0o600); err != nil {
		return storeError(err)
	}
	f, h := a.staged, sha256.New()
	if _, err := io.Copy(io.MultiWriter(f, h), kept); err != nil {
		return storeError(err)
	}
	sum := hex.EncodeToString(h.Sum(nil))
	if n.Sum != "" && sum != n.Sum {
		return keptChanged(a.Path, n.FromSlot, n.Sum, sum)
	}
	if err := t.copyKeptAttributes(a, f, kept); err != nil {
		return err
	}
	if a.stagedInfo, err = f.Stat(); err != nil {
		return storeError(err)
	}
	a.New = newIdent(a.stagedInfo, sum)
	return nil
}

func (t *transaction) copyKeptAttributes(a *act, f vfs.File, kept history.Content) error {
	lost, err := giveKept(f, kept, a.source)
	if err != nil {
		return cannotKeep(a.Path, err)
	}
	a.lostAttrs = lost
	return storeError(f.Touch(a.source.ModTime))
}

// giveKept gives f the attributes of a kept file that is says.
func giveKept(f vfs.File, kept history.Content, is vfs.Info) (lost []string, err error) {
	if file, loose := kept.(vfs.File); loose {
		return f.CopyAttributes(file)
	}
	return nil, f.Give(is.UID, is.GID, is.Mode.Perm())
}

// checkKept checks, with the lock held, that the history still has the file as it was staged: somebody may have brought
// it back or removed it since, or have written to it.
func (t *transaction) checkKept(a *act) error {
	if a.From == "" || plant.Enabled(plant.BackMovesEarly) {
		return nil
	}
	name, is, err := t.s.hist.Find(a.From)
	if err == nil && name == "" {
		if sum, ok := t.s.hist.PackedSum(a.From); ok && sum == a.New.Sum {
			return nil // nobody can write to what is packed
		}
		return notKept(a.Path, a.From)
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && is.ID != a.source.ID {
		return notKept(a.Path, a.From)
	}
	if err != nil {
		return storeError(err)
	}
	young := t.s.opts.now().Sub(is.ModTime) < recentChange
	if !young && is.Size == a.source.Size && is.ModTime.Equal(a.source.ModTime) && is.Mode == a.source.Mode {
		return nil
	}
	sum, err := hashContent(t.s.hist.Slots(), name, is)
	if err != nil {
		return storeError(err)
	}
	if sum != a.New.Sum || is.Mode != a.source.Mode {
		return keptChanged(a.Path, a.From, a.New.Sum, sum)
	}
	if a.stagedInfo.ID == is.ID {
		a.stagedInfo = is
	}
	return nil
}

// touchRestored sets the modification time of the files that came back, where asked for. A failure is not reported.
func (t *transaction) touchRestored() {
	for _, a := range t.acts {
		if a.From != "" && t.tx.Changes[a.change].New.TouchNow {
			t.touch(a, t.s.opts.now())
		}
	}
}

func (t *transaction) touch(a *act, at time.Time) {
	dir, name, err := t.dirs.parent(a.Path)
	if err != nil {
		return
	}
	f, err := dir.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	if is, err := f.Stat(); err == nil && is.ID == a.stagedInfo.ID {
		f.Touch(at)
	}
}
