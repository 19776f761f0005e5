// Package undo takes changes back: one entry of the log, all that a session did, or the last change. It also puts an older
// version of a file back. It works out a plan; package change commits that as one transaction, which can be undone in turn.
// It refuses rather than lose a later edit, and it writes no file itself.
package undo

import (
	"context"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
)

// Undo takes back, as one commit, an entry of the log, all that a session did, or the last change in effect that is not an
// undo itself.
func Undo(ctx context.Context, w *workspace.Workspace, r api.UndoRequest) (*change.Report, error) {
	view := report.View{Atomic: true, DryRun: r.DryRun}
	return change.Run(ctx, w, "undo", wholeRequest(r), change.CommitRequest{Kind: audit.Undo, Key: r.IdempotencyKey}, view,
		func(ctx context.Context, src *source.Reader, view *report.View, rec *change.CommitRequest) (*plan.Plan, error) {
			src.Base, src.FromLog = ".", true
			u, err := reverseChosen(ctx, w, r, src)
			if err != nil {
				return nil, err
			}
			view.Undoes, view.Notes = u.entries(), append(view.Notes, u.notes...)
			view.UndoneParts, view.Stays = u.partWords(), u.stays
			p, err := u.plan(ctx)
			if err == nil {
				rec.Undoes, rec.Parts = u.undoes, u.parts
				u.fillDirs(rec, p.Steps)
			}
			return p, err
		})
}

// wholeRequest is the request with the fields that agents do not know, by which an idempotency key is told from another request's.
func wholeRequest(r api.UndoRequest) any {
	return struct {
		api.UndoRequest
		Turn          string          `json:",omitempty"`
		To            string          `json:",omitempty"`
		Pieces        []api.UndoPiece `json:",omitempty"`
		SkipConflicts bool            `json:",omitempty"`
	}{r, r.Turn, r.To, r.Pieces, r.SkipConflicts}
}

// reverseChosen chooses the changes to undo and works out the tree without them. The error holds the refusals of all of
// them.
func reverseChosen(ctx context.Context, w *workspace.Workspace, r api.UndoRequest, src *source.Reader) (*reversal, error) {
	if r.Entry != "" && r.SessionID != "" {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "both entry and sessionId are given",
			Hint: "Send one of the two: the entry undoes one call, the session all that it did."}
	}
	if (r.SessionID != "" || r.To != "" || r.Turn != "") && slices.ContainsFunc(r.Pieces, func(p api.UndoPiece) bool { return len(p.Hunks) > 0 }) {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "hunks have numbers in the diff of one entry, and several are asked for",
			Hint: "Name the entry."}
	}
	if r.Entry != "" && (r.To != "" || r.Turn != "") || r.To != "" && r.Turn != "" {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "two of an entry, a turn and a mark are given",
			Hint: "Name one of them."}
	}
	store, err := w.OpenStore()
	if err != nil {
		return nil, err
	}
	if store == nil {
		return nil, nothingToUndo("nothing was changed through emend here yet")
	}
	if r.Entry, err = entryName(ctx, w, r.Entry); err != nil {
		return nil, err
	}
	if err := store.Log().Refresh(); err != nil {
		return nil, workspace.StoreError(err)
	}
	chooser := newChooser(store, w.Paths().Inside)
	defer chooser.stop()
	chooser.session = w.Actor(ctx).Session
	since, err := pointOf(store, r.To)
	if err != nil {
		return nil, err
	}
	chosen, err := chooser.choose(r, since)
	if err != nil {
		return nil, logbook.MayBeDropped(store.Log(), err)
	}
	u := newReversal(w, src, chooser, store.History())
	u.base, u.pieces, u.skip = w.BaseDir(ctx), r.Pieces, r.SkipConflicts
	for _, rec := range chosen {
		if ctx.Err() != nil {
			return nil, caller.Cancelled(ctx)
		}
		if err := u.reverseRecord(ctx, rec, len(chosen) == 1); err != nil {
			return nil, err
		}
		if rec.Seen != nil && rec.Seen.Since.Before(since.at) {
			u.notes = append(u.notes, "What "+rec.Tx+" did before that time is undone as well: nobody saw when it did what.")
		}
	}
	if err := chooser.err(); err != nil {
		return nil, err
	}
	if len(u.refusals) > 0 {
		return nil, u.refusals
	}
	if len(u.undoes)+len(u.parts) == 0 {
		if len(u.stays) > 0 {
			return nil, u.stays
		}
		return nil, nothingToUndo("none of these changes touched " + fail.Quote(r.Pieces[0].Path))
	}
	if len(u.notes) > 0 && len(u.paths) == 0 && len(u.dirs) == 0 && len(u.whole) == 0 {
		return nil, &fail.Error{Kind: fail.NotFound, Msg: "nothing of this change can be undone. " + u.notes[0], Hint: "Revert it by hand. ‹history› says what it did."}
	}
	return u, nil
}
