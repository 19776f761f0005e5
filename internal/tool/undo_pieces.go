package tool

import (
	"context"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// undoPiecesRequest asks to undo what an entry did to a file, or some hunks of it.
type undoPiecesRequest struct {
	Entry  string `json:"entry" jsonschema:"the entry"`
	Path   string `json:"path" jsonschema:"a file that it changed"`
	Hunks  []int  `json:"hunks,omitempty" jsonschema:"hunks of its diff, numbered from 1; none for all"`
	DryRun bool   `json:"dryRun,omitempty" jsonschema:"only say what would be done"`
}

var undoPieces = define(Tool{
	Name:       "undo_pieces",
	Title:      "Undo a file or hunks",
	Doc:        "Take back what an entry did to one file, or some hunks of it. Refuses when a later edit is in the way.",
	Example:    `{"entry":"20260131-120102-abcdefghij","path":"main.go","hunks":[2,3],"dryRun":true}`,
	Op:         patch.Update,
	PersonOnly: true, Mutates: true, Destructive: true, Idempotent: true,
	data: report.Data{},
}, func(ws *emend.Workspace, ctx context.Context, r undoPiecesRequest) (*emend.Report, error) {
	return ws.Undo(ctx, api.UndoRequest{Entry: r.Entry, DryRun: r.DryRun, Pieces: []api.UndoPiece{{Path: r.Path, Hunks: r.Hunks}}})
})
