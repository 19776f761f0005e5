package change

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

func Settle(ctx context.Context, r *api.CreateRequest, src *source.Reader) (*plan.Plan, error) {
	f, err := Target(ctx, src, r.Path)
	if err == nil {
		err = roomFor(f, r.Path, r.CreateParentDirectories, "Read the file and change it with write_file or edit_file, or choose another path.")
	}
	if err != nil {
		return nil, err
	}
	return single(plan.Step{Op: patch.Add, Path: f.Rel, Source: f, After: r.Content, AfterSum: text.Sum(r.Content), Exec: r.Executable}), nil
}
