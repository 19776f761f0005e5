package change

import (
	"context"
	"fmt"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Restore brings a file back from the trash, to its old path or to another free one.
func Restore(ctx context.Context, w *workspace.Workspace, r api.RestoreRequest) (*api.Answer[api.RestoreData], error) {
	if r.Archives && isArchive(r.TrashedPath) {
		return restoreArchiveAt(ctx, w, r)
	}
	return perform(ctx, w, call[api.RestoreData]{tool: "restore_file", key: r.IdempotencyKey, request: r,
		sections: []patch.Section{{Op: patch.Add, Path: r.TargetPath}},
		plan: func(ctx context.Context, src *source.Reader) (*plan.Plan, error) {
			return planRestore(ctx, w, src, r)
		},
		data: func(rep *Report) api.RestoreData {
			s := rep.firstStep()
			return api.RestoreData{Restored: true, Path: s.Path, From: r.TrashedPath, SizeBytes: s.Size, Sha256: s.AfterSum}
		},
		dataFromLog: func(l loggedChange) api.RestoreData { return l.restoreData(r.TrashedPath) },
		describe: func(d api.RestoreData) string {
			return fmt.Sprintf("Restored %s from the trash (%d bytes, sha256 %s).", report.OneLine(d.Path), d.SizeBytes, d.Sha256)
		}})
}

func planRestore(ctx context.Context, w *workspace.Workspace, src *source.Reader, r api.RestoreRequest) (*plan.Plan, error) {
	t, contents, err := kept.FindTrash(ctx, w, r.TrashedPath)
	if err != nil {
		return nil, err
	}
	if err := w.Guard.CheckReadAsking(t.Path, src.Asked); err != nil {
		return nil, err // a file that may not be read at its old path may not be read at another
	}
	to := r.TargetPath
	if to == "" {
		to, src.Base, src.FromLog = t.Path, ".", true
	}
	f, err := LookForWrite(ctx, src, to)
	if err == nil {
		err = checkFree(f, to, true, "Name another place‹targetPath: with {}›, or move what is there away first.")
	}
	if err != nil {
		return nil, err
	}
	s := plan.Step{Op: patch.Add, Path: f.Rel, Source: f, FromHistory: t.ID, Size: t.SizeBytes}
	s.AfterSum, err = contents.Sum(ctx, t.ID)
	return oneStepPlan(s), err
}

func (l loggedChange) restoreData(from string) api.RestoreData {
	return api.RestoreData{Restored: true, Path: l.Path, From: from, SizeBytes: l.Size, Sha256: l.After}
}
