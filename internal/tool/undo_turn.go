package tool

import (
	"context"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// undoTurnRequest asks to undo what came of one prompt, or a whole session.
type undoTurnRequest struct {
	SessionID     string `json:"sessionId" jsonschema:"the session that had the prompt"`
	Turn          string `json:"turn,omitempty" jsonschema:"the turn, as the log names it; none for the whole session"`
	SkipConflicts bool   `json:"skipConflicts,omitempty" jsonschema:"leave what conflicts with later changes, and undo the rest"`
	DryRun        bool   `json:"dryRun,omitempty" jsonschema:"only say what would be done"`
}

var undoTurn = define(Tool{
	Name:       "undo_turn",
	Title:      "Undo a turn",
	Doc:        "Undo what came of one prompt of a session. Refuses when a later edit is in the way, unless skipConflicts is sent.",
	Example:    `{"sessionId":"7f3a","turn":"0b9d4c1e","dryRun":true}`,
	Op:         patch.Update,
	PersonOnly: true, Mutates: true, Destructive: true, Idempotent: true,
	data: report.Data{},
}, func(ws *emend.Workspace, ctx context.Context, r undoTurnRequest) (*emend.Report, error) {
	return ws.Undo(ctx, api.UndoRequest{SessionID: r.SessionID, Turn: r.Turn, SkipConflicts: r.SkipConflicts, DryRun: r.DryRun})
})
