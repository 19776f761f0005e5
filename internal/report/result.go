// Package report words a plan, or the refusal of one, for machines, for agents and for people. It decides nothing
// and does no I/O.
package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
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
	Reads    bool       // of a refusal: the call would have changed nothing
	Diffs    *Diffs     // of the plan, where they were made already
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
func Of(v View, p *plan.Plan, err error) Result {
	shape := dialect.Object
	if v.Dialect != nil {
		shape = v.Dialect.Words.Shape
	}
	switch shape {
	case dialect.Results:
		return results(v, p, err)
	case dialect.Text:
		return worded(v, p, err)
	}
	return object(v, p, err)
}

// Object is the result of the dialects whose results are told in JSON.
type Object struct {
	Ok     bool     `json:"ok"`
	Output string   `json:"output"`
	Data   any      `json:"data,omitempty"`
	Error  *Failure `json:"error,omitempty"`
	Meta   *Meta    `json:"_meta,omitempty"`
}

// OK implements Result.
func (o *Object) OK() bool { return o.Ok }

// Text implements Result.
func (o *Object) Text() string { return o.Output }

// Data is what was changed, or would be.
type Data struct {
	Atomic       bool          `json:"atomic"`
	DryRun       bool          `json:"dryRun,omitempty"`
	HunkCount    int           `json:"hunkCount"`
	ChangedFiles []ChangedFile `json:"changedFiles"`
	Dialect      string        `json:"dialect,omitempty"`
	Passed       []string      `json:"passed,omitempty"`

	AlreadyApplied bool      `json:"alreadyApplied,omitempty"` // nothing was left to do
	Skipped        []Skipped `json:"skipped,omitempty"`        // what was already applied
}

// ChangedFile is one section's effect.
type ChangedFile struct {
	Path         string `json:"path"`
	Operation    string `json:"operation"`
	ToPath       string `json:"toPath,omitempty"`
	BeforeSha256 string `json:"beforeSha256,omitempty"`
	AfterSha256  string `json:"afterSha256,omitempty"`
	Diff         string `json:"diff"`
	TrashedTo    string `json:"trashedTo,omitempty"`
	Hunks        []Hunk `json:"hunks,omitempty"`
}

// Hunk is where a hunk landed and how.
type Hunk struct {
	Line   int    `json:"line"`
	Rung   string `json:"rung"`
	Others int    `json:"others"`

	AlreadyApplied bool `json:"alreadyApplied,omitempty"` // it was skipped; line is where its outcome begins
}

func object(v View, p *plan.Plan, err error) *Object {
	if err != nil {
		o := &Object{Output: Refused(v, fail.All(err)), Error: failure(err), Meta: v.meta()}
		if v.Partial != nil {
			o.Data = data(v, v.Partial)
		}
		return o
	}
	return &Object{Ok: true, Output: said(v, p), Data: data(v, p), Meta: v.meta()}
}

func data(v View, p *plan.Plan) *Data {
	d := &Data{Atomic: v.Atomic, DryRun: v.DryRun, HunkCount: p.HunkCount(), ChangedFiles: []ChangedFile{}, Passed: v.Passed}
	hunks := v.Dialect == nil || v.Dialect.Words.Hunks
	if hunks && v.Dialect != nil {
		d.Dialect = v.Dialect.Name
	}
	for i := range p.Steps {
		f := changedFile(&p.Steps[i], v.Diffs.Step(p, i), hunks)
		f.TrashedTo = v.Done.trashed(i)
		d.ChangedFiles = append(d.ChangedFiles, f)
	}
	d.AlreadyApplied, d.Skipped = p.Applied(), skipped(p)
	return d
}

func changedFile(s *plan.Step, diff string, hunks bool) ChangedFile {
	f := ChangedFile{Path: s.Path, Operation: s.Op.String(), ToPath: s.To, BeforeSha256: s.BeforeSum, AfterSha256: s.AfterSum, Diff: diff}
	if hunks {
		f.Hunks = placed(s)
	}
	return f
}

func placed(s *plan.Step) []Hunk {
	var out []Hunk
	for _, h := range s.Hunks {
		out = append(out, Hunk{Line: h.Line, Rung: h.Rung.String(), Others: h.Others, AlreadyApplied: h.Skipped})
	}
	return out
}

// said is the output of a plan that stands.
func said(v View, p *plan.Plan) string {
	var out strings.Builder
	out.WriteString(Summary(v, p))
	for _, note := range slices.Concat(notes(p), AlreadyApplied(p), v.Passed, v.notes()) {
		out.WriteString("\nNote: " + note)
	}
	return out.String()
}

// Summary says how many files and hunks, and names the files.
func Summary(v View, p *plan.Plan) string {
	var b strings.Builder
	did, how := "Applied", "atomic"
	if v.DryRun {
		did = "Would apply"
	}
	if !v.Atomic {
		how = "sequential"
	}
	switch {
	case v.Undoes != nil:
		b.WriteString(tookBack(v, p))
	case v.PutsBack != "":
		b.WriteString(didOr(v, "Put back", "Would put back") + fmt.Sprintf(" the version %s (atomic): %d file(s).", Escape(v.PutsBack), len(p.Steps)))
	case p.Applied():
		b.WriteString(nothing)
	default:
		fmt.Fprintf(&b, "%s patch (%s): %d file(s), %d hunk(s).", did, how, len(p.Steps), p.HunkCount())
	}
	for i := range p.Steps {
		b.WriteString("\n  " + line(&p.Steps[i]))
	}
	return b.String()
}

// tookBack is the first line of an undo.
func tookBack(v View, p *plan.Plan) string {
	did := didOr(v, "Took back", "Would take back")
	what := fmt.Sprintf("%d changes", len(v.Undoes))
	if len(v.Undoes) == 1 {
		what = v.Undoes[0]
	}
	return fmt.Sprintf("%s %s (atomic): %d file(s).", did, what, len(p.Steps))
}

func didOr(v View, did, would string) string {
	if v.DryRun {
		return would
	}
	return did
}

// line is a step in one line.
func line(s *plan.Step) string {
	switch s.Op {
	case patch.Add:
		return "A " + Escape(s.Path)
	case patch.Delete:
		return "D " + Escape(s.Path)
	case patch.Move:
		return "R " + Escape(s.Path) + " -> " + Escape(s.To)
	}
	return "M " + Escape(s.Path)
}

// notes says of every hunk that matched on a tolerant rung, or had other places, that it did.
func notes(p *plan.Plan) []string {
	var out []string
	for i := range p.Steps {
		s := &p.Steps[i]
		for k, h := range s.Hunks {
			if h.Rung != patch.Exact || h.Others > 0 {
				out = append(out, fmt.Sprintf("%s: hunk %d is at line %d, %s.", Escape(s.Path), k+1, h.Line, How(h)))
			}
		}
	}
	return out
}

// How says how a hunk matched, in words.
func How(h plan.Placed) string {
	out := map[patch.Rung]string{
		patch.Exact: "exact", patch.Trailing: "white space at line ends ignored", patch.Whitespace: "indentation ignored",
		patch.Composed: "indentation and Unicode normal form ignored", patch.Unicode: "indentation and typography ignored",
	}[h.Rung]
	switch h.Others {
	case 0:
	case 1:
		out += "; 1 other place would have matched"
	default:
		out += fmt.Sprintf("; %d other places would have matched", h.Others)
	}
	return out
}

func changes(p *plan.Plan) []patch.Change {
	var out []patch.Change
	for _, s := range p.Steps {
		out = append(out, patch.Change{Op: s.Op, Writes: s.Writes})
	}
	return out
}
