// Package report words a plan, or the refusal of one, for machines, for agents and for people. It decides nothing
// and does no I/O.
package report

import (
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/patch"
)

// View is what a report needs to know beside the outcome.
type View struct {
	Dialect  *dialect.Dialect // nil when no dialect claimed the text
	Patch    patch.Patch      // as far as it was read
	Passed   []string         // what lenient reading let pass
	DryRun   bool
	Atomic   bool
	Done     *Done      // what the commit did; nil for a plan
	Partial  *plan.Plan // of a refusal: the sections that were applied before it, and stay
	Undoes   []string   // the changes that are taken back, where the call is no patch
	PutsBack string     // the version that is put back, where the call is no patch
	Notes    []string   // of a plan: what will happen when it is committed, one sentence each
	ReadOnly bool       // of a refusal: the call would have changed nothing
	Diffs    *PlanDiffs // of the plan, where they were made already
}

// Head is the newest record of the log: its number and its hash.
type Head struct {
	Seq uint64 `json:"seq"`
	H   string `json:"h"`
}

// Done is what a commit says beside the plan that it made true.
type Done struct {
	Tx      string
	Log     Head
	Trashed []string // for each step, the name under which what it deleted or overwrote is kept
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

// Result is an outcome in the shape of its dialect. It is encoded as JSON as it is.
type Result = api.Result

// Of words an outcome: a plan, or the error that there is instead.
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
