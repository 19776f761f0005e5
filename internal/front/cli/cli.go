// Package cli is the command line of emend. It reads flags, calls the engine and prints the answer. It decides nothing
// about files: which changes are made, and which are refused, is for the engine.
//
// Each verb NAME stands in a file NAME.go. What they share stands in files of its own: verbs.go lists them, change.go
// runs those that change one file, results.go prints.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
)

// Main runs emend with the arguments and streams of the process, and returns the exit code.
func Main() int {
	ctx, cancel := context.WithCancel(context.Background())
	app := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Getenv,
		ttyOut: isTerminal(os.Stdout), ttyIn: isTerminal(os.Stdin), ttyErr: isTerminal(os.Stderr)}
	app.interruptReady.Add(1)
	go awaitInterrupt(app.interruptReady.Done, cancel)
	app.openLooker = app.openWorkspaceLooker
	return app.run(ctx, os.Args[1:])
}

// awaitInterrupt cancels at the first Ctrl-C. The second one ends the process, as it does by default.
//
// Notifying starts a thread, so run does not wait until ready is called. Only a verb that reads from a person, or runs
// until Ctrl-C, does. Until then Ctrl-C ends the process, or does nothing if the process was started with the signal
// ignored.
func awaitInterrupt(ready func(), cancel context.CancelFunc) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	ready()
	<-c
	signal.Stop(c)
	cancel()
}

// app is one run of emend: its streams, its environment, and the flags that every verb has.
type app struct {
	in             io.Reader
	out, err       io.Writer
	env            func(string) string
	ttyOut         bool // out is a terminal
	ttyIn          bool
	ttyErr         bool
	interrupted    <-chan struct{} // closed at Ctrl-C
	interruptReady sync.WaitGroup  // done when Ctrl-C is handled

	dirs    []string // of each -C before the verb
	dir     string
	root    string
	base    string // from the root to where the person stands; paths are relative to it
	atRoot  bool   // paths are relative to the root
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
	hideRecovery bool // print nothing about recovery on opening the workspace

	openLooker func(root string) (l looker, done func(), err error) // for hook

	parsed bool // the command line was parsed without an error
	done   bool // the change is made, and only its answer is left to print
}

func (a *app) run(ctx context.Context, args []string) int {
	a.interrupted = ctx.Done()
	out := &stickyWriter{Writer: a.out}
	a.out = out
	args = a.leadingDirs(args)
	cmd := a.command(args...)
	cmd.SetArgs(args)
	cmd.SetIn(a.in)
	cmd.SetOut(a.out)
	cmd.SetErr(a.err)
	err := cmd.ExecuteContext(emend.WithAnsweredBy(ctx, a.answeringBy()))
	u, ok := errors.AsType[*usageError](err)
	if err != nil && !ok && !a.parsed && out.err == nil { // from cobra's parser
		u, ok = &usageError{"", err}, true
		err = u
	}
	if ok {
		fmt.Fprintf(a.err, "emend: %s\nTry '%s --help'.\n", report.Escape(u.Error()), strings.TrimSpace("emend "+u.verb))
	} else if err != nil && !isPrinted(err) && (out.err == nil || !errors.Is(err, out.err)) {
		a.printFailure(err)
	}
	if len(args) > 0 && args[0] == "hook" { // clients take other codes for a no
		return exitDone
	}
	return a.exitWith(out, err)
}

// printFailure prints an error that no verb has printed. With --json it prints a result with the kind of the error and
// a hint.
func (a *app) printFailure(err error) {
	e, ours := errors.AsType[*fail.Error](err)
	switch {
	case ours && a.json:
		if a.printJSON(report.New(report.View{ReadOnly: true}, nil, err)) == nil {
			return
		}
		fallthrough
	case ours:
		fmt.Fprintf(a.err, "emend: %s\n", report.ErrorText(e))
	default:
		fmt.Fprintf(a.err, "emend: %s\n", report.Escape(err.Error()))
	}
}

// applyGlobalFlags checks --durability and changes to --directory. It runs before every verb.
func (a *app) applyGlobalFlags() error {
	a.parsed = true
	if a.durability != "full" && a.durability != "none" {
		return usageErrorf("", "--durability: %q is none of full, none", a.durability)
	}
	dirs := append(a.dirs, a.dir)
	a.dirs, a.dir = nil, "" // a completion comes here twice
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		if err := os.Chdir(dir); err != nil {
			return &usageError{"", err}
		}
	}
	return nil
}

// leadingDirs takes each -C DIR before the verb out of args. The verb may have a -C of its own.
func (a *app) leadingDirs(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch name, value, has := strings.Cut(arg, "="); {
		case (arg == "-C" || arg == "--directory") && i+1 < len(args):
			i++
			a.dirs = append(a.dirs, args[i])
		case name == "--directory" && has:
			a.dirs = append(a.dirs, value)
		case strings.HasPrefix(arg, "-C") && !strings.HasPrefix(arg, "--") && len(arg) > 2:
			a.dirs = append(a.dirs, strings.TrimPrefix(arg[2:], "="))
		case slices.Contains(valueFlags, arg) && i+1 < len(args):
			out = append(out, arg, args[i+1])
			i++
		case !strings.HasPrefix(arg, "-"):
			return append(out, args[i:]...)
		default:
			out = append(out, arg)
		}
	}
	return out
}
