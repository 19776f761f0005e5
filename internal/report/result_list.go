package report

import (
	"fmt"
	"path"
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
	var text strings.Builder
	fmt.Fprintf(&text, "%d modified, %d added, %d deleted.", r.Modified, r.Added, r.Deleted)
	for i := range p.Steps {
		text.WriteString("\n" + stepLine(&p.Steps[i]))
	}
	for _, n := range slices.Concat(placementNotes(p), skippedNotes(p), v.notes()) {
		text.WriteString("\nNote: " + n)
	}
	r.text = text.String()
	return r
}

// count adds the steps of a plan.
func (r *ListResult) count(v View, p *plan.Plan) {
	for _, s := range p.Steps {
		r.Results = append(r.Results, ListedFile{File: v.Patch.Sections[s.Section].Path, Operation: s.Op.String(), Ok: true})
		switch s.Op {
		case patch.Add:
			r.Added++
		case patch.Delete:
			r.Deleted++
		default:
			r.Modified++
		}
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
	files := r.listOnce(v.Patch)
	errors := make([]strings.Builder, len(r.Results)) // by file
	for _, e := range all {
		if i := sectionOf(v.Patch, e); i >= 0 {
			excerpt := x.excerpt(e)
			shown.WriteString(excerpt)
			errors[files[i]].WriteString("\n" + words.Each(e, v.Patch.Sections[i].Op) + excerpt)
		}
	}
	for i := range r.Results {
		if said := errors[i].String(); said != "" {
			r.Results[i].Ok, r.Results[i].Error = false, said[1:]
		}
		switch f := &r.Results[i]; {
		case f.Ok || f.Error != "":
		case all[0].Reason == fail.Indeterminate:
			f.Error = "It is undecided whether this is applied."
		default:
			f.Error = "Not changed."
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

// listOnce adds the files of a patch that are not listed yet, each once, and returns by section which file is its.
func (r *ListResult) listOnce(p patch.Patch) []int {
	at := map[string]int{} // by clean path
	for i := range r.Results {
		at[path.Clean(r.Results[i].File)] = i
	}
	out := make([]int, len(p.Sections))
	for i := range p.Sections {
		s := &p.Sections[i]
		n, listed := at[path.Clean(s.Path)]
		if !listed {
			n = len(r.Results)
			at[path.Clean(s.Path)] = n
			r.Results = append(r.Results, ListedFile{File: fail.Short(s.Path), Operation: s.Op.String()})
		}
		out[i] = n
	}
	return out
}

// sectionOf returns the section that e is about, from 0, or -1. A failure of a commit has only the path from the root, which
// ends in that of the section.
func sectionOf(p patch.Patch, e *fail.Error) int {
	if e.Section > 0 && e.Section <= len(p.Sections) {
		return e.Section - 1
	}
	return slices.IndexFunc(p.Sections, func(s patch.Section) bool {
		return e.Path != "" && strings.HasSuffix("/"+e.Path, "/"+path.Clean(s.Path))
	})
}
