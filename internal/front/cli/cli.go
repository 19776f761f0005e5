// Package cli is emend on the command line. It reads flags, asks the engine, and prints what comes back; it decides
// nothing.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
)

// Main runs emend on the process's own arguments and streams and returns the exit code.
func Main() int {
	ctx, cancel := context.WithCancel(context.Background())
	app := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Getenv,
		ttyOut: isTerminal(os.Stdout), ttyIn: isTerminal(os.Stdin), ttyErr: isTerminal(os.Stderr)}
	app.interruptReady.Add(1)
	go awaitInterrupt(app.interruptReady.Done, cancel)
	return app.run(ctx, os.Args[1:])
}

// awaitInterrupt waits for Ctrl-C; the second one ends the program as it does any other. To be ready for it takes a thread of its
// own, which nobody waits for but who asks a person for input, and who goes on until Ctrl-C: until then it ends the program as
// kill -9 does, or does nothing where the program was started with it ignored.
func awaitInterrupt(ready func(), cancel context.CancelFunc) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	ready()
	<-c
	signal.Stop(c)
	cancel()
}

// app is one run: where it reads and writes, and the flags that every verb has.
type app struct {
	in             io.Reader
	out, err       io.Writer
	env            func(string) string
	ttyOut         bool // out is a terminal
	ttyIn          bool
	ttyErr         bool
	interrupted    <-chan struct{} // closed when a person presses Ctrl-C
	interruptReady sync.WaitGroup  // until somebody listens for that

	dir     string
	root    string
	json    bool
	quiet   bool
	noColor bool
	noPager bool

	store        string
	policy       string
	session      string
	agent        string
	durability   string
	unsafeFS     bool
	hideRecovery bool // say nothing of what opening the workspace recovered

	parsed bool // the flags and arguments were taken
	done   bool // what was asked for is done, and only the answer is left to print
}

func (a *app) run(ctx context.Context, args []string) int {
	a.interrupted = ctx.Done()
	out := &stickyWriter{Writer: a.out}
	a.out = out
	cmd := a.command(args...)
	cmd.SetArgs(args)
	cmd.SetIn(a.in)
	cmd.SetOut(a.out)
	cmd.SetErr(a.err)
	err := cmd.ExecuteContext(ctx)
	u, ok := errors.AsType[*usageError](err)
	if err != nil && !ok && !a.parsed && out.err == nil { // of the command line's own parser
		u, ok = &usageError{"", err}, true
		err = u
	}
	if ok {
		fmt.Fprintf(a.err, "emend: %s\nTry '%s --help'.\n", report.Escape(u.Error()), strings.TrimSpace("emend "+u.verb))
	} else if err != nil && !errors.Is(err, errPrinted) && (out.err == nil || !errors.Is(err, out.err)) {
		a.printFailure(err)
	}
	return a.exitWith(out, err)
}

// printFailure says an error that nobody has said yet: with --json as a result, which has its kind and the next step.
func (a *app) printFailure(err error) {
	e, ours := errors.AsType[*fail.Error](err)
	switch {
	case ours && a.json:
		if a.printJSON(report.Of(report.View{Reads: true}, nil, err)) == nil {
			return
		}
		fallthrough
	case ours:
		fmt.Fprintf(a.err, "emend: %s\n", report.Explain(e))
	default:
		fmt.Fprintf(a.err, "emend: %s\n", report.Escape(err.Error()))
	}
}

func (a *app) applyGlobalFlags() error {
	a.parsed = true
	if a.durability != "full" && a.durability != "none" {
		return usageErrorf("", "--durability: %q is none of full, none", a.durability)
	}
	if a.dir == "" {
		return nil
	}
	if err := os.Chdir(a.dir); err != nil {
		return &usageError{"", err}
	}
	return nil
}
