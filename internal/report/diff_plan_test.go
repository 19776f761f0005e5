package report

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// TestDiffs checks that the diffs of the plan are reused, and those of another plan are made anew.
func TestDiffs(t *testing.T) {
	p := &plan.Plan{Steps: []plan.Step{{Op: patch.Add, Path: "a", After: "x\n"}, {Op: patch.Delete, Path: "b", Before: "y\n"}}}
	other := &plan.Plan{Steps: []plan.Step{{Op: patch.Add, Path: "c", After: "z\n"}}}
	d := StartDiffs(p)
	for i := range p.Steps {
		if got, want := d.Step(p, i), Diff(&p.Steps[i]); got != want {
			t.Errorf("step %d: %q, want %q", i, got, want)
		}
	}
	if got, want := d.String(), Diff(&p.Steps[0])+Diff(&p.Steps[1]); got != want {
		t.Errorf("all: %q, want %q", got, want)
	}
	for _, d := range []*PlanDiffs{d, nil} {
		if got, want := d.Step(other, 0), Diff(&other.Steps[0]); got != want {
			t.Errorf("of another plan: %q, want %q", got, want)
		}
	}
}

// TestDiffsPanic checks that a panic is raised where the diffs are used and nowhere else, also one in the half that
// is written in parallel.
func TestDiffsPanic(t *testing.T) {
	outside := []text.Change{{A0: 5, A1: 9}}
	d := StartDiffs(&plan.Plan{Steps: []plan.Step{{Op: patch.Update, Path: "a", Before: "x\n", After: "y\n", Edits: outside, Bytes: outside}}})
	mustPanic(t, "an edit that is not in the text", func() { _ = d.String() })

	var spans []byteSpan
	for i := range 1500 {
		spans = append(spans, byteSpan{20 * i, 20*i + 2, 20 * i, 20*i + 2})
	}
	text := strings.Repeat("x\n", 15000)
	mustPanic(t, "a span that is not in the text", func() { writeHunks(new(strings.Builder), text, text[:20000], spans) })
}

func mustPanic(t *testing.T, what string, do func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("there is a diff of %s", what)
		}
	}()
	do()
}
