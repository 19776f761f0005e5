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

// Run makes a plan, commits it and returns the report, once for each idempotency key. makePlan may add to the view and
// to the request. If the view asks for a dry run, Run commits nothing, and refusals do not go to the log.
func Run(ctx context.Context, w *workspace.Workspace, tool string, request any, r CommitRequest, view report.View, makePlan planFunc) (*Report, error) {
	ctx = withTool(ctx, w, tool)
	if r.Key != "" {
		r.Request = requestSum(ctx, w, tool, request)
	}
	rep, err := oncePerKey(ctx, w, r, func(r CommitRequest) (*Report, error) { return planAndCommit(ctx, w, &view, r, makePlan) })
	switch {
	case err != nil && view.DryRun:
		return nil, &report.Refusal{View: view, List: fail.All(err)} // a dry run leaves no trace in the log
	case err != nil:
		return nil, refuse(ctx, w, view, err)
	}
	return rep, nil
}

// planFunc makes a plan from the files that src reads.
type planFunc func(ctx context.Context, src *source.Reader, view *report.View, r *CommitRequest) (*plan.Plan, error)

// planAndCommit makes the plan and commits it. In a dry run it returns the report of what the commit would do.
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
		view.Notes = append(view.Notes, consent.PlanNotes(src.Asked)...)
		return &Report{View: *view, Plan: p, Asks: src.Asked.List()}, askBeforeTelling(ctx, w, src, nil)
	}
	r.Asks = src.Asked.List()
	return commitPlan(ctx, w, *view, p, src.Sums(), r)
}
