package report

import (
	"strings"

	"github.com/emend-dev/emend/internal/plan"
)

// Diffs are the diffs of a plan's steps, made once and beside whatever else happens: the history keeps them, and the
// result shows them. A nil Diffs makes each when it is asked for.
type PlanDiffs struct {
	plan     *plan.Plan
	diffs    []string
	done     chan struct{}
	panicked any // what they panicked with: who asks for them gets it, and a server lives on
}

// DiffsOf begins to make them.
func StartDiffs(p *plan.Plan) *PlanDiffs {
	d := &PlanDiffs{plan: p, diffs: make([]string, len(p.Steps)), done: make(chan struct{})}
	go func() {
		defer func() {
			d.panicked = recover()
			close(d.done)
		}()
		for i := range p.Steps {
			d.diffs[i] = Diff(&p.Steps[i])
		}
	}()
	return d
}

// Step is the diff of a step of p.
func (d *PlanDiffs) Step(p *plan.Plan, i int) string {
	if d == nil || d.plan != p {
		return Diff(&p.Steps[i])
	}
	return d.wait()[i]
}

// String is all of the plan as one unified diff in git's form.
func (d *PlanDiffs) String() string {
	return strings.Join(d.wait(), "")
}

func (d *PlanDiffs) wait() []string {
	<-d.done
	if d.panicked != nil {
		panic(d.panicked)
	}
	return d.diffs
}
