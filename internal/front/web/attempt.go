package web

import (
	"fmt"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/explain"
	"github.com/emend-dev/emend/internal/report"
)

// attempt shows what a refused call attempted: each hunk beside the place in the file where it would go, or the nearest one.
type attempt struct {
	Summary string
	Then    bool // compared with the files as they were then, and not as they are now
	Unread  []explain.Excerpt
	Files   []attemptFile
}

type attemptFile struct {
	explain.File
	Did   string
	Hunks []attemptHunk // hides those of the file
}

type attemptHunk struct {
	explain.Hunk
	Views []attemptView // hides those of the hunk
}

type attemptView struct {
	Title string
	First int
	Rows  []attemptRow
}

// attemptRow is a line of the hunk beside a line of the file, with what differs marked.
type attemptRow struct {
	Pairing               explain.Pairing
	PatchParts, FileParts []explain.Part
	Line, Folded          int
}

// maxAttemptRows limits the rows of a page.
const maxAttemptRows = 2000

// fillAttempt explains the patch of a refused call by the files as they were then, or, if that is not kept, as they are now.
func (r *request) fillAttempt(p *changePage) {
	a := p.EntryData.Attempt
	if a == nil {
		return
	}
	o := api.PatchOptions{Dialect: a.Dialect, Lenient: a.Lenient, Base: a.Base, File: a.File}
	files, then := r.filesBefore(&p.EntryData)
	var e *emend.Explanation
	var err error
	if then = then && a.Base == ""; then {
		e, err = r.ws.Host().ExplainIn(r.Context(), a.Patch, o, files)
	} else {
		e, err = r.ws.Explain(r.Context(), a.Patch, o)
	}
	if err != nil {
		p.Notes = append(p.Notes, "The attempted changes cannot be shown: "+err.Error())
		return
	}
	if o, ok := e.Result().(*report.Object); ok {
		if x, ok := o.Data.(*explain.Explanation); ok {
			p.Attempt = newAttempt(x)
			p.Attempt.Then = then
		}
	}
}

// filesBefore returns the files that a refused call named as they were then, as far as the log tells. It reports false if a content is
// not kept.
func (r *request) filesBefore(d *api.EntryData) (map[string]string, bool) {
	out := map[string]string{}
	for i := range d.Files {
		for _, path := range []string{d.Files[i].Path, d.Files[i].ToPath} {
			if path == "" {
				continue
			}
			h, err := r.ws.FileHistory(r.Context(), path, manyVersions)
			if err != nil || h.Truncated {
				return nil, false
			}
			later := 0
			for n := range h.Versions {
				if h.Versions[n].Seq > d.Seq {
					later = n + 1
				}
			}
			if later == len(h.Versions) {
				if later == 0 && h.Exists {
					return nil, false // nothing on record: the file is what it is now
				}
				continue
			}
			v := &h.Versions[later]
			if v.Gone {
				continue
			}
			c, err := r.ws.Content(r.Context(), v.ID)
			if err != nil || c.Binary || c.Truncated || c.Link != "" {
				return nil, false
			}
			out[path] = c.Text
		}
	}
	return out, true
}

func newAttempt(e *explain.Explanation) *attempt {
	out, room := &attempt{Summary: attemptSummary(e), Unread: e.Unread}, maxAttemptRows
	for _, f := range e.Files {
		file := attemptFile{File: f, Did: f.Operation}
		if v, ok := operationVerbs[f.Operation]; ok {
			file.Did = v[1]
		}
		for _, h := range f.Hunks {
			hunk := attemptHunk{Hunk: h}
			for _, v := range h.Views {
				if room -= len(v.Rows); room >= 0 {
					hunk.Views = append(hunk.Views, newAttemptView(&v))
				}
			}
			file.Hunks = append(file.Hunks, hunk)
		}
		out.Files = append(out.Files, file)
	}
	return out
}

// attemptSummary says how many hunks would apply now.
func attemptSummary(e *explain.Explanation) string {
	applies, all := 0, 0
	for i := range e.Files {
		for _, h := range e.Files[i].Hunks {
			if all++; h.Verdict == explain.Lands {
				applies++
			}
		}
	}
	switch {
	case len(e.Files) == 0:
		return "The patch is invalid."
	case all == 0:
		return plural(len(e.Files), "file") + "."
	}
	return fmt.Sprintf("%d of %s would apply.", applies, plural(all, "hunk"))
}

// verdictText words a verdict.
func verdictText(v explain.Verdict) string {
	if v == explain.NotSought {
		return "not checked"
	}
	return v.Words()
}

func newAttemptView(v *explain.View) attemptView {
	out := attemptView{Title: v.Title, First: v.First}
	for i := range v.Rows {
		w := &v.Rows[i]
		row := attemptRow{Pairing: w.Pairing, Line: w.Line}
		switch w.Pairing {
		case explain.Folded:
			row.Folded = w.Lines
		case explain.Differs:
			mine, file := explain.Mark(w.Patch, w.File)
			row.PatchParts, row.FileParts = signed(w.Mark, mine), file
		case explain.Near, explain.FileOnly:
			row.FileParts = []explain.Part{{Text: w.File}}
		default:
			row.PatchParts = signed(w.Mark, []explain.Part{{Text: w.Patch}})
			if w.Line > 0 {
				row.FileParts = []explain.Part{{Text: w.File}}
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// signed puts the mark of a hunk's line before it.
func signed(mark string, parts []explain.Part) []explain.Part {
	return append([]explain.Part{{Text: mark + " "}}, parts...)
}
