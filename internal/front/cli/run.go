package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

// The exit codes of emend run that are not the command's, as of env and timeout.
const (
	exitOwnFailure = 125
	exitCannotRun  = 126
	exitNotFound   = 127
	exitSignal     = 128 // and the number of the signal
)

// exitError ends emend with an exit code; what there is to say is printed already.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func (a *app) runVerb() *cobra.Command {
	var turn string
	cmd := &cobra.Command{
		Use:   "run [flags] -- CMD [ARGS]...",
		Short: "Run a command and put on record what it changed",
		Long: `run looks at the workspace, runs the command, and looks again. What changed is an
entry of the log: seen, not made, by emend. It can be undone as far as the contents
from before are known: git has them, or emend copied them before the command ran.
What was not kept is named.

The command has the terminal, the streams and the signals that it would have without
emend, and its exit code is emend's. What a person saves while it runs is taken for
its work. What it does outside the workspace, and in directories that ignore rules
leave out, is not seen; nor is what a process does that it leaves behind, until the
next look.`,
		Example: `  emend run -- sed -i s/8080/9090/ config.toml
  emend run -- npm install
  emend run -- bash
  emend undo`,
		SuggestFor: []string{"exec", "shell"},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageErrorf("run", "name the command to run, after --")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			err := a.runCommand(context.WithoutCancel(cmd.Context()), args, turn)
			if _, ok := errors.AsType[exitError](err); !ok && err != nil {
				a.printFailure(err)
				return exitError(exitOwnFailure)
			}
			return err
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVar(&turn, "turn", "", "the turn of the session, for the log")
	return cmd
}

// runCommand runs a command between two looks. An exitError has the command's exit code.
func (a *app) runCommand(ctx context.Context, args []string, turn string) error {
	program, err := exec.LookPath(args[0])
	switch {
	case errors.Is(err, fs.ErrPermission):
		fmt.Fprintf(a.err, "emend: %s cannot be run: permission denied\n", report.Escape(args[0]))
		return exitError(exitCannotRun)
	case err != nil && !errors.Is(err, exec.ErrDot):
		fmt.Fprintf(a.err, "emend: %s: command not found\n", report.Escape(args[0]))
		return exitError(exitNotFound)
	}
	ws, err := a.open()
	if err != nil {
		return err
	}
	defer ws.Close()
	bar := a.newProgressBar()
	if bar != nil {
		ctx = emend.WithProgress(ctx, bar.update)
	}
	ctx = emend.WithActor(ctx, api.Actor{Tool: "run", Turn: turn, Call: fmt.Sprintf("run-%d-%d", os.Getpid(), time.Now().UnixNano())})
	before, err := ws.Host().Look(ctx, api.LookRequest{Moment: api.BeforeCall, Command: strings.Join(args, " "), Quiet: true})
	bar.finish()
	if err != nil {
		return err
	}
	a.printNotKept(before)
	code := a.waitFor(program, args)
	after, err := ws.Host().Look(ctx, api.LookRequest{Moment: api.AfterCall, Command: strings.Join(args, " "), Result: fmt.Sprintf("exit code %d", code)})
	if err != nil {
		fmt.Fprintf(a.err, "emend: the command ended with exit code %d; what it changed is not on record yet, and the next look records it\n", code)
		return err
	}
	a.printSeen(after)
	if code == 0 {
		return nil
	}
	return exitError(code)
}

// waitFor runs the program with the streams of this process, in its process group, so that the keyboard's signals reach both:
// emend waits for what the program makes of them. Signals that are sent to emend alone are passed on.
func (a *app) waitFor(program string, args []string) int {
	cmd := &exec.Cmd{Path: program, Args: args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, runSignals...)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(a.err, "emend: %s cannot be run: %v\n", report.Escape(args[0]), errors.Unwrap(err))
		return exitCannotRun
	}
	ended := make(chan struct{})
	var passing panics.Group
	passing.Go(func() {
		for {
			select {
			case s := <-signals:
				if !fromKeyboard(s) {
					cmd.Process.Signal(s) //nolint:errcheck // it ended meanwhile
				}
			case <-ended:
				return
			}
		}
	})
	err := cmd.Wait()
	close(ended)
	passing.Wait()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		fmt.Fprintf(a.err, "emend: %s: %v\n", report.Escape(args[0]), err)
		return exitOwnFailure
	}
	return exitStatus(cmd.ProcessState)
}

// maxShown is how many files are named on standard error.
const maxShown = 20

// printSeen says what was recorded.
func (a *app) printSeen(l *api.Look) {
	if a.quiet {
		return
	}
	for _, e := range l.Entries {
		fmt.Fprintf(a.err, "emend: seen, not made, by emend: %s; take it back with: emend undo %s\n", plural(len(e.Files), "change"), e.Entry)
		printSeenFiles(a.err, e.Files)
	}
	for _, n := range l.Notes {
		fmt.Fprintf(a.err, "emend: %s\n", report.Escape(n))
	}
}

func printSeenFiles(w io.Writer, files []api.SeenFile) {
	for _, f := range files[:min(len(files), maxShown)] {
		line := "  " + report.OpLetter(&api.LogEntry{Operation: f.Operation}) + " " + report.Escape(f.Path)
		if f.ToPath != "" {
			line += " -> " + report.Escape(f.ToPath)
		}
		if f.NoUndo != "" {
			line += " (cannot be taken back: " + f.NoUndo + ")"
		}
		fmt.Fprintln(w, line)
	}
	if more := len(files) - maxShown; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}

// printNotKept says what could not be taken back if the command changed it.
func (a *app) printNotKept(l *api.Look) {
	if a.quiet {
		return
	}
	for _, n := range l.NotKept[:min(len(l.NotKept), 5)] {
		fmt.Fprintf(a.err, "emend: not kept, so a change of it cannot be taken back: %s (%s, %s): %s\n",
			report.Escape(n.Path), plural(n.Files, "file"), formatBytes(n.Bytes), n.Why)
	}
	if more := len(l.NotKept) - 5; more > 0 {
		fmt.Fprintf(a.err, "emend: nor are %d other directories and files\n", more)
	}
}
