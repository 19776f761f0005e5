package change

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
)

// Report holds what a commit did, or what it would do in a dry run.
type Report struct {
	View   report.View
	Plan   *plan.Plan
	Done   report.Done
	Asks   []api.AskedPath      // of a dry run: the paths about which a person has to be asked before the commit
	Stored *report.StoredResult // the answer of the first call, if this call repeats it
}

// Result returns the report as the result of a tool call, in the form that belongs to the patch's dialect.
func (r *Report) Result() api.Result {
	if r.Stored != nil {
		return r.Stored
	}
	return report.New(r.View, r.Plan, nil)
}

// Summary describes in a few lines what was done.
func (r *Report) Summary() string {
	if r.Stored != nil {
		return r.Stored.Text()
	}
	return report.Summary(r.View, r.Plan)
}

// Shown returns a copy of the report that names files as show does. A stored answer stays as it is.
func (r *Report) Shown(show func(path string) string) *Report {
	out := *r
	if r.Plan != nil {
		out.Plan = r.Plan.Shown(show)
	}
	return &out
}

// Merge returns the report of both commits, next after r. A stored answer in next is the answer of the whole call.
func (r *Report) Merge(next *Report) *Report {
	if next.Stored != nil {
		return next // the same call was finished elsewhere
	}
	out := &Report{View: r.View, Plan: &plan.Plan{Steps: slices.Concat(r.Plan.Steps, next.Plan.Steps),
		Skipped: slices.Concat(r.Plan.Skipped, next.Plan.Skipped), Passed: slices.Concat(r.Plan.Passed, next.Plan.Passed)}}
	out.Done.Add(r.Done)
	out.Done.Add(next.Done)
	out.View.Done = &out.Done
	return out
}

// alreadyApplied returns the report of section i of a patch, which r says was committed under the same key before.
func (r *Report) alreadyApplied(view report.View, i int) *Report {
	note := fmt.Sprintf("Section %d had been applied before, under the same key.", i+1)
	return &Report{View: view, Plan: &plan.Plan{}, Done: report.Done{Tx: r.Done.Tx, Log: r.Done.Log, Notes: []string{note}}}
}

func (r *Report) firstStep() *plan.Step { return &r.Plan.Steps[0] }

func (r *Report) firstDiff() string { return r.View.Diffs.Step(r.Plan, 0) }

func (r *Report) firstTrashed() string {
	if len(r.Done.Trashed) == 0 {
		return ""
	}
	return r.Done.Trashed[0]
}
