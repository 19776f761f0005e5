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

// Delete deletes a file, or with Recursive a directory and everything in it, as one change. The contents go to the trash unless the
// request is permanent.
func Delete(ctx context.Context, w *workspace.Workspace, r api.DeleteRequest) (*api.Answer[api.DeleteData], error) {
	r.ExpectedSha256 = text.BareSum(r.ExpectedSha256)
	var t *tree
	return perform(ctx, w, call[api.DeleteData]{tool: "delete_file", key: r.IdempotencyKey, request: requestOf(r, r.Recursive),
		sections: []patch.Section{{Op: patch.Delete, Path: r.Path}},
		plan: func(ctx context.Context, src *source.Reader) (p *plan.Plan, err error) {
			if r.Recursive {
				t, err = findTree(ctx, w, src, r.Path, r.ExpectedSha256)
			}
			switch {
			case err != nil:
				return nil, err
			case t != nil:
				return t.planDelete(ctx)
			}
			return planDelete(ctx, &r, src)
		},
		adjust:  func(rec *CommitRequest) { rec.Permanent = r.Permanent },
		planned: func(rec *CommitRequest) { t.fill(ctx, rec) },
		data: func(rep *Report) api.DeleteData {
			if t != nil {
				return api.DeleteData{Deleted: true, Path: t.root.Rel, SizeBytes: t.size, Tree: t.data()}
			}
			s := rep.firstStep()
			d := api.DeleteData{Deleted: true, Path: s.Path, BeforeSha256: s.BeforeSum, SizeBytes: s.Source.Size, TrashedTo: rep.firstTrashed()}
			if !r.Permanent {
				d.Diff = report.Diff(s) // a permanent deletion must not keep the text in the stored answer
			}
			return d
		},
		dataFromLog: func(l loggedChange) api.DeleteData {
			return api.DeleteData{Deleted: true, Path: l.Path, BeforeSha256: l.Before, SizeBytes: l.OldSize, TrashedTo: l.TrashedTo}
		},
		describe: func(d api.DeleteData) string {
			switch {
			case d.Tree != nil && r.Permanent:
				return fmt.Sprintf("Deleted %s permanently, with all that was in it (%s).", report.OneLine(d.Path), describeTree(d.Tree))
			case d.Tree != nil:
				return fmt.Sprintf("Deleted %s with all that was in it (%s). The files are in the trash.", report.OneLine(d.Path), describeTree(d.Tree))
			}
			if d.TrashedTo == "" {
				return fmt.Sprintf("Deleted %s permanently: it is not in the trash. What older entries of the log keep of it, a person can purge.", report.OneLine(d.Path))
			}
			words := fmt.Sprintf("Deleted %s. It is in the trash as %s.", report.OneLine(d.Path), d.TrashedTo)
			if d.SizeBytes > MaxShown {
				words += fmt.Sprintf(" Its lines are left out of the diff: it has over %d KiB.", MaxShown>>10)
			}
			return words
		}})
}

func planDelete(ctx context.Context, r *api.DeleteRequest, src *source.Reader) (*plan.Plan, error) {
	if err := CheckHashField("expectedSha256", r.ExpectedSha256, false); err != nil {
		return nil, err
	}
	f, err := mustExist(ctx, src, r.Path, "delete")
	if err != nil {
		return nil, err
	}
	s := plan.Step{Op: patch.Delete, Path: f.Rel, Source: f}
	if s.BeforeSum, err = src.Sum(ctx, f); err != nil {
		return nil, err
	}
	if err := checkSum(r.Path, r.ExpectedSha256, s.BeforeSum); err != nil {
		return nil, err
	}
	if f.Kind == plan.Regular && f.Size <= MaxShown {
		s.Before, s.BeforeSum, err = src.Load(ctx, f)
	}
	return oneStepPlan(s), err
}
