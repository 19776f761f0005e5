package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/patch"
)

type applyFlags struct {
	dialect   string
	lenient   bool
	tolerance string
	dryRun    bool
	expect    []string
	allow     []string
}

func (a *app) apply() *cobra.Command {
	var f applyFlags
	cmd := &cobra.Command{
		Use:   "apply [FILE]",
		Short: "Say what a patch would do, or why it cannot be applied",
		Long: `apply reads a patch from FILE, or from standard input, and prints what it would
do: every file, the line and the rung of every hunk, a diff. Paths in the patch
are relative to the current directory and bounded by the workspace's root.

A patch that cannot be applied whole is refused whole: every hunk that failed is
reported, with the place where it nearly fits and, where there is just one, a
corrected hunk that would apply.

This version previews only: --dry-run is required.`,
		Example: `  emend apply --dry-run change.patch
  emend apply --dry-run --json --dialect codex < change.patch
  emend apply --dry-run --expect src/a.go=<sha256> change.patch`,
		Args: atMostOne("apply"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runApply(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.dialect, "dialect", "auto", "how the patch is written: auto, "+strings.Join(emend.Dialects(), ", "))
	fl.BoolVar(&f.lenient, "lenient", false, "let pass what sloppy models write (fences, padded markers, missing parents), and name it")
	fl.StringVar(&f.tolerance, "tolerance", "", "the last rung on which lines may match: exact, trailing, whitespace, unicode")
	fl.BoolVar(&f.dryRun, "dry-run", false, "say what would be done and write nothing")
	fl.StringArrayVar(&f.expect, "expect", nil, "refuse unless `PATH=SHA256` holds now; empty after = asserts absence (repeatable)")
	fl.StringArrayVar(&f.allow, "allow-protected", nil, "open protected paths that match `PATTERN` (repeatable)")
	complete(cmd, "dialect", append([]string{"auto"}, emend.Dialects()...))
	complete(cmd, "tolerance", rungNames())
	return cmd
}

func complete(cmd *cobra.Command, flag string, words []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag was just defined
	}
}

var rungs = []patch.Rung{patch.Exact, patch.Trailing, patch.Whitespace, patch.Unicode}

func rungNames() []string {
	out := make([]string, len(rungs))
	for i, r := range rungs {
		out[i] = r.String()
	}
	return out
}

// options turns the flags into what the engine takes.
func (f applyFlags) options() (emend.Options, error) {
	o := emend.Options{Dialect: f.dialect, Lenient: f.lenient}
	if f.dialect != "auto" && !slices.Contains(emend.Dialects(), f.dialect) {
		return o, badUse("apply", "--dialect: %q is none of auto, %s", f.dialect, strings.Join(emend.Dialects(), ", "))
	}
	for _, r := range rungs {
		if r.String() == f.tolerance {
			o.Tolerance = r
		}
	}
	if f.tolerance != "" && o.Tolerance == 0 {
		return o, badUse("apply", "--tolerance: %q is none of %s", f.tolerance, strings.Join(rungNames(), ", "))
	}
	for _, e := range f.expect {
		i := strings.LastIndexByte(e, '=')
		if i < 1 {
			return o, badUse("apply", "--expect: %q is not PATH=SHA256", e)
		}
		if o.Expect == nil {
			o.Expect = map[string]string{}
		}
		o.Expect[e[:i]] = e[i+1:]
	}
	return o, nil
}

func (a *app) runApply(cmd *cobra.Command, args []string, f applyFlags) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	if !f.dryRun {
		return badUse("apply", "this version previews only: pass --dry-run")
	}
	text, err := a.text(args)
	if err != nil {
		return err
	}
	ws, err := a.open(emend.AllowProtected(f.allow...))
	if err != nil {
		return err
	}
	defer ws.Close()
	p, err := ws.Plan(cmd.Context(), text, o)
	if r, ok := errors.AsType[*emend.Refusal](err); ok {
		return a.refused(r)
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(p.Result())
	}
	if !a.quiet {
		a.showPlan(p)
	}
	return nil
}

// refused prints a refusal: with --json to standard output, else for people to standard error.
func (a *app) refused(r *emend.Refusal) error {
	if a.json {
		if err := a.printJSON(r.Result()); err != nil {
			return err
		}
		return errors.Join(errSaid, r)
	}
	a.showRefusal(r)
	return errors.Join(errSaid, r)
}

func (a *app) version() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := emend.Version()
			if a.json {
				return a.printJSON(v)
			}
			_, err := fmt.Fprintf(a.out, "emend %s (%s)\n", v.Version, v.Go)
			return err
		}}
}
