package cli

import (
	"context"
	"slices"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/spf13/cobra"
)

func (a *app) redo() *cobra.Command {
	var r api.UndoRequest
	var allow []string
	cmd := &cobra.Command{
		Use:   "redo",
		Short: "Redo what the last undo reverted",
		Long: `redo reverses the last undo of the command line; run again, the undo before that. Like
undo it is a change of its own in the log, and is refused if a later edit conflicts. To
redo what an agent undid, undo the entry of its undo: emend undo ENTRY.`,
		Example: "  emend redo --dry-run\n  emend redo",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withWorkspace(cmd, "undo", allow, func(ctx context.Context, ws *emend.Workspace) error {
				entry, err := lastUndo(ctx, ws)
				if err != nil {
					return err
				}
				r.Entry = entry
				return a.runUndo(ctx, ws, r)
			})
		},
	}
	cmd.Flags().BoolVarP(&r.DryRun, "dry-run", "n", false, "print what would be done, and write nothing")
	keyFlag(cmd.Flags(), &r.IdempotencyKey)
	allowFlag(cmd.Flags(), &allow)
	return cmd
}

// lastUndo returns the newest undo of the command line that is in effect and took back a change. An undo that took back another undo is
// a redo, and is left alone.
func lastUndo(ctx context.Context, ws *emend.Workspace) (string, error) {
	r := api.TimelineRequest{Client: api.CommandLine, Tool: "undo"}
	for {
		page, err := ws.Timeline(ctx, r)
		if err != nil {
			return "", err
		}
		for _, c := range page.Calls {
			if c.Kind != "undo" || c.SessionID != "" || c.Outcome != api.Done && c.Outcome != api.Recovered {
				continue
			}
			if is, err := tookBackChange(ctx, ws, c.Undoes); err != nil || is {
				return c.Entry, err
			}
		}
		if r.Before = page.Next; r.Before == 0 {
			return "", &fail.Error{Kind: fail.NotFound, Msg: "there is no undo of the command line to redo",
				Hint: "To redo what somebody else undid, undo that entry: ‹undo› ENTRY. ‹history› lists the entries."}
		}
	}
}

// tookBackChange reports whether one of the entries that an undo took back is a change, not an undo itself.
func tookBackChange(ctx context.Context, ws *emend.Workspace, undone []string) (bool, error) {
	for _, entry := range slices.Backward(undone) {
		e, err := ws.Show(ctx, entry)
		if err != nil || e.Data.Kind != "undo" {
			return err == nil, err
		}
	}
	return false, nil
}
