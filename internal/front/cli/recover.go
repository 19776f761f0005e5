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
		Short: "Finish or roll back an interrupted change",
		Long: `recover finishes, or rolls back, a patch that a crash, a kill or a power cut
interrupted, and prints what it did. Every command does this when it opens the
workspace; recover also waits for other processes, and shows the result. It is safe to
run at any time. Files that somebody changed since are never overwritten.`,
		Example: "  emend recover\n  emend -C some/tree recover --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runRecover(cmd.Context(), timeout) },
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 30*time.Second, "how long to wait for the lock")
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
