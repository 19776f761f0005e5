package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

type applyFlags struct {
	patchFlags
	dryRun   bool
	noAtomic bool
	allow    []string
	key      string
	timeout  time.Duration
	limits   limitFlags
}

func (a *app) apply() *cobra.Command {
	var f applyFlags
	cmd := &cobra.Command{
		Use:   "apply [FILE]",
		Short: "Apply a patch entirely or not at all, or say why not",
		Long: `apply reads a patch from FILE, or from standard input, and makes it true on disk,
entirely or not at all: on refusal, error, full disk, kill -9 and power cut.
Paths in the patch are relative to the current directory and bounded by the
workspace's root; those of a unified diff may also begin at the root, as git
writes them, if its files are there only so (--paths says which). Files that somebody saves meanwhile are never overwritten.

A patch that cannot be applied whole is refused whole: every hunk that failed is
reported, with the place where it nearly fits and, where there is just one, a
corrected hunk that would apply. With --dry-run nothing is written, and a diff
is printed of what would be.

Who does not know whether a patch arrived sends it again with --idempotent: what is
already applied is skipped, and the rest is done; if all of it is, nothing is.
Only what the files prove counts: a hunk's new lines with their context around them.

What is deleted or replaced is kept in the store (emend doctor says where), and
every change and every refusal is in its log.`,
		Example: `  emend apply change.patch
  emend apply --dry-run change.patch
  emend apply --json --dialect codex < change.patch
  emend apply --expect src/a.go=<sha256> change.patch`,
		Args: atMostOneFile("apply"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runApply(cmd, args, f) },
	}
	fl := cmd.Flags()
	f.define(cmd)
	fl.BoolVarP(&f.dryRun, "dry-run", "n", false, "say what would be done and write nothing")
	fl.BoolVar(&f.noAtomic, "no-atomic", false, "apply section by section, each by itself, and stop at the first that fails")
	keyFlag(fl, &f.key)
	fl.DurationVar(&f.timeout, "timeout", 0, "give up, with nothing changed, when it takes longer to get to the commit (default: 30s for the lock)")
	f.limits.define(fl)
	allowFlag(fl, &f.allow)
	return cmd
}

func (a *app) runApply(cmd *cobra.Command, args []string, f applyFlags) error {
	o, err := f.options("apply")
	if err != nil {
		return err
	}
	o.Sequential, o.IdempotencyKey = f.noAtomic, f.key
	limits, err := f.limits.limits("apply")
	if err != nil {
		return err
	}
	text, err := a.readPatch(args, limits.PatchBytes)
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
		return a.dryRun(ctx, ws, text, o)
	}
	var done func()
	o.Progress, done = a.stagingProgress()
	rep, err := ws.Apply(a.withAsker(ctx), text, o)
	done()
	if r, ok := errors.AsType[*emend.Refusal](err); ok {
		return a.printRefusal(r)
	}
	if err != nil {
		return err
	}
	a.done = true
	if !a.json {
		rep = rep.Shown(a.shown)
	}
	return a.printResult(rep.Result())
}

// dryRun prints what applying the patch would do.
func (a *app) dryRun(ctx context.Context, ws *emend.Workspace, text string, o api.PatchOptions) error {
	p, err := ws.Plan(ctx, text, o)
	if r, ok := errors.AsType[*emend.Refusal](err); ok {
		return a.printRefusal(r)
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(p.Result())
	}
	if !a.quiet {
		return a.withPager(func() { a.printPlan(p) })
	}
	return nil
}

// printPlan prints what a plan would do, where each hunk lands, and the diff.
func (a *app) printPlan(p *emend.Plan) {
	fmt.Fprintln(a.out, p.SummaryShown(a.shown))
	for _, note := range append(p.Skipped, p.Passed...) {
		fmt.Fprintln(a.out, "Note: "+report.Escape(note))
	}
	for _, f := range p.Files() {
		fmt.Fprintln(a.out)
		for i, h := range f.Hunks {
			if h.Skipped {
				continue
			}
			fmt.Fprintf(a.out, "%s hunk %d: line %d, %s\n", a.colorize(bold, report.Escape(a.shown(f.Path))), i+1, h.Line, report.MatchText(h))
		}
		a.printDiff(a.out, f.Diff())
	}
}
