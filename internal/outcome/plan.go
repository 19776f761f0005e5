package outcome

import (
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Plan is what a patch would do. It is settled: nothing about it is decided later.
type Plan struct {
	View report.View
	Plan *plan.Plan
	Sums map[guard.Identity]string // of every file that was read
	Asks []api.AskedPath
	Of   *workspace.Workspace
}

// File is what would become of one file.
type File struct{ step *plan.Step }

// Refusal says why a patch cannot be applied: every failing section and hunk of it. errors.Is and errors.As look
// into each.
type Refusal struct {
	View report.View
	List fail.List
}

// Dialect is the name of the dialect that the patch was read in.
func (p *Plan) Dialect() string { return p.View.Dialect.Name }

// Passed names what lenient reading let pass, one sentence each.
func (p *Plan) Passed() []string { return p.View.Passed }

// Files is what would become of each file, in the order of the patch.
func (p *Plan) Files() []File {
	out := make([]File, len(p.Plan.Steps))
	for i := range p.Plan.Steps {
		out[i] = File{step: &p.Plan.Steps[i]}
	}
	return out
}

// Result words the plan as a preview.
func (p *Plan) Result() api.Result { return report.New(p.View, p.Plan, nil) }

// Summary says in a few lines what the plan would do.
func (p *Plan) Summary() string { return report.Summary(p.View, p.Plan) }

// AlreadyApplied reports whether there is nothing to do, since all of the patch is already applied (Options.Idempotent).
func (p *Plan) AlreadyApplied() bool { return p.Plan.Applied() }

// Skipped says what is left out since it is already applied, one sentence for a file.
func (p *Plan) Skipped() []string { return report.AlreadyApplied(p.Plan) }

// Op says what is done to the file.
func (f File) Op() patch.Op { return f.step.Op }

// Path is the file's path relative to the root, before the patch.
func (f File) Path() string { return f.step.Path }

// To is where a moved file goes, relative to the root.
func (f File) To() string { return f.step.To }

// Before and After are the contents; "" where there is no file.
func (f File) Before() string { return f.step.Before }

// After is the content afterwards.
func (f File) After() string { return f.step.After }

// Hunks says where each hunk landed.
func (f File) Hunks() []api.Placed { return f.step.Hunks }

// Diff is the change as a unified diff in git's form.
func (f File) Diff() string { return report.Diff(f.step) }

func (r *Refusal) Error() string { return r.List.Error() }

// Unwrap returns the failures.
func (r *Refusal) Unwrap() []error { return r.List.Unwrap() }

// Failures lists them, in the order of the patch.
func (r *Refusal) Failures() []*fail.Error { return r.List }

// Explain words the refusal for a person: every failure, what is really there, and the next step.
func (r *Refusal) Explain() string { return report.RefusalText(r.View, r.List) }

// Result words the refusal.
func (r *Refusal) Result() api.Result { return report.New(r.View, nil, r.List) }

// WithDialect is the refusal in the shape of a dialect, where it was made before anybody knew which.
func (r *Refusal) WithDialect(name string) *Refusal {
	d, ok := dialect.Named(name)
	if !ok || r.View.Dialect != nil {
		return r
	}
	out := *r
	out.View.Dialect = d
	return &out
}
