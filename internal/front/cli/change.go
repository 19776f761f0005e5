package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/tool"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// changeVerb describes a verb that changes a file by calling one tool. R is the request of the tool, and D the data of
// its answer.
type changeVerb[R, D any] struct {
	tool                      string
	use, short, long, example string
	suggest                   []string // what other programs call the verb
	takes                     cobra.PositionalArgs
	complete                  cobra.CompletionFunc

	// args, expect and key point to fields of request, which the arguments and the flags set. If expect is nil, the
	// verb has no --expect.
	args       []*string // in the order of the arguments
	expect     *string
	expectHelp string
	key        *string
	flags      func(*cobra.Command) // defines the flags that only this verb has; may be nil

	// currentHash reads the hash of the file at path, for a caller who sent none. It is nil for a verb that needs no
	// hash.
	currentHash func(ctx context.Context, ws *emend.Workspace, path string) (string, error)
	// check runs before the workspace is opened, and input after it. Both may be nil.
	check, input func(*cobra.Command) error

	request *R
	call    func(*emend.Workspace, context.Context, R) (*api.Answer[D], error)
	text    func(*api.Answer[D]) changeText
}

// command returns the command of the verb.
func (v changeVerb[R, D]) command(a *app) *cobra.Command {
	var allow []string
	cmd := &cobra.Command{
		Use: v.use, Short: v.short, Long: v.long, Example: v.example, SuggestFor: v.suggest, Args: v.takes, ValidArgsFunction: v.complete,
		DisableFlagsInUseLine: strings.Contains(v.use, "--"),
		RunE:                  func(cmd *cobra.Command, args []string) error { return v.run(a, cmd, args, allow) },
	}
	if v.flags != nil {
		v.flags(cmd)
	}
	if v.expect != nil {
		cmd.Flags().StringVar(v.expect, "expect", "", v.expectHelp)
		completeNothing(cmd, "expect")
	}
	keyFlag(cmd.Flags(), v.key)
	allowFlag(cmd.Flags(), &allow)
	return cmd
}

// keyFlag defines --idempotency-key.
func keyFlag(f *pflag.FlagSet, key *string) {
	f.StringVar(key, "idempotency-key", "", "run once: if `KEY` was used before, return the first answer")
}

func (v changeVerb[R, D]) run(a *app, cmd *cobra.Command, args, allow []string) error {
	for i, arg := range args {
		*v.args[i] = arg
	}
	if v.check != nil {
		if err := v.check(cmd); err != nil {
			return err
		}
	}
	if err := v.checkHash(cmd); err != nil {
		return err
	}
	return a.withWorkspace(cmd, v.tool, allow, func(ctx context.Context, ws *emend.Workspace) (err error) {
		if v.currentHash != nil && *v.expect == "" {
			*v.expect, err = v.currentHash(ctx, ws, args[0])
			if v.tool == "write_file" || v.tool == "edit_file" {
				err = addCreateHint(err)
			}
		}
		if err == nil && v.input != nil {
			err = v.input(cmd)
		}
		if err != nil {
			return err
		}
		answer, err := v.call(ws, ctx, *v.request)
		if err != nil {
			return err
		}
		return a.printChange(answer.Result(), v.text(answer))
	})
}

// checkHash refuses an --expect that is not a hash. An empty one is refused too, since it comes from a script whose
// variable is empty.
func (v changeVerb[R, D]) checkHash(cmd *cobra.Command) error {
	if v.expect != nil && cmd.Flags().Changed("expect") && !isHash(*v.expect) {
		return usageErrorf(cmd.Name(), "--expect: %q is not a sha256: 64 lower-case hex digits", *v.expect)
	}
	return nil
}

func isHash(s string) bool {
	s = text.BareSum(s)
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// currentHash reads the hash of a file as it is now, and shows it to a person at a terminal.
func (a *app) currentHash(ctx context.Context, ws *emend.Workspace, path string) (string, error) {
	answer, err := ws.Read(emend.WithActor(ctx, api.Actor{Tool: "read_file"}), api.ReadRequest{Path: path, MaxBytes: 1, AllowBinary: true})
	if err != nil {
		return "", err
	}
	if !a.quiet && !a.json && a.atTerminal() {
		fmt.Fprintf(a.err, "emend: %s has the sha256 %s\n", report.OneLine(a.shown(answer.Data.Path)), answer.Data.Sha256)
	}
	return answer.Data.Sha256, nil
}

// addCreateHint adds to the refusal of a file that does not exist that another verb makes one.
func addCreateHint(err error) error {
	e, ok := errors.AsType[*fail.Error](err)
	if !ok || e.Kind != fail.NotFound || e.Reason != "" {
		return err
	}
	more := *e
	more.Hint += " To make a new file: emend create."
	return &more
}

// argumentHelp returns the description that agents read of a tool's argument, for the flag that sets it.
func argumentHelp(name, argument string) string {
	t, _ := tool.Named(name)
	return t.Input().Properties[argument].Description
}

// changeText is what a person reads after a call that changed something.
type changeText struct {
	words string // "" for the text of the result
	path  string // in the text of the result, as the engine names it; "" for none
	notes []string
	diff  string
	tx    string
	back  bool // say how to take it back where there is no terminal too
}

// printChange prints the result of a change: with --json the result itself, else one line of words. At a terminal it
// adds the diff and the command that undoes the change.
func (a *app) printChange(r api.Result, c changeText) error {
	a.done = true
	return a.buffered(func(w *bufio.Writer) {
		switch {
		case a.json:
			newEncoder(w).Encode(r) //nolint:errcheck // buffered returns it
		case !a.quiet:
			a.printChangeText(w, r, c)
		}
	})
}

func (a *app) printChangeText(w *bufio.Writer, r api.Result, c changeText) {
	if c.words == "" {
		// The text begins with a verb and the path.
		fmt.Fprintln(w, report.Escape(strings.Replace(r.Text(), " "+report.OneLine(c.path), " "+report.OneLine(a.shown(c.path)), 1)))
	} else {
		fmt.Fprintln(w, report.Escape(c.words))
		for _, n := range c.notes {
			fmt.Fprintln(w, "Note: "+report.Escape(n))
		}
	}
	if a.ttyOut {
		a.printDiff(w, c.diff)
	}
	if c.tx != "" && (a.ttyOut || c.back) {
		fmt.Fprintf(w, "To undo: emend undo %s\n", report.Escape(c.tx))
	}
}
