package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/front/hook"
	"github.com/emend-dev/emend/internal/front/looks"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/report"
)

func (a *app) hook() *cobra.Command {
	var witness, off bool
	cmd := &cobra.Command{
		Use:   "hook CLIENT",
		Short: "See what an agent's own tools and shell commands changed (agents' programs call this)",
		Long: `hook is what the hooks of an agent's program call: before and after a shell command
or an edit of its own, at a prompt, and at the end of a turn and a session. It reads
the event as JSON from standard input, compares the workspace with how it was seen
last, and records what changed. emend setup CLIENT writes the hooks.

The clients are ` + strings.Join(hook.Clients(), ", ") + `.

It never holds the agent up. It prints nothing on standard output, gives up
after ` + hookLimit.String() + `, and always exits with 0, whatever goes wrong. What went wrong is one line
on standard error, and is recorded at the next event that can be recorded.`,
		Example: "  emend hook claude-code < event.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || witness && off {
				return usageErrorf("hook", "hook takes a CLIENT (%s), and one of --witness and --off", strings.Join(hook.Clients(), ", "))
			}
			if !off {
				a.runHook(cmd.Context(), args[0])
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return hook.Clients(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().BoolVar(&witness, "witness", false, "look at the tree and record what changed (the default)")
	cmd.Flags().BoolVar(&off, "off", false, "do nothing, for a hook that is to stay where it is")
	return cmd
}

const (
	// hookLimit is when a hook gives up. The clients wait for 20 seconds, as emend setup tells them.
	hookLimit = 15 * time.Second
	// hookEndLimit is the same at the end of a session, for which Codex waits 3 seconds at most.
	hookEndLimit = 2 * time.Second
	// maxHookEvent bounds an event. Claude Code sends the whole of a file that was edited.
	maxHookEvent = 64 << 20
)

// looker compares the tree with the last look at it, and records what changed.
type looker interface {
	Look(context.Context, api.LookRequest) (*api.Look, error)
}

// runHook handles one event. The agent waits for it, and takes what it prints or how it ends for an answer: so it prints
// nothing on standard output and returns no error.
func (a *app) runHook(ctx context.Context, client string) {
	e, what := &hook.Event{Actor: api.Actor{Client: client}}, "an event of "+client
	var read *hook.Event
	err := within(ctx, hookLimit, func(context.Context) (err error) {
		read, err = readEvent(client, a.in)
		return err
	})
	if err == nil {
		if e = read; e == nil {
			return
		}
	}
	home, _ := os.UserHomeDir()
	root, rootErr := e.Root(a.env, home)
	if errors.Is(rootErr, hook.ErrTooWide) {
		fmt.Fprintf(a.err, "emend: %s\n", report.Escape(rootErr.Error()))
		return
	}
	if err == nil {
		if err = rootErr; err == nil {
			limit := hookLimit
			if e.Look.Moment == api.AtSessionEnd {
				limit = hookEndLimit
			}
			err = within(ctx, limit, func(ctx context.Context) error { return a.look(ctx, root, e.Within(root)) })
		}
		what = lookName(e)
	}
	if err != nil {
		a.hookFailed(root, what, err)
	}
}

// readEvent reads an event to its end. What is not an event, or not all of one, is an event that says so.
func readEvent(client string, in io.Reader) (*hook.Event, error) {
	text, broken := io.ReadAll(io.LimitReader(in, maxHookEvent))
	if n, _ := io.Copy(io.Discard, in); n > 0 { // the client must not fail to write it
		broken = fmt.Errorf("it has over %d bytes", maxHookEvent)
	}
	e, err := hook.Parse(client, text)
	if err == nil && e != nil && broken != nil {
		e.Unclear = broken
	}
	return e, err
}

// look looks at the workspace in root, and passes on why looks before this one failed, and what of the event cannot be read.
func (a *app) look(ctx context.Context, root string, e *hook.Event) (err error) {
	l, done, err := a.openLooker(root)
	if err != nil {
		return err
	}
	defer done()
	missed := takeMissed(root)
	if e.Unclear != nil {
		missed.add(root, a.hookTrouble("an event of "+e.Actor.Client+" is not as expected: "+e.Unclear.Error()))
	}
	defer func() {
		if err != nil {
			missed.putBack()
		}
	}()
	request := e.Look
	request.Missed = missed.reasons
	_, err = l.Look(emend.WithActor(ctx, e.Actor), request)
	return err
}

// openWorkspaceLooker opens the workspace in root.
func (a *app) openWorkspaceLooker(root string) (looker, func(), error) {
	a.root, a.hideRecovery = root, true
	ws, err := a.open()
	if err != nil {
		return nil, nil, err
	}
	if ws.Host().InLayer() { // the agent is the command of emend run, which records what it changes
		ws.Close()
		return seesNothing{}, func() {}, nil
	}
	return &asksFirst{root, ws.Host(), a.err}, func() { ws.Close() }, nil
}

// asksFirst has the server of the workspace look before and after a call, which it does with less work, and looks by itself if there is
// none. At a prompt and at the end of a turn it always looks by itself: what a server did not hear, or does not say, is found then.
type asksFirst struct {
	root string
	host *emend.Host
	err  io.Writer
}

func (l *asksFirst) Look(ctx context.Context, r api.LookRequest) (*api.Look, error) {
	if known := knownStore(l.root); known != "" && known != l.host.StoreIdentity() {
		fmt.Fprintln(l.err, "emend: "+storeGone)
		r.Missed = append(slices.Clone(r.Missed), storeGone)
	}
	out, err := l.ask(ctx, r)
	if err == nil {
		noteStore(l.root, l.host.StoreIdentity())
	}
	return out, err
}

func (l *asksFirst) ask(ctx context.Context, r api.LookRequest) (*api.Look, error) {
	between := r.Moment == api.BeforeCall || r.Moment == api.AfterCall
	if between && looks.Ask(ctx, l.host.LooksDir(), looks.Request{Root: l.root, Actor: caller.Actor(ctx), Look: r}) == nil {
		return &api.Look{}, nil
	}
	return l.host.Look(ctx, r)
}

// seesNothing is the looker where there is nothing to record.
type seesNothing struct{}

func (seesNothing) Look(context.Context, api.LookRequest) (*api.Look, error) { return &api.Look{}, nil }

// lookName names a look in a sentence about its failure.
func lookName(e *hook.Event) string {
	name := "the look of " + e.Actor.Client + ", " + string(e.Look.Moment)
	if e.Actor.Tool != "" {
		name += " " + e.Actor.Tool
	}
	return name
}

// hookFailed says on one line what went wrong, and notes it for the next look at the workspace.
func (a *app) hookFailed(root, what string, err error) {
	if why := a.hookTrouble(what + " failed: " + err.Error()); root != "" {
		noteMissed(root, why)
	}
}

// hookTrouble says on one line what went wrong, and returns it as the log is to have it.
func (a *app) hookTrouble(what string) string {
	what = report.Escape(strings.Join(strings.Fields(what), " "))
	fmt.Fprintf(a.err, "emend: %s\n", what)
	return time.Now().UTC().Format(time.RFC3339) + " " + what
}

// within calls f and waits for it until the limit, and no longer: f may hang in a call of the system that nothing interrupts.
// A panic of f is its error.
func within(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it gave up after %v, so that the agent need not wait", limit))
	defer cancel()
	done := make(chan error, 1)
	panics.Go(func() { done <- f(ctx) }, func(v *panics.Value) { done <- v })
	select {
	case err := <-done:
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
