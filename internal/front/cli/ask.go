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

// changed prints what a call changed: the result struct with --json, else a line of words, and for a person at a
// terminal the diff and the way back.
func (a *app) changed(r emend.Result, done change) error {
	a.did = true
	return a.pour(func(w *bufio.Writer) {
		switch {
		case a.json:
			newEncoder(w).Encode(r) //nolint:errcheck // pour sees it
		case !a.quiet:
			a.tellChange(w, r, done)
		}
	})
}

// change is what a person reads of a call that changed something.
type change struct {
	words string // "" for those of the result
	notes []string
	diff  string
	tx    string
}

func (a *app) tellChange(w *bufio.Writer, r emend.Result, c change) {
	if c.words == "" {
		fmt.Fprintln(w, report.Escape(r.Text()))
	} else {
		fmt.Fprintln(w, report.Escape(c.words))
		for _, n := range c.notes {
			fmt.Fprintln(w, "Note: "+report.Escape(n))
		}
	}
	if !a.tty {
		return
	}
	a.diff(w, c.diff)
	if c.tx != "" {
		fmt.Fprintf(w, "Take it back with: emend undo %s\n", report.Escape(c.tx))
	}
}

func (a *app) diff(w *bufio.Writer, diff string) {
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		fmt.Fprintln(w, a.paint(diffColor(line), report.Escape(line)))
	}
}

// changeFlags are those of every verb that changes a file.
type changeFlags struct {
	expect string
	key    string
	allow  []string
}

func (f *changeFlags) define(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.key, "idempotency-key", "", "do it once: with a `KEY` that was committed before, return the first answer")
	allowFlag(cmd, &f.allow)
}

func (f *changeFlags) defineExpect(cmd *cobra.Command, what string) {
	cmd.Flags().StringVar(&f.expect, "expect", "", what)
	noFiles(cmd, "expect")
}

func allowFlag(cmd *cobra.Command, allow *[]string) {
	cmd.Flags().StringArrayVar(allow, "allow-protected", nil, "open protected paths that match `PATTERN` (repeatable)")
}

// check refuses an --expect that is no hash, also an empty one: a script whose variable is empty means something else.
func (f *changeFlags) check(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("expect") || isHash(f.expect) {
		return nil
	}
	return badUse(cmd.Name(), "--expect: %q is not a sha256: 64 lower-case hex digits", f.expect)
}

func isHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// atTerminal reports whether a person is at both ends.
func (a *app) atTerminal() bool { return a.tty && a.ttyIn }

// needsHash refuses, where no person is at a terminal, a call that says not which content of the file it means.
func (a *app) needsHash(cmd *cobra.Command, f changeFlags, path string) error {
	if err := f.check(cmd); err != nil || f.expect != "" || a.atTerminal() {
		return err
	}
	return badUse(cmd.Name(), "--expect SHA256 is needed where nobody is at a terminal: the sha256 that\n"+
		"'emend read --json %s' prints, so that no edit is overwritten that you have not seen", path)
}

// hash is what --expect says, or for a person at a terminal that of the file as it is now, which is shown.
func (a *app) hash(ctx context.Context, ws *emend.Workspace, f changeFlags, path string) (string, error) {
	if f.expect != "" {
		return f.expect, nil
	}
	is, err := ws.Read(emend.As(ctx, emend.Actor{Tool: "read_file"}), emend.ReadRequest{Path: path, MaxBytes: 1, AllowBinary: true})
	if err != nil {
		return "", err
	}
	if !a.quiet && !a.json {
		fmt.Fprintf(a.err, "emend: %s has the sha256 %s\n", report.OneLine(is.Data.Path), is.Data.Sha256)
	}
	return is.Data.Sha256, nil
}

// content is what standard input has for a file.
func (a *app) content(cmd *cobra.Command, what string) (string, error) {
	a.invite(what, "it")
	most := emend.DefaultLimits.FileBytes
	b, err := readAll(a.stdin(), most)
	if err != nil {
		return "", err
	}
	if int64(len(b)) > most {
		return "", badUse(cmd.Name(), "standard input has over %s, and that is the most that one file may have", size(most))
	}
	return string(b), nil
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
