package undo

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/text"
)

// findKept finds the file that a change displaced: in its own slot, or where it went since. If that very file is not kept,
// another with the same content will do, preferably one with the same permissions.
func (u *reversal) findKept(r *audit.Record, a *audit.Act) (best fileState, ok bool) {
	if o, ok := u.returned[history.Slot(r.Tx, a.Slot)]; ok && o.matches(a.Old) {
		return o, true
	}
	i := -1
	for slot := range u.slotsWith(r, a) {
		i++
		name, is, err := u.hist.Find(slot)
		if err != nil || is.Mode.IsDir() || (is.Mode&fs.ModeSymlink != 0) != a.Old.Link || !a.Old.Link && is.Size != a.Old.Size {
			continue
		}
		o := fileState{exists: true, slot: slot, sum: a.Old.Sum, mode: is.Mode, size: is.Size, ino: is.ID.Ino,
			copy: i > 0 && is.ID.Ino != a.Old.Ino && !a.Old.Link}
		if a.Old.Link {
			if o.link, err = u.hist.Slots().Readlink(name); err != nil || text.Sum(o.link) != a.Old.Sum {
				continue
			}
		}
		if is.ID.Ino == a.Old.Ino {
			return o, true
		}
		if !ok || best.mode != a.Old.Mode && o.mode == a.Old.Mode {
			best, ok = o, true
		}
	}
	return best, ok
}

// slotsWith iterates over the slots that may keep the file that a change displaced: its own, and those with the same content.
func (u *reversal) slotsWith(r *audit.Record, a *audit.Act) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(history.Slot(r.Tx, a.Slot)) {
			return
		}
		for _, slot := range u.chooser.keptWith(a.Old.Sum) {
			if !yield(slot) {
				return
			}
		}
	}
}

// refuseNotKept says why findKept found nothing.
func (u *reversal) refuseNotKept(r *audit.Record, a *audit.Act) {
	slot := history.Slot(r.Tx, a.Slot)
	_, is, err := u.hist.Find(slot)
	if err == nil && is.ID.Ino == a.Old.Ino {
		u.refusals = append(u.refusals, u.writtenSince(a.Path, slot))
		return
	}
	if errors.Is(err, history.ErrDamaged) {
		damaged, _ := errors.AsType[*fail.Error](commit.DamagedPack(err))
		damaged.Path = u.displayPath(a.Path)
		u.refusals = append(u.refusals, damaged)
		return
	}
	u.refuse(fail.NotFound, a.Path, "what it was before is no longer kept: it was purged, pruned, or restored elsewhere",
		"‹history› shows what became of it‹trash:; {} what is kept›.")
}

// writtenSince refuses a kept file whose content is no longer the one that was kept.
func (u *reversal) writtenSince(p, slot string) *fail.Error {
	tx, _, _ := strings.Cut(slot, ".")
	return &fail.Error{Kind: fail.Stale, Path: u.displayPath(p),
		Msg:  "what is kept of it was written to since, through another hard link or by a program that had it open",
		Hint: fmt.Sprintf("To look at what is kept, ‹run show %s›. Revert the change by hand.", tx)}
}
