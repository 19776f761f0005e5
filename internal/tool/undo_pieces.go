package tool

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// undoPiecesRequest asks to undo what an entry did to a file, or some hunks of it, or as much of the entry as does not conflict.
type undoPiecesRequest struct {
	Entry         string   `json:"entry" jsonschema:"the entry"`
	Path          string   `json:"path,omitempty" jsonschema:"a file that it changed; none for all"`
	Hunks         []int    `json:"hunks,omitempty" jsonschema:"hunks of its diff, numbered from 1; none for all"`
	Select        []string `json:"select,omitempty" jsonschema:"pieces of several files, each a number of a hunk, a colon and a path; 0 for the whole file"`
	SkipConflicts bool     `json:"skipConflicts,omitempty" jsonschema:"leave what conflicts with later changes, and undo the rest"`
	DryRun        bool     `json:"dryRun,omitempty" jsonschema:"only say what would be done"`
}

var undoPieces = define(Tool{
	Name:       "undo_pieces",
	Title:      "Undo a file or hunks",
	Doc:        "Undo what an entry did to one file, or some hunks of it. Refuses when a later edit is in the way, unless skipConflicts is sent.",
	Example:    `{"entry":"20260131-120102-abcdefghij","path":"main.go","hunks":[2,3],"dryRun":true}`,
	Op:         patch.Update,
	PersonOnly: true, Mutates: true, Destructive: true, Idempotent: true,
	data: report.Data{},
}, func(ws *emend.Workspace, ctx context.Context, r undoPiecesRequest) (*emend.Report, error) {
	u := api.UndoRequest{Entry: r.Entry, DryRun: r.DryRun, SkipConflicts: r.SkipConflicts}
	switch {
	case len(r.Select) > 0 && (r.Path != "" || len(r.Hunks) > 0):
		return nil, badArguments("select names the pieces, and path and hunks do too", "Send one of them.")
	case len(r.Select) > 0:
		var err error
		if u.Pieces, err = selectedPieces(r.Select); err != nil {
			return nil, err
		}
	case r.Path != "":
		u.Pieces = []api.UndoPiece{{Path: r.Path, Hunks: r.Hunks}}
	case len(r.Hunks) > 0:
		return nil, badArguments("hunks are numbered for each file, and no path is given", "Send path.")
	}
	return ws.Undo(ctx, u)
})

// selectedPieces reads pieces such as "2:src/cart.ts". The hunks of a file are one piece.
func selectedPieces(selected []string) (out []api.UndoPiece, err error) {
	at := map[string]int{}
	for _, text := range selected {
		number, path, ok := strings.Cut(text, ":")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n < 0 || path == "" {
			return nil, badArguments(fmt.Sprintf("select: %q is no piece", text), `Write the number of a hunk, a colon and the path, as "2:src/cart.ts".`)
		}
		i, known := at[path]
		if !known {
			i = len(out)
			at[path], out = i, append(out, api.UndoPiece{Path: path})
		}
		if n > 0 {
			out[i].Hunks = append(out[i].Hunks, n)
		}
	}
	return out, nil
}
