package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) freeze() *cobra.Command {
	return &cobra.Command{
		Use:   "freeze [REASON...]",
		Short: "Refuse every change until emend thaw",
		Long: `freeze refuses every change in this tree from now on, by agents, sessions, servers and
people. A change in progress is finished first. Refusals show REASON. Reading still
works. "emend thaw" ends the freeze.

It does not stop writes that bypass emend, such as those of a shell.`,
		Example: `  emend freeze "release in progress"
  emend thaw`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withWorkspace(cmd, "freeze", nil, func(ctx context.Context, ws *emend.Workspace) error {
				f, err := ws.Host().Freeze(ctx, api.FreezeRequest{Reason: strings.Join(args, " ")})
				if err != nil {
					return err
				}
				if a.json {
					return a.printJSON(f)
				}
				if !a.quiet {
					fmt.Fprintln(a.out, "Frozen: every change is refused. To let changes go on: emend thaw")
				}
				return nil
			})
		},
	}
}

func (a *app) thaw() *cobra.Command {
	return &cobra.Command{
		Use:   "thaw",
		Short: "Allow changes again after emend freeze",
		Long: `thaw ends "emend freeze". Refused changes are not made up for: their callers have to
try again.`,
		Example: `  emend thaw`,
		Args:    atMost(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withWorkspace(cmd, "thaw", nil, func(ctx context.Context, ws *emend.Workspace) error {
				was, err := ws.Host().Frozen()
				if err != nil {
					return err
				}
				if err := ws.Host().Thaw(ctx); err != nil {
					return err
				}
				switch {
				case a.json:
					return a.printJSON(struct {
						Was *api.Frozen `json:"was"`
					}{was})
				case a.quiet:
				case was == nil:
					fmt.Fprintln(a.out, "It was not frozen.")
				case was.Reason == "":
					fmt.Fprintln(a.out, "Changes can go on.")
				default:
					fmt.Fprintf(a.out, "Changes can go on. It was frozen since %s: %s\n", was.At.Local().Format("2006-01-02 15:04"), report.OneLine(was.Reason))
				}
				return nil
			})
		},
	}
}
