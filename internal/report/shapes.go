package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/patch"
)

// Meta is what a dialect's own result has no room for.
type Meta struct {
	DryRun  bool       `json:"dryRun,omitempty"`
	Hunks   []FileHunk `json:"hunks,omitempty"`
	Error   *Failure   `json:"error,omitempty"` // where the result itself has words only
	Tx      string     `json:"tx,omitempty"`    // the transaction, for log, undo and restore
	Log     *Head      `json:"log,omitempty"`   // the newest record of the log
	Notes   []string   `json:"notes,omitempty"`
	Trashed []string   `json:"trashed,omitempty"` // where what was deleted or overwritten is kept
	Skipped []Skipped  `json:"skipped,omitempty"` // what was already applied
}

// meta is what every shape says of a commit; nil when there is nothing to say.
func (v View) meta() *Meta {
	switch {
	case v.Done != nil:
		return &Meta{Tx: v.Done.Tx, Log: &v.Done.Log, Notes: v.notes()}
	case len(v.Notes) > 0:
		return &Meta{Notes: v.Notes}
	}
	return nil
}

func (v View) notes() []string { return append(slices.Clip(v.Notes), v.Done.notes()...) }

// FileHunk is a hunk and the file it landed in.
type FileHunk struct {
	Path string `json:"path"`
	Hunk
}

func meta(v View, p *plan.Plan) *Meta {
	m := v.meta()
	if m == nil {
		m = &Meta{}
	}
	m.DryRun, m.Skipped = v.DryRun, skipped(p)
	for i := range p.Steps {
		if id := v.Done.trashed(i); id != "" {
			m.Trashed = append(m.Trashed, id)
		}
	}
	for i := range p.Steps {
		for _, h := range placed(&p.Steps[i]) {
			m.Hunks = append(m.Hunks, FileHunk{p.Steps[i].Path, h})
		}
	}
	return m
}

// Worded is the result of the dialects whose results are text.
type Worded struct {
	Ok     bool     `json:"ok"`
	Output string   `json:"output"`
	Error  *Failure `json:"error,omitempty"`
	Meta   *Meta    `json:"_meta,omitempty"`
}

// OK implements Result.
func (w *Worded) OK() bool { return w.Ok }

// Text implements Result.
func (w *Worded) Text() string { return w.Output }

// worded keeps to the dialect's words where every hunk was unique and exact; otherwise a line says so.
func worded(v View, p *plan.Plan, err error) *Worded {
	words := v.Dialect.Words
	if err != nil {
		all := fail.All(err)
		out := make([]string, len(all))
		for i, e := range all {
			out[i] = words.Refusal(e, opOf(v.Patch, e))
		}
		w := &Worded{Output: strings.Join(out, "\n") + applied(all) + stays(v), Error: failure(err), Meta: v.meta()}
		if v.Partial != nil {
			w.Meta = meta(v, v.Partial)
		}
		return w
	}
	var out strings.Builder
	out.WriteString(words.Success(changes(p)))
	for _, n := range slices.Concat(notes(p), leftOut(p), v.notes()) {
		out.WriteString("\nNote: " + n)
	}
	return &Worded{Ok: true, Output: out.String(), Meta: meta(v, p)}
}

// opOf is the operation of the section that e speaks of.
func opOf(p patch.Patch, e *fail.Error) patch.Op {
	if e.Section < 1 || e.Section > len(p.Sections) {
		return 0
	}
	return p.Sections[e.Section-1].Op
}

// Results is the result of the dialect whose result lists its files.
type Results struct {
	Ok       bool       `json:"ok"`
	Results  []FileDone `json:"results"`
	Modified int        `json:"files_modified"`
	Added    int        `json:"files_added"`
	Deleted  int        `json:"files_deleted"`
	Error    string     `json:"error,omitempty"`
	Meta     *Meta      `json:"_meta,omitempty"`

	text string
}

// FileDone is one entry of Results.
type FileDone struct {
	File      string `json:"file"`
	Operation string `json:"operation"`
	Ok        bool   `json:"ok"`
	Error     string `json:"error,omitempty"`
}

// OK implements Result.
func (r *Results) OK() bool { return r.Ok }

// Text implements Result.
func (r *Results) Text() string { return r.text }

func results(v View, p *plan.Plan, err error) *Results {
	r := &Results{Ok: err == nil, Results: []FileDone{}}
	if err != nil {
		return r.refused(v, fail.All(err))
	}
	r.count(v, p)
	r.Meta = meta(v, p)
	r.text = strings.TrimSuffix(fmt.Sprintf("%d modified, %d added, %d deleted.\n%s", r.Modified, r.Added, r.Deleted, r.text), "\n")
	for _, n := range slices.Concat(notes(p), leftOut(p), v.notes()) {
		r.text += "\nNote: " + n
	}
	return r
}

// count lists what was done.
func (r *Results) count(v View, p *plan.Plan) {
	for i, s := range p.Steps {
		r.Results = append(r.Results, FileDone{File: v.Patch.Sections[s.Section].Path, Operation: s.Op.String(), Ok: true})
		switch s.Op {
		case patch.Add:
			r.Added++
		case patch.Delete:
			r.Deleted++
		default:
			r.Modified++
		}
		r.text += line(&p.Steps[i]) + "\n"
	}
}

func (r *Results) refused(v View, all fail.List) *Results {
	words := v.Dialect.Words
	r.Meta = v.meta()
	if v.Partial != nil {
		r.count(v, v.Partial)
		r.Meta = meta(v, v.Partial)
	}
	for _, e := range all {
		op := opOf(v.Patch, e)
		if op != 0 {
			r.Results = append(r.Results, FileDone{File: fail.Short(v.Patch.Sections[e.Section-1].Path), Operation: op.String(), Error: words.Each(e, op)})
		}
	}
	r.Error = words.Refusal(all[0], opOf(v.Patch, all[0]))
	r.text = r.Error + applied(all) + stays(v)
	if slices.ContainsFunc(all, func(e *fail.Error) bool { return e.Hunk > 0 }) {
		if r.Meta == nil {
			r.Meta = &Meta{}
		}
		r.Meta.DryRun, r.Meta.Error = v.DryRun, failure(all) // where a hunk nearly fits, and what would
	}
	return r
}
