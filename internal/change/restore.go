package change

import (
	"context"
	"errors"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Unpacked settles where the file of an archive goes.
func Unpacked(ctx context.Context, r *source.Reader, a *history.Archived, target string) (*plan.Plan, error) {
	if target == "" {
		target, r.Base = a.Path, "."
	}
	f, err := Target(ctx, r, target)
	if err == nil {
		err = roomFor(f, target, true, "Name another TARGET, or move what is there away first.")
	}
	if err != nil {
		return nil, err
	}
	return single(plan.Step{Op: patch.Add, Path: f.Rel, Source: f, After: a.Content, AfterSum: a.Sha256, Exec: a.Perm&0o111 != 0}), nil
}

// BadArchive is the refusal of an archive.
func BadArchive(err error) error {
	e := &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Cause: err, Msg: "the archive is refused: " + err.Error(),
		Hint: "Make it with emend trash export, or take the file out of it by hand and look at it."}
	bad, ours := errors.AsType[*history.BadArchive](err)
	if _, refused := errors.AsType[*fail.Error](err); refused {
		return err
	}
	if ours && bad.Size {
		e.Kind, e.Reason = fail.FileTooLarge, ""
	}
	if !ours {
		e.Reason, e.Msg, e.Hint = "", "the archive cannot be read: "+err.Error(), "See to the cause, which the operating system reported, and try again."
	}
	return e
}

func (l Recalled) Restored(from string) api.RestoreData {
	return api.RestoreData{Restored: true, Path: l.Path, From: from, SizeBytes: l.Size, Sha256: l.After}
}

func Restoring(ctx context.Context, w *workspace.Workspace, src *source.Reader, r api.RestoreRequest) (*plan.Plan, error) {
	t, p, err := kept.InTrash(ctx, w, r.TrashedPath)
	if err != nil {
		return nil, err
	}
	if err := w.Guard.CheckReadAsking(t.Path, src.Asks); err != nil {
		return nil, err // what may not be read where it was, may not be read elsewhere
	}
	to := r.TargetPath
	if to == "" {
		to, src.Base, src.Known = t.Path, ".", true
	}
	f, err := Target(ctx, src, to)
	if err == nil {
		err = roomFor(f, to, true, "Name another place with targetPath, or move what is there away first.")
	}
	if err != nil {
		return nil, err
	}
	s := plan.Step{Op: patch.Add, Path: f.Rel, Source: f, Back: t.ID, Size: t.SizeBytes}
	s.AfterSum, err = kept.KeptSum(ctx, p.Store.History(), t.ID)
	return single(s), err
}
