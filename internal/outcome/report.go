package outcome

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
)

// Report is what a commit did.
type Report struct {
	View   report.View
	Plan   *plan.Plan
	Done   report.Done
	Stored *report.StoredResult // the first answer, when the call was a repetition
}

// Result words the report in the shape of its dialect.
func (r *Report) Result() api.Result {
	if r.Stored != nil {
		return r.Stored
	}
	return report.New(r.View, r.Plan, nil)
}

// Summary says in a few lines what was done.
func (r *Report) Summary() string {
	if r.Stored != nil {
		return r.Stored.Text()
	}
	return report.Summary(r.View, r.Plan)
}

// Files is what became of each file, in the order of the patch. It is empty for a repeated call.
func (r *Report) Files() []File {
	if r.Plan == nil {
		return nil
	}
	return (&Plan{Plan: r.Plan}).Files()
}

// Tx names the transaction, by which the log and the history know it. Of sections applied one by one it is the last.
func (r *Report) Tx() string { return r.Done.Tx }

// Head is the newest record of the log.
func (r *Report) Head() api.Head { return api.Head(r.Done.Log) }

// Notes are what a person should know of the commit, one sentence each: what could not be kept of a file's
// attributes, for example.
func (r *Report) Notes() []string { return r.Done.Notes }

// Repeated reports whether nothing was done now, since a call with the same idempotency key had been committed before.
func (r *Report) Repeated() bool { return r.Stored != nil }

// And is the report of what both did.
func (r *Report) And(next *Report) *Report {
	if next.Stored != nil {
		return next // somebody else finished the same call meanwhile
	}
	out := &Report{View: r.View, Plan: &plan.Plan{Steps: slices.Concat(r.Plan.Steps, next.Plan.Steps),
		Skipped: slices.Concat(r.Plan.Skipped, next.Plan.Skipped)}}
	out.Done.Add(r.Done)
	out.Done.Add(next.Done)
	out.View.Done = &out.Done
	return out
}

// Section is what is said of a section that the same call, or its twin, had applied before.
func (r *Report) Section(view report.View, i int) *Report {
	note := fmt.Sprintf("Section %d had been applied before, under the same key.", i+1)
	return &Report{View: view, Plan: &plan.Plan{}, Done: report.Done{Tx: r.Done.Tx, Log: r.Done.Log, Notes: []string{note}}}
}

func (r *Report) Step() *plan.Step { return &r.Plan.Steps[0] }

func (r *Report) Diff() string { return r.View.Diffs.Step(r.Plan, 0) }

func (r *Report) TrashedTo() string {
	if len(r.Done.Trashed) == 0 {
		return ""
	}
	return r.Done.Trashed[0]
}
