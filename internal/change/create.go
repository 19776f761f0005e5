package change

import (
	"context"
	"fmt"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Create makes a new file. It never replaces an existing one.
func Create(ctx context.Context, w *workspace.Workspace, r api.CreateRequest) (*api.Answer[api.CreateData], error) {
	return perform(ctx, w, call[api.CreateData]{tool: "create_file", key: r.IdempotencyKey, request: r,
		sections: []patch.Section{{Op: patch.Add, Path: r.Path}},
		plan: func(ctx context.Context, src *source.Reader) (*plan.Plan, error) {
			return planCreate(ctx, &r, src)
		},
		data: func(rep *Report) api.CreateData {
			s := rep.firstStep()
			return api.CreateData{Created: true, Path: s.Path, Sha256: s.AfterSum, SizeBytes: int64(len(s.After)), Diff: rep.firstDiff()}
		},
		dataFromLog: func(l loggedChange) api.CreateData {
			return api.CreateData{Created: true, Path: l.Path, Sha256: l.After, SizeBytes: l.Size}
		},
		describe: func(d api.CreateData) string {
			return fmt.Sprintf("Created %s (%d bytes, sha256 %s).", report.OneLine(d.Path), d.SizeBytes, d.Sha256)
		}})
}

func planCreate(ctx context.Context, r *api.CreateRequest, src *source.Reader) (*plan.Plan, error) {
	f, err := LookForWrite(ctx, src, r.Path)
	if err == nil {
		err = checkFree(f, r.Path, r.CreateParentDirectories, "Read the file and change it with ‹write_file› or ‹edit_file›, or choose another path.")
	}
	if err != nil {
		return nil, err
	}
	return oneStepPlan(plan.Step{Op: patch.Add, Path: f.Rel, Source: f, After: r.Content, AfterSum: text.Sum(r.Content), Exec: r.Executable}), nil
}
