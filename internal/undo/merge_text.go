package undo

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/draft"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
)

// reverseWithin takes a change, or hunks of it, back in a file that may have been edited since, and keeps the later edits.
func (u *reversal) reverseWithin(ctx context.Context, r *audit.Record, a *audit.Act, o fileState, f *changedFile) error {
	if a.Old.Link || a.New.Link || !o.mode.IsRegular() || max(a.Old.Size, a.New.Size, o.size) > maxMerge {
		u.conflict(r, a.Path, u.since(a.Path, a.New, "it was replaced or changed since"))
		return nil
	}
	old, ok := u.findKept(r, a)
	if !ok {
		u.refuseNotKept(r, a)
		return nil
	}
	before, err := u.text(ctx, a.Path, old)
	if err != nil {
		return err
	}
	have, err := u.text(ctx, a.Path, o)
	if err != nil {
		return err
	}
	n := len(u.refusals)
	merged, ok := u.takenFrom(ctx, r, a, f, before, have)
	if !ok {
		u.conflict(r, a.Path, "it was changed since, and how this change left it is no longer kept")
	}
	if len(u.refusals) > n && (!u.skip || f.took == nil) || merged == have {
		return nil
	}
	o.edited, o.text, o.sum = true, merged, text.Sum(merged)
	u.goals[a.Path] = o
	return nil
}

// takenFrom takes what was chosen of f back in have, which was before before the change. It refuses what conflicts. It reports false if it is
// not known how the change left the file.
func (u *reversal) takenFrom(ctx context.Context, r *audit.Record, a *audit.Act, f *changedFile, before, have string) (string, bool) {
	after, known := u.textAfter(r, a, before)
	if !known {
		return "", false
	}
	if !f.partly() {
		if out, err := takeBack(ctx, after, before, have); err == nil {
			return out, true
		}
	}
	if u.loadHunks(r, f) {
		if whole, ok := f.with(before, numbersTo(f.count)); ok && whole == after {
			return u.reverseHunks(ctx, r, f, before, have)
		}
	}
	if f.partly() {
		return "", false
	}
	u.conflictAt(r, a.Path, 0, after, before, have)
	return have, true
}

// takeBack makes of have, in which a change that led from back to left may have been edited, what it is without that change. Every
// line to take back must match exactly, in one place. Where it does not, the edits since left are merged, as far as nothing speaks
// against it.
func takeBack(ctx context.Context, left, back, have string) (string, error) {
	switch have {
	case left:
		return back, nil
	case back:
		return have, nil
	}
	d, _ := dialect.Named("comma")
	rules, file := d.Rules(dialect.Options{}), plan.Memory{"file": have}
	changes := []draft.Change{{Path: "file", Old: left, New: back, HasOld: true, HasNew: true}}
	p, err := draft.Between(d, changes, 3)
	if err != nil || len(p.Sections) == 0 {
		return have, err
	}
	out, err := plan.Build(ctx, p, rules, file, plan.Options{})
	if err != nil {
		// All lines are context of a merge, since it is certain from what have was made: should the lines beside the change stand
		// elsewhere too, that is no second place.
		if p, err = draft.Between(d, changes, len(left)); err != nil {
			return "", err
		}
		rules.Corrects = true // else nothing is merged
		out, err = plan.Build(ctx, p, rules, remembered{file, left}, plan.Options{Expect: map[string]string{"file": text.Sum(left)}})
	}
	if err != nil {
		return "", err
	}
	return out.Steps[0].After, nil
}

// remembered is a file in memory that has an earlier version.
type remembered struct {
	plan.Memory
	version string
}

// Versions implements [plan.Source].
func (m remembered) Versions(context.Context, plan.File, string) iter.Seq[plan.Version] {
	return func(yield func(plan.Version) bool) { yield(plan.Version{Data: m.version, Sha256: text.Sum(m.version)}) }
}

// numbersTo lists the numbers from 1 to n.
func numbersTo(n int) (out []int) {
	for i := range n {
		out = append(out, i+1)
	}
	return out
}

// textAfter finds the text that a change left: a slot keeps it if a later change displaced it, or the diff rebuilds it.
func (u *reversal) textAfter(r *audit.Record, a *audit.Act, before string) (string, bool) {
	for _, slot := range u.chooser.keptWith(a.New.Sum) {
		if out, err := u.slotText(slot); err == nil && text.Sum(out) == a.New.Sum {
			return out, true
		}
	}
	diff, err := u.hist.ReadText(history.DiffName(r.Tx))
	if err != nil {
		return "", false
	}
	return kept.ApplyDiffs(before, r, a, diff)
}

// text returns the text of o; p is its path in a refusal.
func (u *reversal) text(ctx context.Context, p string, o fileState) (string, error) {
	switch {
	case o.edited:
		return o.text, nil
	case o.slot != "":
		out, err := u.slotText(o.slot)
		if err == nil && text.Sum(out) != o.sum {
			return "", u.writtenSince(p, o.slot)
		}
		if err != nil {
			return "", workspace.StoreError(fmt.Errorf("what is kept as %s cannot be read: %w", o.slot, err))
		}
		return out, nil
	}
	out, _, err := u.src.Load(ctx, u.present[o.at])
	return out, err
}

// slotText returns the text that a slot keeps; "" if it is longer than any file may be, so that its sum does not match.
func (u *reversal) slotText(slot string) (string, error) {
	text, _, err := kept.Of(u.hist).Text(slot, u.w.Limits().FileBytes)
	if errors.Is(err, kept.ErrTooLong) {
		return "", nil
	}
	return text, err
}
