package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

type applyFlags struct {
	dialect   string
	lenient   bool
	tolerance string
	dryRun    bool
	noAtomic  bool
	expect    []string
	allow     []string
	key       string
	timeout   time.Duration
	limits    limitFlags
}

func (a *app) apply() *cobra.Command {
	var f applyFlags
	cmd := &cobra.Command{
		Use:   "apply [FILE]",
		Short: "Apply a patch entirely or not at all, or say why not",
		Long: `apply reads a patch from FILE, or from standard input, and makes it true on disk,
entirely or not at all: on refusal, error, full disk, kill -9 and power cut.
Paths in the patch are relative to the current directory and bounded by the
workspace's root. Files that somebody saves meanwhile are never overwritten.

A patch that cannot be applied whole is refused whole: every hunk that failed is
reported, with the place where it nearly fits and, where there is just one, a
corrected hunk that would apply. With --dry-run nothing is written, and a diff
is printed of what would be.

What is deleted or replaced is kept in the store (emend doctor says where), and
every change and every refusal is in its log.

Exit codes: 0 done, 1 refused and nothing changed (with --no-atomic: stopped,
what was applied is listed), 2 wrong usage, 3 undecided: run emend recover.`,
		Example: `  emend apply change.patch
  emend apply --dry-run change.patch
  emend apply --json --dialect codex < change.patch
  emend apply --expect src/a.go=<sha256> change.patch`,
		Args: atMostOne("apply"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runApply(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.dialect, "dialect", "auto", "how the patch is written: auto, "+strings.Join(emend.Dialects(), ", "))
	fl.BoolVar(&f.lenient, "lenient", false, "let pass what sloppy models write (fences, padded markers, missing parents), and name it")
	fl.StringVar(&f.tolerance, "tolerance", "", "the last rung on which lines may match: exact, trailing, whitespace, unicode")
	fl.BoolVar(&f.dryRun, "dry-run", false, "say what would be done and write nothing")
	fl.StringArrayVar(&f.expect, "expect", nil, "refuse unless `PATH=SHA256` holds now; empty after = asserts absence (repeatable)")
	fl.BoolVar(&f.noAtomic, "no-atomic", false, "apply section by section, each by itself, and stop at the first that fails")
	fl.StringVar(&f.key, "idempotency-key", "", "do it once: with a `KEY` that was committed before, return the first answer")
	fl.DurationVar(&f.timeout, "timeout", 0, "give up, with nothing changed, when it takes longer to get to the commit (default: 30s for the lock)")
	f.limits.define(fl)
	fl.StringArrayVar(&f.allow, "allow-protected", nil, "open protected paths that match `PATTERN` (repeatable)")
	complete(cmd, "dialect", append([]string{"auto"}, emend.Dialects()...))
	complete(cmd, "tolerance", rungNames())
	return cmd
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
	o := emend.Options{Dialect: f.dialect, Lenient: f.lenient, Sequential: f.noAtomic, IdempotencyKey: f.key}
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
	limits, err := f.limits.limits()
	if err != nil {
		return err
	}
	text, err := a.text(args, limits.PatchBytes)
	if err != nil {
		return err
	}
	ws, err := a.open(emend.AllowProtected(f.allow...), emend.WithLimits(limits))
	if err != nil {
		return err
	}
	defer ws.Close()
	ctx := cmd.Context()
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	if f.dryRun {
		return a.preview(ctx, ws, text, o)
	}
	var done func()
	o.Progress, done = a.progress()
	rep, err := ws.Apply(ctx, text, o)
	done()
	if r, ok := errors.AsType[*emend.Refusal](err); ok {
		return a.refused(r)
	}
	if err != nil {
		return err
	}
	a.did = true
	return a.print(rep.Result())
}

// preview prints what a patch would do.
func (a *app) preview(ctx context.Context, ws *emend.Workspace, text string, o emend.Options) error {
	p, err := ws.Plan(ctx, text, o)
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
		return a.paged(func() { a.showPlan(p) })
	}
	return nil
}

// print prints a result: its words, or the struct.
func (a *app) print(r emend.Result) error {
	if a.json {
		return a.printJSON(r)
	}
	if a.quiet {
		return nil
	}
	_, err := fmt.Fprintln(a.out, report.Escape(r.Text()))
	return err
}

// refused prints a refusal: with --json to standard output, else for people to standard error.
func (a *app) refused(r *emend.Refusal) error {
	if a.json {
		a.printJSON(r.Result()) //nolint:errcheck // a.out remembers
	} else {
		a.showRefusal(r)
	}
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
