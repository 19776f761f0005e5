package change

import (
	"context"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
)

// Run plans a change, commits it and answers, once for each key. With dryRun it only words what the plan would do. settle works out the
// plan; it may add to the view and to the request.
func Run(ctx context.Context, w *workspace.Workspace, tool string, request any, r CommitRequest, view report.View, makePlan planFunc) (*Report, error) {
	ctx = withTool(ctx, w, tool)
	if r.Key != "" {
		r.Request = requestSum(ctx, w, tool, request)
	}
	rep, err := oncePerKey(ctx, w, r, func(r CommitRequest) (*Report, error) { return planAndCommit(ctx, w, &view, r, makePlan) })
	switch {
	case err != nil && view.DryRun:
		return nil, &report.Refusal{View: view, List: fail.All(err)} // nothing would have changed: it is not noted in the log
	case err != nil:
		return nil, refuse(ctx, w, view, err)
	}
	return rep, nil
}

// settleFunc works out a plan from the files that src reads.
type planFunc func(ctx context.Context, src *source.Reader, view *report.View, r *CommitRequest) (*plan.Plan, error)

// settled makes the plan and commits it, or words it in a dry run.
func planAndCommit(ctx context.Context, w *workspace.Workspace, view *report.View, r CommitRequest, makePlan planFunc) (*Report, error) {
	src := source.NewReader(ctx, w)
	defer src.Close()
	p, err := makePlan(ctx, src, view, &r)
	if err == nil {
		err = src.Batch.Recheck()
	}
	if err == nil {
		err = w.CheckPlan(p)
	}
	if err != nil {
		return nil, askBeforeTelling(ctx, w, src, err)
	}
	if view.DryRun {
		view.Notes = append(view.Notes, consent.PlanNotes(src.Asked.List())...)
		return &Report{View: *view, Plan: p}, askBeforeTelling(ctx, w, src, nil)
	}
	r.Asks = src.Asked.List()
	return commitPlan(ctx, w, *view, p, src.Sums(), r)
}
