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

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
)

// Main runs emend on the process's own arguments and streams and returns the exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	app := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Getenv,
		tty: term.IsTerminal(int(os.Stdout.Fd()))}
	return app.run(ctx, os.Args[1:])
}

// app is one run: where it reads and writes, and the flags that every verb has.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      func(string) string
	tty      bool // out is a terminal

	dir     string
	root    string
	json    bool
	quiet   bool
	noColor bool
}

func (a *app) run(ctx context.Context, args []string) int {
	cmd := a.command()
	cmd.SetArgs(args)
	cmd.SetIn(a.in)
	cmd.SetOut(a.out)
	cmd.SetErr(a.err)
	err := cmd.ExecuteContext(ctx)
	if u, ok := errors.AsType[*usage](err); ok {
		fmt.Fprintf(a.err, "emend: %s\nTry '%s --help'.\n", report.Escape(u.Error()), strings.TrimSpace("emend "+u.verb))
	} else if err != nil && !errors.Is(err, errSaid) {
		fmt.Fprintf(a.err, "emend: %s\n", report.Escape(err.Error()))
	}
	return exitCode(err)
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "emend",
		Short: "Apply the patches that coding agents write, entirely or not at all",
		Long: `emend reads the patch text that a model wrote, in any of five dialects, and says
exactly what it would do to your files: which lines, how sure, with a diff, or
why not and what would work instead.

Exit codes: 0 done (a dry run: would apply), 1 refused and nothing changed,
2 wrong usage, 3 undecided.`,
		Example: `  emend apply --dry-run change.patch
  pbpaste | emend apply --dry-run
  emend convert --to codex change.patch
  emend make old/ new/ > change.patch`,
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.enter() },
	}
	f := root.PersistentFlags()
	f.StringVarP(&a.dir, "directory", "C", "", "change to `DIR` before doing anything")
	f.StringVar(&a.root, "root", "", "the workspace's root `DIR` (default: the nearest directory upward with .git or .emend)")
	f.BoolVar(&a.json, "json", false, "print the result as JSON, refusals included")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print nothing but errors")
	f.BoolVar(&a.noColor, "no-color", false, "no colour, as with NO_COLOR set")
	root.AddCommand(a.apply(), a.convert(), a.make(), a.version())
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usage{strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "emend"), " "), err}
	})
	return root
}

func (a *app) enter() error {
	if a.dir == "" {
		return nil
	}
	if err := os.Chdir(a.dir); err != nil {
		return &usage{"", err}
	}
	return nil
}

// open opens the workspace that the current directory belongs to.
func (a *app) open(o ...emend.Option) (*emend.Workspace, error) {
	root, base := a.root, ""
	if root == "" {
		var err error
		if root, base, err = emend.FindRoot("."); err != nil {
			return nil, err
		}
	} else {
		var err error
		if base, err = below(root); err != nil {
			return nil, &usage{"", err}
		}
	}
	return emend.Open(root, append(o, emend.Base(base))...)
}

// text reads the argument FILE, or standard input without one or for "-".
func (a *app) text(args []string) (string, error) {
	var b []byte
	var err error
	if len(args) == 0 || args[0] == "-" {
		if f, ok := a.in.(*os.File); ok && !a.quiet && term.IsTerminal(int(f.Fd())) {
			fmt.Fprintln(a.err, "emend: reading a patch from the terminal; end it with Ctrl-D")
		}
		b, err = io.ReadAll(a.in)
	} else {
		b, err = os.ReadFile(args[0])
	}
	if err != nil {
		return "", &usage{"", err}
	}
	return string(b), nil
}

func (a *app) color() bool { return a.tty && !a.noColor && a.env("NO_COLOR") == "" }

func (a *app) printJSON(v any) error {
	enc := newEncoder(a.out)
	return enc.Encode(v)
}

// usage is an error in how emend was called.
type usage struct {
	verb string
	err  error
}

func (u *usage) Error() string { return u.err.Error() }
func (u *usage) Unwrap() error { return u.err }
func badUse(verb, format string, args ...any) error {
	return &usage{verb, fmt.Errorf(format, args...)}
}

func atMostOne(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return badUse(verb, "one FILE at most, got %d", len(args))
		}
		return nil
	}
}
