package web

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
)

// piece is a hunk of a change, or all that the change did to a file, and what can be done about it.
type piece struct {
	N      int    // the number of the hunk; 0 for the whole file
	Undo   string // the page that undoes it; "" if that cannot be done
	By     string // the entry that undid it; "" for none
	ByHref string
}

// pieces returns the pieces of a file of an entry: first the whole file, then its hunks, if it has several. There are none if the entry
// changed nothing, or was undone.
func (r *request) pieces(d *api.EntryData, f *api.LogEntry) []piece {
	if !changesFiles(d) || !d.OK || d.UndoneBy != "" {
		return nil
	}
	taken := report.TakenHunks(f.UndoneParts)
	n := report.HunksOf(f.Operation, f.Diff)
	if n == 1 {
		n = 0
	}
	out := make([]piece, n+1)
	for i := range out {
		p := piece{N: i, By: cmp.Or(taken[0], taken[i])}
		switch {
		case p.By != "":
			p.ByHref = r.ws.EntryPage(p.By)
		case !r.site.ReadOnly:
			hunk := ""
			if i > 0 {
				hunk = strconv.Itoa(i)
			}
			p.Undo = r.ws.Confirm("undo_pieces", "entry", d.Entry, "path", f.Path, "hunks", hunk)
		}
		out[i] = p
	}
	return out
}

// Piece returns the hunk with a number, if there is something to say about it.
func (v *diffView) Piece(n int) *piece {
	if n < 1 || n >= len(v.Pieces) {
		return nil
	}
	return &v.Pieces[n]
}

// previewUndoPieces shows what an undo of a file, or of hunks, would do.
func (r *request) previewUndoPieces(p *confirmPage, args url.Values) error {
	entry, path := args.Get("entry"), args.Get("path")
	if entry == "" || path == "" && len(args["hunks"]) > 0 {
		return &fail.Error{Kind: fail.NotFound, Msg: "nothing is named to undo", Hint: "Open a change, and undo a file or a hunk there."}
	}
	r.describeEntry(p, entry)
	what, hunks := path, args["hunks"]
	switch {
	case len(hunks) == 0 && r.URL.Query().Has("selected"):
		return &fail.Error{Kind: fail.NotFound, Msg: "no hunk is selected", Hint: "Go back to the change, and select the hunks to undo."}
	case len(hunks) == 1:
		what = fmt.Sprintf("hunk %s of %s", hunks[0], path)
	case len(hunks) > 1:
		what = fmt.Sprintf("hunks %s and %s of %s", strings.Join(hunks[:len(hunks)-1], ", "), hunks[len(hunks)-1], path)
	}
	if path != "" {
		p.Title = "Undo " + what
	}
	p.Cancel = r.ws.EntryPage(entry)
	return r.previewUndoOf(p, "undo_pieces", args, entry)
}

// Selects reports whether the page offers to undo several hunks of the file at once.
func (v *diffView) Selects() bool {
	n := 0
	for _, p := range v.Pieces[min(1, len(v.Pieces)):] {
		if p.Undo != "" {
			n++
		}
	}
	return v.Form != "" && n > 1
}
