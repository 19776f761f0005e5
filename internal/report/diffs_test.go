package report

import (
	"testing"

	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/patch"
)

// Diffs that were made once are those of the plan that they are of; of another plan each is made anew.
func TestDiffs(t *testing.T) {
	p := &plan.Plan{Steps: []plan.Step{{Op: patch.Add, Path: "a", After: "x\n"}, {Op: patch.Delete, Path: "b", Before: "y\n"}}}
	other := &plan.Plan{Steps: []plan.Step{{Op: patch.Add, Path: "c", After: "z\n"}}}
	d := DiffsOf(p)
	for i := range p.Steps {
		if got, want := d.Step(p, i), Diff(&p.Steps[i]); got != want {
			t.Errorf("step %d: %q, want %q", i, got, want)
		}
	}
	if got, want := d.String(), Diff(&p.Steps[0])+Diff(&p.Steps[1]); got != want {
		t.Errorf("all: %q, want %q", got, want)
	}
	for _, d := range []*Diffs{d, nil} {
		if got, want := d.Step(other, 0), Diff(&other.Steps[0]); got != want {
			t.Errorf("of another plan: %q, want %q", got, want)
		}
	}
}
