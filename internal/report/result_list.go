package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/patch"
)

// ListResult is the result of the dialect whose result lists its files.
type ListResult struct {
	Ok       bool         `json:"ok"`
	Results  []ListedFile `json:"results"`
	Modified int          `json:"files_modified"`
	Added    int          `json:"files_added"`
	Deleted  int          `json:"files_deleted"`
	Error    string       `json:"error,omitempty"`
	Meta     *Meta        `json:"_meta,omitempty"`

	text string
}

// ListedFile is one file of a ListResult.
type ListedFile struct {
	File      string `json:"file"`
	Operation string `json:"operation"`
	Ok        bool   `json:"ok"`
	Error     string `json:"error,omitempty"`
}

// Shown returns the result as a model is shown it, as JSON: what the errors of a refusal say is not in _meta as well.
func (r *ListResult) Shown() Result {
	if r.Meta == nil || r.Meta.Error == nil {
		return r
	}
	out, meta := *r, *r.Meta
	meta.Error, out.Meta = nil, &meta
	return &out
}

// OK implements Result.
func (r *ListResult) OK() bool { return r.Ok }

// Text implements Result.
func (r *ListResult) Text() string { return r.text }

func newListResult(v View, p *plan.Plan, err error) *ListResult {
	r := &ListResult{Ok: err == nil, Results: []ListedFile{}}
	if err != nil {
		return r.refused(v, fail.All(err))
	}
	r.count(v, p)
	r.Meta = newMeta(v, p)
	r.text = strings.TrimSuffix(fmt.Sprintf("%d modified, %d added, %d deleted.\n%s", r.Modified, r.Added, r.Deleted, r.text), "\n")
	for _, n := range slices.Concat(placementNotes(p), skippedNotes(p), v.notes()) {
		r.text += "\nNote: " + n
	}
	return r
}

// count adds the steps of a plan.
func (r *ListResult) count(v View, p *plan.Plan) {
	for i, s := range p.Steps {
		r.Results = append(r.Results, ListedFile{File: v.Patch.Sections[s.Section].Path, Operation: s.Op.String(), Ok: true})
		switch s.Op {
		case patch.Add:
			r.Added++
		case patch.Delete:
			r.Deleted++
		default:
			r.Modified++
		}
		r.text += stepLine(&p.Steps[i]) + "\n"
	}
}

func (r *ListResult) refused(v View, all fail.List) *ListResult {
	words := v.Dialect.Words
	r.Meta = v.commitMeta()
	if v.Partial != nil {
		r.count(v, v.Partial)
		r.Meta = newMeta(v, v.Partial)
	}
	var shown strings.Builder
	x := excerpts{v.Reader, maxExcerpts}
	for _, e := range all {
		if op := opOf(v.Patch, e); op != 0 {
			excerpt := x.excerpt(e)
			shown.WriteString(excerpt)
			r.Results = append(r.Results, ListedFile{File: fail.Short(v.Patch.Sections[e.Section-1].Path), Operation: op.String(), Error: words.Each(e, op) + excerpt})
		}
	}
	r.Error = words.Refusal(all[0], opOf(v.Patch, all[0]))
	r.text = r.Error + shown.String() + alreadyAppliedNote(all) + appliedBefore(v)
	if slices.ContainsFunc(all, func(e *fail.Error) bool { return e.Hunk > 0 }) {
		if r.Meta == nil {
			r.Meta = &Meta{}
		}
		r.Meta.DryRun, r.Meta.Error = v.DryRun, firstFailure(v, all) // with the place where the hunk nearly fits, and a hunk that would
	}
	return r
}
