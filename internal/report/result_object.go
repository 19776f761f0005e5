package report

import (
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
)

// Object is the result of the dialects whose results are JSON.
type Object struct {
	Ok     bool     `json:"ok"`
	Output string   `json:"output"`
	Data   any      `json:"data,omitempty"`
	Error  *Failure `json:"error,omitempty"`
	Meta   *Meta    `json:"_meta,omitempty"`

	brief string // the output without what files have, and without diffs
}

// Brief returns the object for a reader to whom the text is given too. What a refusal shows of files is in the details, and the
// diffs of a dry run are in the data: they are not in the output as well.
func (o *Object) Brief() *Object {
	if o.brief == "" {
		return o
	}
	out := *o
	out.Output = o.brief
	return &out
}

// Shown returns the result as a model is shown it, as JSON: what the output of a refusal says is not in the details as well.
func (o *Object) Shown() Result {
	out := *o
	out.Error = o.Error.shown()
	return &out
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

// ChangedFile is the effect of one section.
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

// Hunk is where a hunk was placed and how it matched.
type Hunk struct {
	Line   int    `json:"line"`
	Rung   string `json:"rung"`
	Others int    `json:"others"`

	AlreadyApplied bool `json:"alreadyApplied,omitempty"` // it was skipped, and line is where its outcome begins

	Corrected string `json:"corrected,omitempty"` // how the hunk, which the file's own lines corrected, differed from the file
	Merged    string `json:"merged,omitempty"`    // the version that the hunk matched, and what changed in the file since
}

func newObject(v View, p *plan.Plan, err error) *Object {
	if err != nil {
		all := fail.All(err)
		o := &Object{Output: RefusalText(v, all), brief: refusalText(v, all, 0), Error: firstFailure(v, err), Meta: v.commitMeta()}
		if v.Partial != nil {
			o.Data = newData(v, v.Partial)
		}
		return o
	}
	o := &Object{Ok: true, Output: objectText(v, p, maxDiffs), Data: newData(v, p), Meta: v.commitMeta()}
	if v.DryRun {
		o.brief = objectText(v, p, 0)
	}
	return o
}

func newData(v View, p *plan.Plan) *Data {
	d := &Data{Atomic: v.Atomic, DryRun: v.DryRun, HunkCount: p.HunkCount(), ChangedFiles: []ChangedFile{}, Passed: slices.Concat(v.Passed, p.Passed)}
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
		f.Hunks = placedHunks(s)
	}
	return f
}

func placedHunks(s *plan.Step) []Hunk {
	var out []Hunk
	for _, h := range s.Hunks {
		out = append(out, Hunk{Line: h.Line, Rung: h.Rung.String(), Others: h.Others, AlreadyApplied: h.Skipped, Corrected: h.Corrected, Merged: h.Merged})
	}
	return out
}
