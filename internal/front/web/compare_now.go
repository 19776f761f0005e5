package web

import (
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// compareNow returns the difference between a version of a file and the file as it is now, or why it cannot be shown.
func (r *request) compareNow(h *api.FileHistory, c *api.Content) (*diffView, string) {
	now, why := r.currentText(h)
	switch {
	case why != "":
		return nil, why
	case c.Binary || c.Link != "":
		return nil, "This version is not text."
	case c.Truncated:
		return nil, "This version is too long to compare here."
	case h.Exists && h.Sha256 == c.Sha256:
		return nil, "No differences: this is the current version."
	}
	s := plan.Step{Op: patch.Update, Path: h.Path, Before: c.Text, After: now, Edits: text.Between(c.Text, now)}
	if !h.Exists {
		s.Op, s.Edits = patch.Delete, nil
	}
	v, cut := r.previewDiff(report.Diff(&s))
	if cut > 0 {
		return v, plural(cut, "more line") + " are not shown here."
	}
	return v, ""
}

// currentText returns the text of the file as it is now.
func (r *request) currentText(h *api.FileHistory) (text, why string) {
	if !h.Exists {
		return "", ""
	}
	for i := range h.Versions {
		if v := &h.Versions[i]; v.Now && v.ID != "" {
			c, err := r.ws.Content(r.Context(), v.ID)
			switch {
			case err != nil:
				return "", "The current version cannot be shown: " + err.Error()
			case c.Binary || c.Link != "":
				return "", "The current version is not text."
			case c.Truncated:
				return "", "The current version is too long to compare here."
			}
			return c.Text, ""
		}
	}
	return r.readText(h.Path)
}

// readText reads the text of a file that was changed outside of emend.
func (r *request) readText(path string) (text, why string) {
	const most = 4 << 20
	a, err := r.ws.Read(r.Context(), api.ReadRequest{Path: path, MaxBytes: most})
	switch {
	case err != nil:
		return "", "The current version cannot be shown: " + err.Error()
	case a.Data.Binary:
		return "", "The current version is not text."
	case a.Data.Truncated:
		return "", "The current version is too long to compare here."
	}
	return a.Data.Content, ""
}
