package change

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
)

// Plan holds what a patch would do in a workspace, and what is needed to commit it.
type Plan struct {
	View      report.View
	Plan      *plan.Plan
	sums      map[guard.Identity]string // hashes of the files that were read
	asks      []api.AskedPath
	workspace *workspace.Workspace
}

// Preview plans a patch: it parses the text, reads the files and places the hunks. It never writes to a file of the
// user. [Commit] applies the plan.
func Preview(ctx context.Context, w *workspace.Workspace, p Patch) (*Plan, error) {
	ctx, err := withPaths(ctx, w, &p)
	if err != nil {
		return nil, &report.Refusal{List: fail.All(err)}
	}
	src := source.NewReader(ctx, w)
	defer src.Close()
	out, err := preview(ctx, w, p.Text, p.PatchOptions, src)
	if err != nil {
		return nil, err
	}
	if refused := askBeforeTelling(ctx, w, src, nil); refused != nil {
		return nil, &report.Refusal{View: out.View, List: fail.All(refused)}
	}
	return out, nil
}

// preview plans a patch. If the patch is refused and another option would make it apply, the refusal names that option.
func preview(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, src *source.Reader) (*Plan, error) {
	view, p, err := planPatch(ctx, w, text, o, src)
	if err == nil {
		view.Notes = consent.PlanNotes(src.Asked)
		return &Plan{View: view, Plan: p, sums: src.Sums(), asks: src.Asked.List(), workspace: w}, nil
	}
	list := fail.All(askBeforeTelling(ctx, w, src, err))
	src.Asked = new(guard.AskedPaths) // looking for a hint asks nobody
	if hint := optionsHint(ctx, w, text, o, src, list); hint != "" {
		first := *list[0]
		first.Hint = joinHints(first.Hint, hint)
		list[0] = &first
	}
	return nil, &report.Refusal{View: view, List: list}
}
