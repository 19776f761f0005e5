package change

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/guard"
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
		describe:    describeFromArchive})
}

func describeFromArchive(d api.RestoreData) string {
	return fmt.Sprintf("Restored %s from an archive (%d bytes, sha256 %s). Its time is now, and its permissions are those of a new file.",
		report.OneLine(d.Path), d.SizeBytes, d.Sha256)
}

// isArchive reports whether a trash path is the name of an archive. No id ends so.
func isArchive(trashedPath string) bool {
	return strings.HasSuffix(trashedPath, ".tar.gz") || strings.HasSuffix(trashedPath, ".tgz")
}

// restoreArchiveAt is [RestoreArchive] for an archive in the workspace, which an agent names by its path. The agent has to be
// allowed to read the archive, and the file at its old path.
func restoreArchiveAt(ctx context.Context, w *workspace.Workspace, r api.RestoreRequest) (*api.Answer[api.RestoreData], error) {
	return perform(ctx, w, call[api.RestoreData]{tool: "restore_file", key: r.IdempotencyKey, request: r,
		sections: []patch.Section{{Op: patch.Add, Path: r.TargetPath}},
		plan: func(ctx context.Context, src *source.Reader) (*plan.Plan, error) {
			a, err := readArchive(ctx, src, r.TrashedPath)
			if err != nil {
				return nil, err
			}
			if err := w.Guard.CheckReadAsking(a.Path, src.Asked); err != nil {
				return nil, err
			}
			return planRestoreArchive(ctx, src, a, r.TargetPath)
		},
		data: func(rep *Report) api.RestoreData {
			s := rep.firstStep()
			return api.RestoreData{Restored: true, Path: s.Path, From: r.TrashedPath, SizeBytes: int64(len(s.After)), Sha256: s.AfterSum}
		},
		dataFromLog: func(l loggedChange) api.RestoreData { return l.restoreData(r.TrashedPath) },
		describe:    describeFromArchive})
}

// readArchive reads the archive at a path of the workspace.
func readArchive(ctx context.Context, r *source.Reader, path string) (*history.Archived, error) {
	e, err := r.Batch.Resolve(path, guard.Request{Base: r.Base, Follow: true, Asked: r.Asked})
	if err != nil {
		return nil, err
	}
	if e.Kind == guard.Missing {
		return nil, &fail.Error{Kind: fail.NotFound, Path: path, Msg: "there is no such archive",
			Hint: "Send the id that deleting the file returned‹trash:, or that {} lists›; or the path of an archive that a person exported."}
	}
	f, err := r.W.Guard.Stream(e)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := history.ReadArchive(kept.Cancellable{Ctx: ctx, R: f}, r.W.Limits().FileBytes)
	if err != nil {
		err = badArchive(err)
		if bad, ok := errors.AsType[*fail.Error](err); ok && bad.Path == "" {
			bad.Path = path
		}
		return nil, err
	}
	return a, nil
}

// planRestoreArchive plans the creation of an archive's file.
func planRestoreArchive(ctx context.Context, r *source.Reader, a *history.Archived, target string) (*plan.Plan, error) {
	if target == "" {
		target, r.Base = a.Path, "."
	}
	f, err := LookForWrite(ctx, r, target)
	if err == nil {
		err = checkFree(f, target, true, "Name another place‹targetPath: with {}›, or move what is there away first.")
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
