package change

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// RestoreArchive creates the file that an archive of an exported trash entry contains. An empty target stands for the
// file's old path.
func RestoreArchive(ctx context.Context, w *workspace.Workspace, from io.Reader, target, key string) (*api.Answer[api.RestoreData], error) {
	a, err := history.ReadArchive(kept.Cancellable{Ctx: ctx, R: from}, w.Limits().FileBytes)
	if err != nil {
		a, err = &history.Archived{}, badArchive(err)
	}
	to := target
	if to == "" {
		to = a.Path
	}
	return perform(ctx, w, call[api.RestoreData]{tool: "restore_file", key: key, request: []string{target, a.Path, a.Sha256},
		sections: []patch.Section{{Op: patch.Add, Path: to}},
		plan: func(ctx context.Context, src *source.Reader) (*plan.Plan, error) {
			if err != nil {
				return nil, err
			}
			return planRestoreArchive(ctx, src, a, target)
		},
		data: func(rep *Report) api.RestoreData {
			s := rep.firstStep()
			return api.RestoreData{Restored: true, Path: s.Path, From: a.ID, SizeBytes: int64(len(s.After)), Sha256: s.AfterSum}
		},
		dataFromLog: func(l loggedChange) api.RestoreData { return l.restoreData(a.ID) },
		describe: func(d api.RestoreData) string {
			return fmt.Sprintf("Restored %s from an archive (%d bytes, sha256 %s). Its time is now, and its permissions are those of a new file.",
				report.Escape(d.Path), d.SizeBytes, d.Sha256)
		}})
}

// planRestoreArchive plans the creation of an archive's file.
func planRestoreArchive(ctx context.Context, r *source.Reader, a *history.Archived, target string) (*plan.Plan, error) {
	if target == "" {
		target, r.Base = a.Path, "."
	}
	f, err := LookForWrite(ctx, r, target)
	if err == nil {
		err = checkFree(f, target, true, "Name another TARGET, or move what is there away first.")
	}
	if err != nil {
		return nil, err
	}
	return oneStepPlan(plan.Step{Op: patch.Add, Path: f.Rel, Source: f, After: a.Content, AfterSum: a.Sha256, Exec: a.Perm&0o111 != 0}), nil
}

// badArchive returns the refusal of an archive that cannot be read or restored.
func badArchive(err error) error {
	e := &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Cause: err, Msg: "the archive is refused: " + err.Error(),
		Hint: "To make one, ‹run trash export›; or take the file out of it by hand and look at it."}
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
