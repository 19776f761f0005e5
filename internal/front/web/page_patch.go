package web

import (
	"net/http"
	"strings"
)

// patch sends the diffs of an entry as one patch, in plain text. Of files that may not be read it has a note.
func (s *Site) patch(w http.ResponseWriter, r *request) {
	a, err := r.ws.Show(r.Context(), entryName(strings.TrimSuffix(r.PathValue("entry"), ".patch")))
	if err != nil {
		s.show(w, r, r.errorPageOf(err))
		return
	}
	var b strings.Builder
	for i := range a.Data.Files {
		f := &a.Data.Files[i]
		if b.WriteString(f.Diff); f.Diff == "" && f.Path != "" {
			b.WriteString("# no diff is shown of this file\n")
		}
	}
	if b.Len() == 0 {
		s.show(w, r, notFoundPage("this entry has no patch", "Go back to the change."))
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", "attachment") // a page would show marks that turn the order of reading
	w.Write([]byte(b.String()))                         //nolint:errcheck // the browser is gone
}
