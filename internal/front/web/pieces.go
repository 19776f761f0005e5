package web

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
)

// piece is a hunk of a change, or all that the change did to a file, and what can be done about it.
type piece struct {
	N      int    // the number of the hunk; 0 for the whole file
	Undo   string // the page that takes it back; "" if that cannot be done
	By     string // the undo that took it back; "" for none
	ByHref string
}

// pieces returns the pieces of a file of an entry: first the whole file, then its hunks, if it has several. There are none if the entry
// changed nothing, or was taken back.
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
	if entry == "" || path == "" {
		return &fail.Error{Kind: fail.NotFound, Msg: "nothing is named that is to be taken back", Hint: "Open a change, and take back a file or a hunk there."}
	}
	r.describeEntry(p, entry)
	what := path
	if hunks := args["hunks"]; len(hunks) == 1 {
		what = fmt.Sprintf("hunk %s of %s", hunks[0], path)
	}
	p.Title, p.Cancel = "Undo "+what, r.ws.EntryPage(entry)
	o, err := r.dryRun("undo_pieces", args)
	if err != nil {
		return err
	}
	if r.previewChanges(p, o); p.Obstacles != nil {
		r.linkBlockingChanges(p, entry)
		r.linkHistories(p)
	}
	return nil
}
