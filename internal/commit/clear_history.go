package commit

import (
	"errors"
	"io/fs"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plant"
	"github.com/emend-dev/emend/internal/vfs"
)

// clearHistory removes from the history what is in the tree again, and what is not to be kept. It is the last thing
// that is done, when all else is durable: if recovery finds that it has begun, the transaction is in the tree. A name
// that cannot be removed stays, with a note: what was done is done, and nothing may put it in doubt.
func (t *transaction) clearHistory() error {
	var acts []*act
	for _, a := range t.acts {
		if a.From != "" || a.Gone {
			acts = append(acts, a)
		}
	}
	if len(acts) == 0 {
		return nil
	}
	slots := t.s.hist.Slots()
	for _, a := range acts {
		if err := t.clearNames(a, slots); err != nil {
			t.remark("%s: what the history has of it could not be removed: %v.", a.Path, cause(err))
		}
	}
	if t.s.opts.NoSync {
		return nil
	}
	return slots.Sync()
}

func (t *transaction) clearNames(a *act, slots vfs.Dir) error {
	slot := history.Slot(t.id, a.Slot)
	var errs []error
	switch {
	case plant.Enabled(plant.NoUnlinkBack):
	case a.From != "" && a.placed:
		errs = append(errs, removeName(slots, history.NewLink(slot)))
		for _, name := range removalOrder(a.From) {
			errs = append(errs, t.removeSpareName(a, slots, name))
		}
		errs = append(errs, t.s.hist.Leave(a.From))
	case a.From != "":
		errs = append(errs, t.dropFetched(a, slots, slot))
	}
	if a.Gone && a.done && !t.keptSlots[a.Slot] {
		t.s.closeHeld(a) // on some systems a name stays until nobody has the file open any more
		for _, name := range removalOrder(slot) {
			errs = append(errs, removeName(slots, name))
		}
	}
	return errors.Join(errs...)
}

// removalOrder lists the names of a slot in the order in which they are removed: a displaced file keeps a name to the
// end.
func removalOrder(slot string) []string {
	return []string{history.NewLink(slot), history.Aside(slot), slot, history.OldLink(slot)}
}

// removeSpareName removes a name of a file that came back, as long as the file has another name: somebody may have
// removed the one in the tree by now. Where the file came back as a copy, this is the only name of the original; it is
// removed if it still has the content that was copied. An empty file that was reserved for it is removed too: without a
// journal, a power cut may have put that back.
func (t *transaction) removeSpareName(a *act, slots vfs.Dir, name string) error {
	is, there, err := exists(slots, name)
	if err != nil || !there {
		return err
	}
	if reserved := is.Size == 0 && is.ID.Ino != a.New.Ino; is.Links < 2 && !reserved {
		s, err := observe(slots, name, a)
		if err != nil || s.class != newFile || is.ID.Ino == a.New.Ino {
			return err
		}
	}
	return removeName(slots, name)
}

// removeName removes a name, and tries twice: a name that stays by accident would stay for good.
func removeName(slots vfs.Dir, name string) error {
	if err := slots.Remove(name); err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return ignoreMissing(slots.Remove(name))
}

// dropSecondNames removes second names of users' files, whose own names are durable by now. Those of displaced files
// stay: nothing syncs the slots after the exchange, so a power cut may still undo their names.
func (t *transaction) dropSecondNames() {
	if !t.s.opts.secondNames() {
		return
	}
	slots := t.s.hist.Slots()
	for _, a := range t.acts {
		name := history.Slot(t.id, a.Slot)
		slots.Remove(history.NewLink(name))
		if a.Do == audit.DoMove {
			slots.Remove(history.OldLink(name))
		}
	}
}

// dropFetched removes the second names of a kept file that did not get its place. The history still has it under its
// first name.
func (t *transaction) dropFetched(a *act, slots vfs.Dir, slot string) error {
	s, err := observe(slots, slot, a)
	if err != nil || s.class != newFile && s.class != newEdited {
		return err
	}
	_, kept, err := t.s.hist.Find(a.From)
	if err != nil || kept.ID != s.info.ID && s.class != newFile {
		return ignoreMissing(err)
	}
	return errors.Join(removeName(slots, slot), removeName(slots, history.NewLink(slot)))
}
