package cli

import (
	"context"
	"time"

	"github.com/emend-dev/emend/internal/tool"
	"github.com/spf13/cobra"
)

func (a *app) recoverVerb() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "recover",
		Short: "Finish, or roll back, what an interrupted emend left",
		Long: `recover finishes the patch that a crash, a kill or a power cut interrupted, or rolls
it back, and says what it did. Every emend does the same when it opens the
workspace; this verb waits for others to finish, and shows the result. It may be
run at any time and as often as you like. Files that somebody changed since are
never overwritten.`,
		Example: "  emend recover\n  emend -C some/tree recover --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runRecover(cmd.Context(), timeout) },
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 30*time.Second, "how long to wait for whoever has the lock")
	return cmd
}

func (a *app) runRecover(ctx context.Context, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	a.hideRecovery = true // the result has what opening recovered
	ws, err := a.open()
	if err != nil {
		return err
	}
	defer ws.Close()
	first, _ := ws.Host().Recovered()
	r, err := ws.Recover(ctx)
	if err != nil {
		return err
	}
	a.done = true
	if r.Nothing() && first != nil {
		r = first
	}
	return a.printValue(r, tool.RecoveryText(r))
}
