package emend

import (
	"context"
	"fmt"

	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// Create makes a new file, and never replaces one.
func (w *Workspace) Create(ctx context.Context, r CreateRequest) (*Answer[CreateData], error) {
	return perform(ctx, w, call[CreateData]{tool: "create_file", key: r.IdempotencyKey, request: r,
		named:  []patch.Section{{Op: patch.Add, Path: r.Path}},
		settle: func(ctx context.Context, src *reader) (*plan.Plan, error) { return r.settle(ctx, src) },
		data: func(rep *Report) CreateData {
			s := rep.step()
			return CreateData{Created: true, Path: s.Path, Sha256: s.AfterSum, SizeBytes: int64(len(s.After)), Diff: rep.diff()}
		},
		recall: func(l recalled) CreateData {
			return CreateData{Created: true, Path: l.Path, Sha256: l.After, SizeBytes: l.Size}
		},
		say: func(d CreateData) string {
			return fmt.Sprintf("Created %s (%d bytes, sha256 %s).", report.Escape(d.Path), d.SizeBytes, d.Sha256)
		}})
}

func (r *CreateRequest) settle(ctx context.Context, src *reader) (*plan.Plan, error) {
	f, err := src.target(ctx, r.Path)
	if err == nil {
		err = roomFor(f, r.Path, r.CreateParentDirectories, "Read the file and change it with write_file or edit_file, or choose another path.")
	}
	if err != nil {
		return nil, err
	}
	return single(plan.Step{Op: patch.Add, Path: f.Rel, Source: f, After: r.Content, AfterSum: plan.Sum(r.Content), Exec: r.Executable}), nil
}
