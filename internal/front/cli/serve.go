package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/front/looks"
	"github.com/emend-dev/emend/internal/front/mcp"
	"github.com/emend-dev/emend/internal/front/wall"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/tool"
	"github.com/spf13/cobra"
)

func (a *app) serve() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Serve the tools to agents, over MCP",
		Long: `serve is an MCP server: it gives agents tools to read and change the files in DIR, or in
the current directory, over standard input and output. The agent's program starts it;
emend setup configures that.

With --http it serves any number of clients at one address of this machine. They send a
token, which is made and shown at the first start and kept in a file that only you can
read. --remote accepts other machines, over TLS.

  /mcp        the tools, over all workspaces
  /mcp/NAME   the same over the workspace of that name
  /ui/        the pages that emend ui shows, with a token of their own
  /healthz    "ok", or 503; what is wrong is told with the token
  /metrics    counts and times, in the format of Prometheus

On SIGTERM or Ctrl-C running calls may finish, within the time of --grace; a commit is
always finished. A second signal ends the server at once.`,
		Example: `  emend serve
  emend serve ~/src/shop --read-only
  emend serve ~/src/shop --http 127.0.0.1:7433
  emend serve --workspace api=~/src/api --workspace web=~/src/web --http :7433
  emend serve ~/src/shop --http 0.0.0.0:7433 --remote --tls-cert host.pem --tls-key host.key`,
		Args: atMost(0, "one DIR"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runServe(cmd, args, &f) },
	}
	f.define(cmd)
	return cmd
}

func (a *app) runServe(cmd *cobra.Command, args []string, f *serveFlags) error {
	tools, err := f.options("serve")
	if err != nil {
		return err
	}
	if err := f.check(cmd); err != nil {
		return err
	}
	log, err := f.log(a.err)
	if err != nil {
		return err
	}
	workspaces, err := a.openWorkspaces(args, f)
	defer closeAll(workspaces)
	if err != nil {
		return err
	}
	ctx, stop := cancelOnSignal(cmd.Context())
	defer stop()
	go reserveMemory(ctx)
	go tidyHistories(ctx, workspaces, log)
	if !f.readOnly && len(f.allow) == 0 { // else a hook may do more than this server
		defer lookForHooks(ctx, workspaces)()
	}
	s := mcp.New(mcp.Config{Workspaces: workspaces, Version: emend.Version().Version, Log: log, MaxCalls: f.maxCalls, AskWait: f.wait,
		Actor: api.Actor{Session: a.session, Agent: a.agent}, Tools: tools})
	if f.http != "" {
		return a.serveHTTP(ctx, s, f)
	}
	return a.serveStdio(ctx, s, f)
}

func (a *app) serveStdio(ctx context.Context, s *mcp.Server, f *serveFlags) error {
	if a.ttyIn && !a.quiet {
		fmt.Fprintln(a.err, "emend: waiting for an MCP client on standard input. It is the client that starts this: emend setup tells it how.\n"+
			"emend: Ctrl-C ends it; --http ADDR serves without a client that starts it.")
	}
	a.enterLandlock(s.Workspaces, s.Log)
	defer context.AfterFunc(ctx, func() { s.Finish(f.grace) })()
	return s.Stdio(ctx, io.NopCloser(a.in), noClose{a.out})
}

// enterLandlock confines the process to its workspaces by Landlock, where the system has that. Without it the server
// still serves, and logs a warning. The server must have read all its other files, opened its port and started its
// programs before.
func (a *app) enterLandlock(workspaces []tool.Workspace, log *slog.Logger) {
	if a.env("EMEND_LANDLOCK") == "off" {
		log.Warn("not behind Landlock, since EMEND_LANDLOCK says off")
		return
	}
	var write, read []string
	for _, w := range workspaces {
		mine, elsewhere, err := w.Host().AccessPaths()
		if err != nil {
			log.Warn("not behind Landlock", "workspace", w.Name, "error", err)
			return
		}
		write, read = append(write, mine...), append(read, elsewhere...)
	}
	write, read = sortUnique(write), sortUnique(read)
	switch up, err := wall.Up(write, read); {
	case err != nil:
		log.Warn("not behind Landlock", "error", err)
	case up:
		log.Info("behind Landlock", "version", wall.Version(), "restricts", strings.Join(wall.Scope(), ", "), "writes_below", write)
	case wall.Expected:
		log.Warn("not behind Landlock: this kernel has none, or one before version 2; each path is judged all the same")
	}
}

func sortUnique(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
}

// cancelOnSignal returns a context that ends at the first Ctrl-C or SIGTERM. The next one ends the process, as it does
// by default; the handler is removed before the context ends, so that no signal is lost between the two.
func cancelOnSignal(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(parent))
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-heard:
		case <-parent.Done():
		case <-ctx.Done():
			signal.Stop(heard)
			return
		}
		signal.Reset(os.Interrupt, syscall.SIGTERM)
		cancel()
	}()
	return ctx, cancel
}

// lookForHooks has the server look at its workspaces for the hooks of agents' programs. done waits until their socket is gone.
func lookForHooks(ctx context.Context, workspaces []tool.Workspace) (done func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all panics.Group
	for _, w := range workspaces {
		all.Go(func() {
			var mu sync.Mutex
			mine, _ := os.Stat(w.Root())
			looker := w.Host().NewLastingLooker()
			defer looker.Close()
			looks.Serve(ctx, w.Host().LooksDir(), func(ctx context.Context, r looks.Request) error {
				mu.Lock()
				defer mu.Unlock()
				if root, err := filepath.EvalSymlinks(w.Root()); err != nil || root != r.Root {
					return errors.New("this server has another workspace")
				}
				if is, err := os.Stat(w.Root()); err != nil || !os.SameFile(is, mine) {
					return errors.New("another directory is in the place of this server's workspace")
				}
				_, err := looker.Look(emend.WithActor(ctx, r.Actor), r.Look)
				return err
			})
		})
	}
	return func() { cancel(); all.Wait() }
}

// tidyEvery is how often a server looks whether a history is to be packed or pruned. To pack takes a second at most, so a server
// packs for a fifth of the time at most; that keeps up with a few hundred changes a second.
const tidyEvery = 5 * time.Second

// tidyHistories packs and prunes the histories that are due, between calls. To look costs next to nothing.
func tidyHistories(ctx context.Context, workspaces []tool.Workspace, log *slog.Logger) {
	for tick := time.NewTicker(tidyEvery); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		for _, w := range workspaces {
			if err := panics.Call(func() error { return tidyHistory(ctx, w, log) }); err != nil {
				log.Warn("the history could not be pruned or packed", "workspace", w.Name, "error", err)
			}
		}
	}
}

func tidyHistory(ctx context.Context, w tool.Workspace, log *slog.Logger) error {
	pruned, err := w.Host().Prune(ctx)
	if err != nil {
		return err
	}
	if pruned.Transactions > 0 {
		log.Info("the history was pruned", "workspace", w.Name, "transactions", pruned.Transactions, "bytes", pruned.SizeBytes)
	}
	packed, err := w.Host().Pack(ctx)
	if err == nil && packed.Files > 0 {
		log.Info("the history was packed", "workspace", w.Name, "files", packed.Files, "bytes", packed.SizeBytes)
	}
	return err
}

// reserveMemory makes the garbage collector run less often. A server holds little live memory, so that the collector
// would run every few calls. The reserved memory counts as live but is never touched, so it takes no pages of the
// machine. Allocating it costs a collection: the first answer does not wait for that.
func reserveMemory(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(time.Second):
	}
	spare := make([]byte, 16<<20)
	<-ctx.Done()
	runtime.KeepAlive(spare)
}

type noClose struct{ io.Writer }

func (noClose) Close() error { return nil }
