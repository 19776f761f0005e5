// Package report words a plan, or its refusal, for programs, agents and people. It decides nothing and does no I/O.
package report

import (
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/hint"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/patch"
)

// View is what a report must know in addition to the plan or the error.
type View struct {
	Dialect     *dialect.Dialect // nil if no dialect claimed the text
	Patch       patch.Patch      // as far as it was parsed
	Passed      []string         // what lenient parsing accepted
	DryRun      bool
	Atomic      bool
	Done        *Done       // the commit; nil for a plan
	Partial     *plan.Plan  // of a refusal: the sections that were applied before it and stay
	Undoes      []string    // the changes that the call undoes; nil if it is no undo
	UndoneParts []string    // of an undo: what it takes back of changes that it does not take back entirely
	Stays       fail.List   // of an undo: what it leaves because it conflicts with later changes
	PutsBack    string      // the version that the call puts back; "" if it puts none back
	Notes       []string    // of a plan: what its commit will do, one sentence each
	ReadOnly    bool        // of a refusal: the call would have changed nothing
	Reader      hint.Reader // of a refusal
	Diffs       *PlanDiffs  // of the plan; nil if they were not started
}

// Head is the newest record of the log: its number and its hash.
type Head struct {
	Seq uint64 `json:"seq"`
	H   string `json:"h"`
}

// Done is the outcome of a commit.
type Done struct {
	Tx      string
	Log     Head
	Trashed []string // for each step, the id of what it moved to the trash; "" for none
	Notes   []string // one sentence each
}

// Add appends the outcome of a later commit.
func (d *Done) Add(next Done) {
	d.Tx, d.Log = next.Tx, next.Log
	d.Trashed = append(d.Trashed, next.Trashed...)
	d.Notes = append(d.Notes, next.Notes...)
}

func (d *Done) trashed(step int) string {
	if d == nil || step >= len(d.Trashed) {
		return ""
	}
	return d.Trashed[step]
}

func (d *Done) notes() []string {
	if d == nil {
		return nil
	}
	return d.Notes
}

// Result is an outcome in the shape of its dialect. Its JSON form is part of the contract.
type Result = api.Result

// New makes the result of a plan, or of the error that there is instead.
func New(v View, p *plan.Plan, err error) Result {
	shape := dialect.Object
	if v.Dialect != nil {
		shape = v.Dialect.Words.Shape
	}
	switch shape {
	case dialect.Results:
		return newListResult(v, p, err)
	case dialect.Text:
		return newTextResult(v, p, err)
	}
	return newObject(v, p, err)
}
