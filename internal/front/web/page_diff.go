package web

import (
	"strconv"
)

// moreDiff shows the rest of a long diff or file. It is a whole page, or with "part" in the query only the next rows, at most
// n of them.
func (r *request) moreDiff() (page, error) {
	q := r.URL.Query()
	v, next, err := r.requestedFile()
	if err != nil {
		return page{}, err
	}
	if v == nil {
		return notFoundPage("this change has no such file", "Go back to the change."), nil
	}
	part, n := q.Get("part") != "", v.File.Len(false)
	if part {
		n = nextRows
		if asked, err := strconv.Atoi(q.Get("n")); err == nil {
			n = min(max(asked, 0), nextRows)
		}
	}
	from, _ := strconv.Atoi(q.Get("from"))
	if !part {
		v.Selects = false // the form is on the page of the change
	}
	r.fillRows(v, max(from, 0), n, next)
	return page{Name: "rows", Title: v.Label(), Data: v, Fragment: part}, nil
}

// requestedFile returns the diff or the content that an address names, and the address of its rows.
func (r *request) requestedFile() (v *diffView, next string, err error) {
	q := r.URL.Query()
	file, err := strconv.Atoi(q.Get("file"))
	if err != nil {
		file = 0
	}
	switch entry := r.PathValue("entry"); entry {
	case "content":
		c, err := r.ws.Content(r.Context(), q.Get("id"))
		if err != nil {
			return nil, "", err
		}
		v = plainView(c)
		v.BackHref = r.ws.FilePage(c.Path)
		return v, r.contentAddress(c.ID), nil
	case "session":
		s := q.Get("session")
		all, err := r.ws.SessionChanges(r.Context(), s)
		if err != nil || file < 0 || file >= len(all.Files) {
			return nil, "", err
		}
		f := &all.Files[file]
		return &diffView{File: r.diffFile(f.Diff, r.textOfSession(f)), BackHref: r.ws.SessionPage(s), Anchor: lineAnchor(file)}, r.sessionDiffAddress(s, file), nil
	default:
		all, err := r.ws.Show(r.Context(), entry)
		if err != nil || file < 0 || file >= len(all.Data.Files) {
			return nil, "", err
		}
		f := &all.Data.Files[file]
		v := &diffView{File: r.diffFile(f.Diff, r.textOf(f)), BackHref: r.ws.EntryPage(entry), Anchor: lineAnchor(file), Pieces: r.pieces(&all.Data, f)}
		v.Selects = len(v.Pieces) > 2
		return v, r.entryDiffAddress(entry, file), nil
	}
}
