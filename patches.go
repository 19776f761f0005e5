package emend

import (
	"context"
	"io"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/explain"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Plan is what a patch would do. It is settled: nothing about it is decided later.
type Plan struct {
	Dialect        string   // the name of the dialect that the patch was read in
	Passed         []string // what lenient reading accepted, one sentence each
	AlreadyApplied bool     // all of the patch is applied already: there is nothing to do (PatchOptions.Idempotent)
	Skipped        []string // what is left out because it is applied already, one sentence for a file

	plan *change.Plan
}

// Files lists what would become of each file, in the order of the patch.
func (p *Plan) Files() []File { return files(p.plan.Plan) }

// Result returns the plan as an agent gets it: a preview.
func (p *Plan) Result() api.Result { return report.New(p.plan.View, p.plan.Plan, nil) }

// Summary says in a few lines what the plan would do.
func (p *Plan) Summary() string { return report.Summary(p.plan.View, p.plan.Plan) }

// SummaryShown is Summary with other paths, for a person who does not stand at the root. show gets a path from the root.
func (p *Plan) SummaryShown(show func(path string) string) string {
	return report.Summary(p.plan.View, p.plan.Plan.Shown(show))
}

// File is what becomes of one file.
type File struct {
	Op            patch.Op
	Path          string       // relative to the root, before the patch
	To            string       // where a moved file goes, relative to the root
	Before, After string       // the contents; "" where there is no file
	Hunks         []api.Placed // where each hunk landed

	step *plan.Step
}

// Diff returns the change as a unified diff in git's form.
func (f File) Diff() string { return report.Diff(f.step) }

func files(p *plan.Plan) []File {
	out := make([]File, len(p.Steps))
	for i := range p.Steps {
		s := &p.Steps[i]
		out[i] = File{Op: s.Op, Path: s.Path, To: s.To, Before: s.Before, After: s.After, Hunks: s.Hunks, step: s}
	}
	return out
}

// Report is what a commit did.
type Report struct {
	Tx       string   // the transaction; the log and undo know it by this name. Of sections applied one by one it is the last
	Head     api.Head // the newest record of the log
	Notes    []string // what a person should know, one sentence each: which attributes of a file could not be kept, for example
	Repeated bool     // nothing was done now: a call with the same idempotency key had been committed before

	report *change.Report
}

// Files lists what became of each file, in the order of the patch. It is empty for a repeated call.
func (r *Report) Files() []File {
	if r.report.Plan == nil {
		return nil
	}
	return files(r.report.Plan)
}

// Trashed lists for each file of Files the id of what went to the trash; "" for nothing.
func (r *Report) Trashed() []string { return r.report.Done.Trashed }

// Undoes lists the entries that an undo took back, or would take back.
func (r *Report) Undoes() []string { return r.report.View.Undoes }

// Asks lists the paths about which a person has to be asked before this is done. Only the report of a dry run has them.
func (r *Report) Asks() []api.AskedPath { return r.report.Asks }

// Shown returns the report with other paths in its texts, for a person who does not stand at the root. show gets a path from the
// root. The diffs of Files stay as they are.
func (r *Report) Shown(show func(path string) string) *Report {
	return &Report{Tx: r.Tx, Head: r.Head, Notes: r.Notes, Repeated: r.Repeated, report: r.report.Shown(show)}
}

// Result returns the report as an agent gets it, in the shape of its dialect.
func (r *Report) Result() api.Result { return r.report.Result() }

// Summary says in a few lines what was done.
func (r *Report) Summary() string { return r.report.Summary() }

func reported(r *change.Report, err error) (*Report, error) {
	if err != nil {
		return nil, err
	}
	return &Report{Tx: r.Done.Tx, Head: api.Head(r.Done.Log), Notes: r.Done.Notes, Repeated: r.Stored != nil, report: r}, nil
}

// Refusal is the error of a call that was refused. It has every failing section and hunk of a patch. errors.Is and errors.As
// look into each failure.
type Refusal struct {
	Failures []*fail.Error // in the order of the patch

	refusal *report.Refusal
}

func (r *Refusal) Error() string { return r.refusal.Error() }

// Unwrap returns the failures.
func (r *Refusal) Unwrap() []error { return fail.List(r.Failures).Unwrap() }

// Explain words the refusal for a person: every failure, what is really there, and the next step.
func (r *Refusal) Explain() string { return r.refusal.Explain() }

// Result returns the refusal as an agent gets it.
func (r *Refusal) Result() api.Result { return r.refusal.Result() }

// WithDialect returns the refusal in the shape of a dialect, if it was made before the dialect was known.
func (r *Refusal) WithDialect(name string) *Refusal { return newRefusal(r.refusal.WithDialect(name)) }

// ToAgent returns the refusal in the words of an agent, which reads of arguments and tools where a person reads of flags and
// verbs. offers reports whether the agent has a tool with an argument; no tool means the one that it called, and no argument asks
// for the tool.
func (r *Refusal) ToAgent(offers func(tool, argument string) bool) *Refusal {
	return newRefusal(r.refusal.ToAgent(offers))
}

func newRefusal(r *report.Refusal) *Refusal { return &Refusal{Failures: r.Said(), refusal: r} }

// Plan reads text and the files that it names, and settles what it would do. It never writes. An error is a [*Refusal].
func (w *Workspace) Plan(ctx context.Context, text string, o api.PatchOptions) (*Plan, error) {
	p, err := call(ctx, w.s, change.Preview, change.Patch{Text: text, PatchOptions: o})
	if err != nil {
		return nil, err
	}
	return &Plan{Dialect: p.View.Dialect.Name, Passed: slices.Concat(p.View.Passed, p.Plan.Passed), AlreadyApplied: p.Plan.Applied(),
		Skipped: report.AlreadyApplied(p.Plan), plan: p}, nil
}

// Commit makes a plan true, entirely or not at all. It decides nothing: what the plan saw must still be so, or it refuses; a
// person whom the policy wants to be asked is asked now. An error is a [*Refusal], and the tree is as it was, unless its reason
// is [fail.Indeterminate]: then [Workspace.Recover] has to finish the change or take it back. The sections of a plan are
// committed together, whatever PatchOptions.Sequential said; [Workspace.Apply] commits them one by one.
func (w *Workspace) Commit(ctx context.Context, p *Plan) (*Report, error) {
	return reported(call(ctx, w.s, change.Commit, p.plan))
}

// Apply plans text and commits it. With PatchOptions.Sequential it does so section by section, each atomic, and stops at the
// first that fails: the [*Refusal] then lists what was done and stays. A call with an idempotency key that was committed before
// does nothing and returns the first answer. Refusals are noted in the log.
func (w *Workspace) Apply(ctx context.Context, text string, o api.PatchOptions) (*Report, error) {
	return reported(call(ctx, w.s, change.Apply, change.Patch{Text: text, PatchOptions: o}))
}

// Explanation shows each section of a patch with its verdict, and each hunk beside the place where it would land, or the nearest
// one.
type Explanation struct {
	Summary string // the verdict on the whole patch, one line

	e *explain.Explanation
}

// Explain says of every section and hunk of text what [Workspace.Plan] would make of it, even if others of them fail. It writes
// nothing, and nothing of it is on record. A text that is no patch is explained too; the error, a [*Refusal], is for what cannot
// be read. PatchOptions.Sequential has no meaning here: every section is planned as if those before it had been applied.
func (w *Workspace) Explain(ctx context.Context, text string, o api.PatchOptions) (*Explanation, error) {
	e, err := call(ctx, w.s, change.Explain, change.Patch{Text: text, PatchOptions: o})
	if err != nil {
		return nil, err
	}
	return &Explanation{Summary: e.Says, e: e}, nil
}

// ExplainIn is [Workspace.Explain] against files with these contents, by their paths, instead of those that stand there now. Whoever
// calls it has seen to it that they may be read.
func (h *Host) ExplainIn(ctx context.Context, text string, o api.PatchOptions, files map[string]string) (*Explanation, error) {
	e, err := call(ctx, h.s, func(ctx context.Context, ws *workspace.Workspace, p change.Patch) (*explain.Explanation, error) {
		return change.ExplainIn(ctx, ws, p, files)
	}, change.Patch{Text: text, PatchOptions: o})
	if err != nil {
		return nil, err
	}
	return &Explanation{Summary: e.Says, e: e}, nil
}

// WriteText writes the explanation for a terminal of so many columns; 0 stands for no terminal. Without color, carets below a
// line mark what differs.
func (e *Explanation) WriteText(w io.Writer, columns int, color bool) error {
	return e.e.WriteText(w, explain.Layout{Width: columns, Color: color})
}

// WriteHTML writes the explanation as one page.
func (e *Explanation) WriteHTML(w io.Writer) error { return e.e.WriteHTML(w) }

// Result returns the explanation as an agent gets it.
func (e *Explanation) Result() api.Result { return e.e.Result() }

// Err returns the refusal of the patch; nil if it would apply.
func (e *Explanation) Err() error { return e.e.Err() }

// Dialects lists the names of the dialects.
func Dialects() []string { return dialect.Names() }

// Make writes the patch for changes in the named dialect, with at least context lines around each change and as many more as
// every hunk needs to have exactly one place. Applying the patch to the old contents gives the new ones, byte for byte. What the
// dialect cannot say is refused, with the file and the line.
func Make(changes []api.Change, dialectName string, context int) (string, error) {
	text, err := change.Make(changes, dialectName, context)
	return text, refused(err)
}

// Convert reads a patch as o says and writes it in the dialect to. It also returns what lenient reading accepted. It reads no
// file.
func Convert(text, to string, o api.PatchOptions) (out string, passed []string, err error) {
	out, passed, err = change.Convert(text, to, o)
	return out, passed, refused(err)
}
