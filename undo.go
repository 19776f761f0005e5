package emend

import (
	"context"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/report"
)

// Undo takes back an entry of the log, or all that a session did, as one commit, which can itself be undone. Without
// either it takes back the last change that is in effect and is no undo. A later edit in the same file is kept where
// what was changed has exactly one place; else the undo is refused, naming what is in the way. With DryRun nothing is
// written. What comes back is the very file that was displaced, where that is still kept.
func (w *Workspace) Undo(ctx context.Context, r UndoRequest) (*Report, error) {
	if err := w.enter(); err != nil {
		return nil, &Refusal{list: fail.All(err)}
	}
	defer w.calls.Done()
	ctx = w.calling(ctx, "undo")
	rec := record{kind: audit.Undo, key: r.IdempotencyKey}
	if rec.key != "" {
		rec.request = w.requestSum(ctx, "undo", r)
	}
	view := report.View{Atomic: true}
	rep, err := w.once(ctx, rec, func(rec record) (*Report, error) {
		src := newReader(ctx, w)
		defer src.close()
		src.base, src.known = ".", true
		u, err := w.reverse(ctx, r, src)
		if err != nil {
			return nil, w.telling(ctx, src, err)
		}
		view.Undoes, view.DryRun = u.undoes, r.DryRun
		p, err := u.plan(ctx)
		if err == nil {
			err = src.visit.Again()
		}
		if err == nil {
			err = w.limits.checkPlan(p)
		}
		if err != nil {
			return nil, w.telling(ctx, src, err)
		}
		if r.DryRun {
			view.Notes = willAsk(src.asks.List())
			return &Report{view: view, plan: p}, w.telling(ctx, src, nil)
		}
		rec.undoes, rec.prune, rec.asks = u.undoes, u.prune, src.asks.List()
		return w.commit(ctx, view, p, src.sums(), rec)
	})
	switch {
	case err != nil && r.DryRun:
		view.DryRun = true
		return nil, &Refusal{view: view, list: fail.All(err)} // it would have changed nothing, and is not noted
	case err != nil:
		return nil, w.refuse(ctx, view, err)
	}
	return rep, nil
}

// reverse works out what the tree is to be.
func (w *Workspace) reverse(ctx context.Context, r UndoRequest, src *reader) (*undoing, error) {
	if r.Entry != "" && r.SessionID != "" {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "both entry and sessionId are given",
			Hint: "Send one of the two: entry takes back one call, sessionId all that the session did."}
	}
	store, err := w.keeper.find()
	if err != nil {
		return nil, err
	}
	if store == nil {
		return nil, nothingToUndo("nothing was changed through emend here yet")
	}
	if err := store.Log().Refresh(); err != nil {
		return nil, storeError(err)
	}
	trail := newTrail(store, w.inside)
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
		u.undoes = append(u.undoes, rec.Tx)
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
