package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) waiting() *cobra.Command {
	var follow, notify bool
	cmd := &cobra.Command{
		Use:   "waiting",
		Short: "List the calls that wait for your answer, and answer them",
		Long: `waiting lists agents' calls that a policy of "ask" holds: who asks, with which tool,
about which paths, and how much longer they wait. At a terminal it shows each call with
its diff, and takes your answer: y allows the call once, s allows everything that the
same rules ask about until the session ends, n denies it with a reason that the agent
reads, and Enter decides nothing.

An agent waits only while somebody is there to answer: at the page that emend ui shows,
or here, with --follow, which shows each call as it comes, until Ctrl-C; --notify also
sends a desktop notification. Without a terminal, --follow prints the calls, and allow
and deny answer them. The first answer counts.

Agents whose own program can ask you are not listed: that program asks you itself.`,
		Example: `  emend waiting
  emend waiting --follow --notify
  emend waiting show q7h2k3m4n5p6
  emend waiting allow q7h2k3m4n5p6
  emend waiting deny q7h2k3m4n5p6 --reason 'write a new migration instead'`,
		Args: onlySubcommands("waiting", "show, allow or deny"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case notify && !follow:
				return usageErrorf("waiting", "--notify goes with --follow")
			case follow:
				return a.followWaiting(cmd.Context(), notify)
			}
			return a.listWaiting(cmd.Context())
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "say that you are there, and show each call as it comes, until Ctrl-C")
	cmd.Flags().BoolVar(&notify, "notify", false, "with --follow: tell the desktop of each call, or ring the terminal's bell")
	cmd.AddCommand(a.waitingShow(), a.waitingAllow(), a.waitingDeny())
	return cmd
}

func (a *app) waitingShow() *cobra.Command {
	return &cobra.Command{
		Use:               "show ID",
		Short:             "Show a waiting call: who asks, and what it would change",
		Example:           "  emend waiting show q7h2k3m4n5p6",
		Args:              oneArgument("waiting show", "one ID, as emend waiting prints it"),
		ValidArgsFunction: a.completeWaitingIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			ws, err := a.open(emend.NoRecovery())
			if err != nil {
				return err
			}
			defer ws.Close()
			q, err := ws.Host().WaitingFor(cmd.Context(), args[0])
			if err != nil {
				return a.printError(err)
			}
			if a.json {
				return a.printAnswer("", newWaitingCall(q))
			}
			return a.withPager(func() { fmt.Fprintln(a.out, a.waitingText(q)) })
		},
	}
}

func (a *app) waitingAllow() *cobra.Command {
	var session bool
	cmd := &cobra.Command{
		Use:   "allow ID",
		Short: "Allow a waiting call",
		Long: `allow lets a call that waits happen: exactly what was shown, once. If a file was
changed meanwhile the call is refused as stale. With --session, whatever the same rules
ask about is allowed until the session ends that the call belongs to; a call over HTTP
without a session of the protocol has none. The log says whether the answer was given
at a terminal. A policy with [ask] answer = "page" takes answers from the page only.`,
		Example:           "  emend waiting allow q7h2k3m4n5p6\n  emend waiting allow q7h2k3m4n5p6 --session",
		Args:              oneArgument("waiting allow", "one ID, as emend waiting prints it"),
		ValidArgsFunction: a.completeWaitingIDs,
		RunE: a.answerWith(func(ctx context.Context, ws *emend.Workspace, id string) (*api.Answer[api.AnsweredData], error) {
			return ws.Allow(ctx, api.AllowRequest{ID: id, Session: session})
		}),
	}
	cmd.Flags().BoolVar(&session, "session", false, "and what the same rules ask about, until the session ends")
	return cmd
}

func (a *app) waitingDeny() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:               "deny ID",
		Short:             "Deny a waiting call",
		Example:           "  emend waiting deny q7h2k3m4n5p6\n  emend waiting deny q7h2k3m4n5p6 --reason 'write a new migration instead'",
		Args:              oneArgument("waiting deny", "one ID, as emend waiting prints it"),
		ValidArgsFunction: a.completeWaitingIDs,
		RunE: a.answerWith(func(ctx context.Context, ws *emend.Workspace, id string) (*api.Answer[api.AnsweredData], error) {
			return ws.Deny(ctx, api.DenyRequest{ID: id, Reason: reason})
		}),
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` that the agent reads")
	completeNothing(cmd, "reason")
	return cmd
}

// answerWith runs a verb that answers one call.
func (a *app) answerWith(reply func(context.Context, *emend.Workspace, string) (*api.Answer[api.AnsweredData], error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ws, err := a.open(emend.NoRecovery())
		if err != nil {
			return err
		}
		defer ws.Close()
		answer, err := reply(cmd.Context(), ws, args[0])
		if err != nil {
			return a.printError(err)
		}
		a.done = true
		return a.printResult(answer.Result())
	}
}

func (a *app) listWaiting(ctx context.Context) error {
	ws, err := a.open(emend.NoRecovery())
	if err != nil {
		return err
	}
	defer ws.Close()
	all, err := ws.Waiting(ctx)
	if err != nil {
		return a.printError(err)
	}
	if len(all) > 0 && a.answersHere() {
		leave, err := ws.Host().PageOpen(a.answeringBy())
		if err != nil {
			return a.printError(err)
		}
		defer leave()
		_, err = a.answerAll(ctx, ws, all)
		return a.printError(err)
	}
	list := make([]waitingCall, len(all))
	for i := range all {
		list[i] = newWaitingCall(&all[i])
	}
	return a.printAnswer(waitingTable(all, time.Now()), map[string]any{"waiting": list})
}

// completeWaitingIDs completes with the ids of the calls that wait.
func (a *app) completeWaitingIDs(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	if len(args) > 0 {
		return nil, directive
	}
	ws := a.openForCompletion()
	if ws == nil {
		return nil, directive
	}
	defer ws.Close()
	all, err := ws.Waiting(context.WithoutCancel(context.Background()))
	if err != nil {
		return nil, directive
	}
	var out []cobra.Completion
	for i := range all {
		q := &all[i].Question
		out = append(out, cobra.CompletionWithDesc(all[i].ID, report.OneLine(q.Actor.Tool)+" "+describePaths(q.Paths)))
	}
	return out, directive
}
