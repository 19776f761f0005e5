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
	Path   string // of the file
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
		p := piece{N: i, Path: f.Path, By: cmp.Or(taken[0], taken[i])}
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
	if entry == "" || path == "" && len(args["hunks"]) > 0 || r.URL.Query().Has("selected") && len(args["select"]) == 0 && path == "" {
		if r.URL.Query().Has("selected") {
			return &fail.Error{Kind: fail.NotFound, Msg: "nothing is selected", Hint: "Go back to the change, and select the hunks to undo."}
		}
		return &fail.Error{Kind: fail.NotFound, Msg: "nothing is named to undo", Hint: "Open a change, and undo a file or a hunk there."}
	}
	r.describeEntry(p, entry)
	hunks, several := args["hunks"], false
	for _, piece := range args["select"] {
		n, of, _ := strings.Cut(piece, ":")
		several = several || path != "" && path != of
		if path = of; n != "0" {
			hunks = append(hunks, n)
		}
	}
	switch {
	case several:
		p.Title = fmt.Sprintf("Undo %d selected pieces", len(args["select"]))
	case len(hunks) == 1:
		p.Title = fmt.Sprintf("Undo hunk %s of %s", hunks[0], path)
	case len(hunks) > 1:
		p.Title = fmt.Sprintf("Undo hunks %s and %s of %s", strings.Join(hunks[:len(hunks)-1], ", "), hunks[len(hunks)-1], path)
	case path != "":
		p.Title = "Undo " + path
	}
	p.Cancel = r.ws.EntryPage(entry)
	return r.previewUndoOf(p, "undo_pieces", args, entry)
}

// selects reports whether the page offers to undo several pieces at once: if there are several that can be undone.
func (p *changePage) selects() bool {
	n := 0
	for i := range p.Files {
		n += p.Files[i].selectable()
	}
	return n > 1
}

// selectable returns how many pieces of a file can be selected: its hunks, or the whole file if it has none.
func (f *entryFile) selectable() (n int) {
	pieces := f.pieces
	if len(pieces) > 1 {
		pieces = pieces[1:]
	}
	for _, p := range pieces {
		if p.Undo != "" {
			n++
		}
	}
	return n
}
