package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) mark() *cobra.Command {
	return &cobra.Command{
		Use:   "mark [NAME]",
		Short: "Name the current state, for emend undo --to",
		Long: `mark gives the current state a name. "emend undo --to NAME" undoes everything since.
If a name was used before, the newest mark counts. Without NAME, mark lists all marks,
the newest first.`,
		Example: `  emend mark before-refactoring
  emend mark
  emend undo --to before-refactoring --dry-run`,
		Args: atMost(0, "one NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withWorkspace(cmd, "mark", nil, func(ctx context.Context, ws *emend.Workspace) error {
				if len(args) == 0 {
					return a.listMarks(ctx, ws)
				}
				all, err := ws.Host().Marks(ctx)
				if err != nil {
					return err
				}
				m, err := ws.Host().Mark(ctx, api.MarkRequest{Name: args[0]})
				if err != nil {
					return err
				}
				if a.json {
					return a.printJSON(m)
				}
				if !a.quiet {
					if i := slices.IndexFunc(all, func(old api.Mark) bool { return old.Name == m.Name }); i >= 0 {
						fmt.Fprintf(a.out, "The mark of this name from %s no longer counts.\n", all[i].At.Local().Format(time.DateTime))
					}
					fmt.Fprintf(a.out, "Marked. To come back here: emend undo --to %s\n", report.OneLine(m.Name))
				}
				return nil
			})
		},
	}
}

func (a *app) listMarks(ctx context.Context, ws *emend.Workspace) error {
	all, err := ws.Host().Marks(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(struct {
			Marks []api.Mark `json:"marks"`
		}{append([]api.Mark{}, all...)})
	}
	if len(all) == 0 && !a.quiet {
		fmt.Fprintln(a.out, "No marks.")
	}
	for _, m := range all {
		fmt.Fprintf(a.out, "%s  %s\n", m.At.Local().Format("2006-01-02 15:04:05 -0700"), report.OneLine(m.Name))
	}
	return nil
}

func (a *app) completeMarks(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ws, err := a.open(emend.NoRecovery())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer ws.Close()
	all, _ := ws.Host().Marks(cmd.Context())
	var out []cobra.Completion
	for _, m := range all {
		out = append(out, m.Name)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
