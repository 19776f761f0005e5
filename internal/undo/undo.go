package undo

import (
	"context"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
)

// Undo takes back an entry of the log, all that a session did, or the last change that is in effect and is no undo, as one commit.
func Undo(ctx context.Context, w *workspace.Workspace, r api.UndoRequest) (*change.Report, error) {
	view := report.View{Atomic: true, DryRun: r.DryRun}
	return change.Run(ctx, w, "undo", r, change.CommitRequest{Kind: audit.Undo, Key: r.IdempotencyKey}, view,
		func(ctx context.Context, src *source.Reader, view *report.View, rec *change.CommitRequest) (*plan.Plan, error) {
			src.Base, src.FromLog = ".", true
			u, err := reverse(ctx, w, r, src)
			if err != nil {
				return nil, err
			}
			view.Undoes = u.Undoes
			p, err := u.Plan(ctx)
			rec.Undoes, rec.Prune = u.Undoes, u.Prune
			return p, err
		})
}

// reverse works out which changes are taken back, and what the tree has to be then.
func reverse(ctx context.Context, w *workspace.Workspace, r api.UndoRequest, src *source.Reader) (*undoing, error) {
	if r.Entry != "" && r.SessionID != "" {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "both entry and sessionId are given",
			Hint: "Send one of the two: entry takes back one call, sessionId all that the session did."}
	}
	store, err := w.OpenStore()
	if err != nil {
		return nil, err
	}
	if store == nil {
		return nil, nothingToUndo("nothing was changed through emend here yet")
	}
	if err := store.Log().Refresh(); err != nil {
		return nil, workspace.StoreError(err)
	}
	trail := newTrail(store, w.Paths().Inside)
	defer trail.stop()
	chosen, err := trail.choose(r)
	if err != nil {
		return nil, err
	}
	u := newUndoing(w, src, trail, store.History())
	for _, rec := range chosen {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		u.Undoes = append(u.Undoes, rec.Tx)
		if err := u.back(ctx, rec); err != nil {
			return nil, err
		}
	}
	if len(u.errs) > 0 {
		return nil, u.errs
	}
	return u, nil
}

func nothingToUndo(why string) error {
	return &fail.Error{Kind: fail.NotFound, Msg: why, Hint: "emend log (the history tool) lists the changes and their entries."}
}
