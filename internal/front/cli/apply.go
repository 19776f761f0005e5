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
		Long: `apply reads a patch from FILE, or from standard input, and applies it entirely or
not at all, also after an error, a full disk, kill -9 or a power cut. Paths in the
patch are relative to the current directory and must stay below the workspace's
root. Paths of a unified diff may be relative to the root instead, as git writes
them, if the files are only found that way (see --paths). A file that somebody
saves while apply runs is never overwritten.

If any hunk fails, nothing is changed. Every failed hunk is reported with the
nearest place in the file and, if there is only one such place, with a corrected
hunk that would apply. --dry-run writes nothing and prints the diff.

Use --idempotent to resend a patch safely: it skips what is already applied and
applies the rest. A hunk counts as applied only if the file has its new lines with
their context around them.

Deleted and replaced files are kept in the store (emend doctor prints its place).
The store's log has every change and every refusal.`,
		Example: `  emend apply change.patch
  emend apply --dry-run change.patch
  emend apply --json --dialect codex < change.patch
  emend apply --expect src/a.go=<sha256> change.patch`,
		Args: atMostOneFile("apply"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runApply(cmd, args, f) },
	}
	fl := cmd.Flags()
	f.define(cmd)
	fl.BoolVarP(&f.dryRun, "dry-run", "n", false, "print what would be done, and write nothing")
	fl.BoolVar(&f.noAtomic, "no-atomic", false, "apply each section by itself, and stop at the first that fails")
	keyFlag(fl, &f.key)
	fl.DurationVar(&f.timeout, "timeout", 0, "give up, with nothing changed, if the commit has not begun by then (default: 30s for the lock)")
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
			fmt.Fprintf(a.out, "%s hunk %d: line %d, %s\n", a.colorize(bold, report.OneLine(a.shown(f.Path))), i+1, h.Line, report.MatchText(h))
		}
		a.printDiff(a.out, f.Diff())
	}
}
