package report

import (
	"strings"

	"github.com/emend-dev/emend/internal/plan"
)

// Diffs are the diffs of a plan's steps, made once and beside whatever else happens: the history keeps them, and the
// result shows them. A nil Diffs makes each when it is asked for.
type Diffs struct {
	of     *plan.Plan
	all    []string
	done   chan struct{}
	failed any // what they panicked with: who asks for them gets it, and a server lives on
}

// DiffsOf begins to make them.
func DiffsOf(p *plan.Plan) *Diffs {
	d := &Diffs{of: p, all: make([]string, len(p.Steps)), done: make(chan struct{})}
	go func() {
		defer func() {
			d.failed = recover()
			close(d.done)
		}()
		for i := range p.Steps {
			d.all[i] = Diff(&p.Steps[i])
		}
	}()
	return d
}

// Step is the diff of a step of p.
func (d *Diffs) Step(p *plan.Plan, i int) string {
	if d == nil || d.of != p {
		return Diff(&p.Steps[i])
	}
	return d.wait()[i]
}

// String is all of the plan as one unified diff in git's form.
func (d *Diffs) String() string {
	return strings.Join(d.wait(), "")
}

func (d *Diffs) wait() []string {
	<-d.done
	if d.failed != nil {
		panic(d.failed)
	}
	return d.all
}
