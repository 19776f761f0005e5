package trace

import (
	"cmp"
	"context"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/logbook"
)

const (
	maxRebuilt  = 32 // versions that are rebuilt to see whether they can be
	maxStanding = 64 // files that are read to see whether they have a content
)

// findContents looks for the contents whose own slot is empty: a deleted file may have been restored to another path, and a
// file that was moved away may have been displaced, or stand elsewhere.
func (b *backtrace) findContents(ctx context.Context) error {
	missing := b.missing()
	if len(missing) == 0 {
		return nil
	}
	o, looked, keys := logbook.NewOutcomes(), map[string]bool{}, audit.Keys{}
	for sum := range missing {
		keys.Add(audit.BySum, sum)
	}
	for r, err := range b.rd.Records(ctx, o, logbook.WithKeys(o, keys, missing.InLine)) {
		if err != nil {
			return err
		}
		if !logbook.IsTransaction(r) || o.Failed(r) != nil {
			continue
		}
		for i := range r.Acts {
			b.findDisplaced(r, &r.Acts[i], missing)
		}
		for _, op := range r.Ops {
			if err := b.findStanding(ctx, op, missing, looked); err != nil {
				return err
			}
		}
		if len(missing) == 0 {
			return nil
		}
	}
	return nil
}

// missing returns the sums of the contents that are not found yet, but for those that can be rebuilt.
func (b *backtrace) missing() logbook.SumSet {
	missing, tried := logbook.SumSet{}, 0
	for _, v := range b.versions {
		if v.ID != "" || v.Gone || v.hidden || v.sum == "" || b.kept[v.sum].id != "" {
			continue
		}
		if missing[v.sum] = true; v.record == nil || tried == maxRebuilt {
			continue
		}
		if a := b.actThatLeft(v); a != nil {
			tried++
			if rebuilt, err := b.contents.Rebuild(v.record, a); err == nil {
				b.addKept(fileState{exists: true, sum: v.sum, id: kept.RebuiltID(history.Slot(v.record.Tx, a.Slot)), size: int64(len(rebuilt.Text))})
				delete(missing, v.sum)
			}
		}
	}
	return missing
}

// actThatLeft returns the step that left a version; nil for a move, which leaves what it found.
func (b *backtrace) actThatLeft(v version) *audit.Act {
	for i := range v.record.Acts {
		a := &v.record.Acts[i]
		if p, ok := b.rd.FromTop(a.Path); ok && p == v.path && a.New != nil && a.New.Sum == v.sum && a.Places() {
			return a
		}
	}
	return nil
}

// findDisplaced notes what a step displaced, if that is missing.
func (b *backtrace) findDisplaced(r *audit.Record, a *audit.Act, missing logbook.SumSet) {
	if a.Old == nil || !missing[a.Old.Sum] || !a.Displaces() {
		return
	}
	path, inside := b.rd.FromTop(a.Path)
	if !inside || b.rd.Guard.CheckRead(path) != nil {
		return
	}
	slot := history.Slot(r.Tx, a.Slot)
	if is, ok := b.contents.Has(slot, a); ok {
		b.addKept(fileState{exists: true, sum: a.Old.Sum, id: slot, size: a.Old.Size, time: is.ModTime})
		delete(missing, a.Old.Sum)
	}
}

// findStanding looks whether a missing content still stands where a change left it.
func (b *backtrace) findStanding(ctx context.Context, op audit.Op, missing logbook.SumSet, looked map[string]bool) error {
	op, ok := b.rd.Local(op)
	path := cmp.Or(op.ToPath, op.Path)
	if !ok || !missing[op.After] || looked[path] || len(looked) == maxStanding || b.rd.Guard.CheckRead(path) != nil {
		return nil
	}
	looked[path] = true
	s, err := currentState(ctx, b.rd.Guard, path)
	if err == nil && s.id != "" && missing[s.sum] {
		s.current = false
		b.addKept(s)
		delete(missing, s.sum)
	}
	if ctx.Err() != nil {
		return caller.Cancelled(ctx)
	}
	return nil
}
