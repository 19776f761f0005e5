package emend

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/outcome"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/undo"
	"github.com/emend-dev/emend/patch"
)

// PutBack makes a file what it was in a version that is kept, byte for byte, with its mode: the very file that was
// displaced comes back. Of a version that is made anew, since only its difference is kept, the text does. It is a change like any other, and can be undone. With DryRun nothing is written.
func (w *Workspace) PutBack(ctx context.Context, r api.PutBackRequest) (*outcome.Report, error) {
	if err := w.s.Enter(); err != nil {
		return nil, &outcome.Refusal{List: fail.All(err)}
	}
	defer w.s.Leave()
	ctx = change.Calling(ctx, w.s, "put_back")
	rec := change.Record{Key: r.IdempotencyKey}
	if rec.Key != "" {
		rec.Request = change.RequestSum(ctx, w.s, "put_back", r)
	}
	view := report.View{Atomic: true, PutsBack: r.Version, DryRun: r.DryRun, Patch: patch.Patch{Sections: []patch.Section{{Op: patch.Update, Path: r.Path}}}}
	rep, err := change.Once(ctx, w.s, rec, func(rec change.Record) (*outcome.Report, error) { return undo.PuttingBack(ctx, w.s, r, view, rec) })
	switch {
	case err != nil && r.DryRun:
		return nil, &outcome.Refusal{View: view, List: fail.All(err)} // it would have changed nothing, and is not noted
	case err != nil:
		return nil, change.Refuse(ctx, w.s, view, err)
	}
	return rep, nil
}

// Undo takes back an entry of the log, or all that a session did, as one commit, which can itself be undone. Without
// either it takes back the last change that is in effect and is no undo. A later edit in the same file is kept where
// what was changed has exactly one place; else the undo is refused, naming what is in the way. With DryRun nothing is
// written. What comes back is the very file that was displaced, where that is still kept.
func (w *Workspace) Undo(ctx context.Context, r api.UndoRequest) (*outcome.Report, error) {
	if err := w.s.Enter(); err != nil {
		return nil, &outcome.Refusal{List: fail.All(err)}
	}
	defer w.s.Leave()
	ctx = change.Calling(ctx, w.s, "undo")
	rec := change.Record{Kind: audit.Undo, Key: r.IdempotencyKey}
	if rec.Key != "" {
		rec.Request = change.RequestSum(ctx, w.s, "undo", r)
	}
	view := report.View{Atomic: true}
	rep, err := change.Once(ctx, w.s, rec, func(rec change.Record) (*outcome.Report, error) {
		src := source.NewReader(ctx, w.s)
		defer src.Close()
		src.Base, src.Known = ".", true
		u, err := undo.Reverse(ctx, w.s, r, src)
		if err != nil {
			return nil, change.Telling(ctx, w.s, src, err)
		}
		view.Undoes, view.DryRun = u.Undoes, r.DryRun
		p, err := u.Plan(ctx)
		if err == nil {
			err = src.Batch.Recheck()
		}
		if err == nil {
			err = w.s.CheckPlan(p)
		}
		if err != nil {
			return nil, change.Telling(ctx, w.s, src, err)
		}
		if r.DryRun {
			view.Notes = consent.PlanNotes(src.Asks.List())
			return &outcome.Report{View: view, Plan: p}, change.Telling(ctx, w.s, src, nil)
		}
		rec.Undoes, rec.Prune, rec.Asks = u.Undoes, u.Prune, src.Asks.List()
		return change.Commit(ctx, w.s, view, p, src.Sums(), rec)
	})
	switch {
	case err != nil && r.DryRun:
		view.DryRun = true
		return nil, &outcome.Refusal{View: view, List: fail.All(err)} // it would have changed nothing, and is not noted
	case err != nil:
		return nil, change.Refuse(ctx, w.s, view, err)
	}
	return rep, nil
}
