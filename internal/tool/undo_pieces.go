package tool

import (
	"context"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// undoPiecesRequest asks to undo what an entry did to a file, or some hunks of it, or as much of the entry as does not conflict.
type undoPiecesRequest struct {
	Entry         string `json:"entry" jsonschema:"the entry"`
	Path          string `json:"path,omitempty" jsonschema:"a file that it changed; none for all"`
	Hunks         []int  `json:"hunks,omitempty" jsonschema:"hunks of its diff, numbered from 1; none for all"`
	SkipConflicts bool   `json:"skipConflicts,omitempty" jsonschema:"leave what conflicts with later changes, and undo the rest"`
	DryRun        bool   `json:"dryRun,omitempty" jsonschema:"only say what would be done"`
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
	case r.Path != "":
		u.Pieces = []api.UndoPiece{{Path: r.Path, Hunks: r.Hunks}}
	case len(r.Hunks) > 0:
		return nil, badArguments("hunks are numbered for each file, and no path is given", "Send path.")
	}
	return ws.Undo(ctx, u)
})
