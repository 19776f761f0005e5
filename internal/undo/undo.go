package undo

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
)

// Reverse works out what the tree is to be.
func Reverse(ctx context.Context, w *workspace.Workspace, r api.UndoRequest, src *source.Reader) (*undoing, error) {
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
