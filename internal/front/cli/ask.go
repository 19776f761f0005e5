package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
)

// work opens the workspace and does something in it, as the tool of that name, with a bar for a person who waits. A
// refusal is printed.
func (a *app) work(cmd *cobra.Command, tool string, allow []string, do func(context.Context, *emend.Workspace) error) error {
	ws, err := a.open(emend.AllowProtected(allow...))
	if err != nil {
		return err
	}
	defer ws.Close()
	err = do(emend.As(cmd.Context(), emend.Actor{Tool: tool}), ws)
	if r, ok := errors.AsType[*emend.Refusal](err); ok {
		return a.refused(r)
	}
	return err
}

// found prints what a call read: the result struct with --json, else what show writes.
func (a *app) found(r emend.Result, notes []string, show func(*bufio.Writer)) error {
	if a.json {
		return a.pour(func(w *bufio.Writer) { newEncoder(w).Encode(r) }) //nolint:errcheck // pour sees it
	}
	if a.quiet {
		return nil
	}
	a.notes(notes)
	return a.pour(show)
}

func (a *app) notes(list []string) {
	for _, n := range list {
		fmt.Fprintf(a.err, "emend: note: %s\n", report.Escape(n))
	}
}

// pour writes a result through a buffer.
func (a *app) pour(write func(*bufio.Writer)) error {
	w := bufio.NewWriterSize(a.out, 1<<16)
	write(w)
	return w.Flush()
}

func (a *app) diff(w *bufio.Writer, diff string) {
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		fmt.Fprintln(w, a.paint(diffColor(line), report.Escape(line)))
	}
}

func allowFlag(cmd *cobra.Command, allow *[]string) {
	cmd.Flags().StringArrayVar(allow, "allow-protected", nil, "open protected paths that match `PATTERN` (repeatable)")
}

// atTerminal reports whether a person is at both ends.
func (a *app) atTerminal() bool { return a.tty && a.ttyIn }

// content reads the content of a file from standard input.
func (a *app) content(cmd *cobra.Command, what string, into *string) error {
	a.invite(what, "it")
	most := emend.DefaultLimits.FileBytes
	b, err := readAll(a.stdin(), most)
	if err == nil && int64(len(b)) > most {
		err = badUse(cmd.Name(), "standard input has over %s, and that is the most that one file may have", size(most))
	}
	*into = string(b)
	return err
}

// exactly refuses any other number of arguments than those named.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		return badUse(cmd.Name(), "%s takes %s, got %d argument(s)", cmd.Name(), strings.Join(names, " and "), len(args))
	}
}

// atMost refuses fewer arguments than least, and more than all that are named.
func atMost(least int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return badUse(cmd.Name(), "%s needs %s", cmd.Name(), strings.Join(names[:least], " and "))
		case len(args) > len(names):
			return badUse(cmd.Name(), "%s takes at most %s, got %d arguments", cmd.Name(), strings.Join(names, " and "), len(args))
		}
		return nil
	}
}

// second is the second argument, or what stands for it.
func second(args []string, without string) string {
	if len(args) > 1 {
		return args[1]
	}
	return without
}
