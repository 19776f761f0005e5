package report

import (
	"strings"

	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/plan"
)

// PlanDiffs makes the diffs of a plan's steps once and in the background. The history keeps them, and the result
// shows them. A nil *PlanDiffs makes each diff on demand.
type PlanDiffs struct {
	plan     *plan.Plan
	diffs    []string
	done     chan struct{}
	panicked *panics.Value // raised again in the caller of Step or String
}

// StartDiffs starts to make the diffs of a plan.
func StartDiffs(p *plan.Plan) *PlanDiffs {
	d := &PlanDiffs{plan: p, diffs: make([]string, len(p.Steps)), done: make(chan struct{})}
	go func() {
		defer func() {
			d.panicked = panics.Recovered(recover())
			close(d.done)
		}()
		for i := range p.Steps {
			d.diffs[i] = Diff(&p.Steps[i])
		}
	}()
	return d
}

// Step returns the diff of a step of p.
func (d *PlanDiffs) Step(p *plan.Plan, i int) string {
	if d == nil || d.plan != p {
		return Diff(&p.Steps[i])
	}
	return d.wait()[i]
}

// String returns the whole plan as one unified diff in git's form.
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
