package change

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Patch is the text of a patch and the options that say how to read and apply it.
type Patch struct {
	Text string
	api.PatchOptions
}

// planPatch parses a patch and plans it as one.
func planPatch(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, src *source.Reader) (report.View, *plan.Plan, error) {
	view, d, how, err := read(w, text, &o)
	if err != nil {
		return view, nil, err
	}
	notePaths(ctx, &view)
	commit.ExpectChanges(len(view.Patch.Sections))
	rules := d.Rules(parseOptions(o))
	src.Prefetch(ctx, view.Patch.Sections, rules.Absolute)
	p, err := plan.Build(ctx, view.Patch, rules, src, how)
	src.StopPrefetch()
	if moved := src.Batch.Recheck(); moved != nil {
		err = moved
	}
	if err == nil {
		err = checkPatch(w, p)
	}
	return decoded(view, p), p, err
}

// checkPatch refuses a plan that the limits forbid, that would make a repository, or that would break a notebook.
func checkPatch(w *workspace.Workspace, p *plan.Plan) error {
	if err := w.CheckPlan(p); err != nil {
		return err
	}
	return checkNotebooks(p)
}

// decoded returns the view of a patch with the reading that p is a plan of, if it is not that of the text as it is written.
func decoded(view report.View, p *plan.Plan) report.View {
	if p != nil && p.Decoded != nil {
		view.Patch = p.Decoded.Patch
		view.Passed = append(slices.Clone(p.Decoded.Passed), "decoded: "+p.Decoded.Name)
	}
	return view
}

// parse reads text as it is written.
func parse(w *workspace.Workspace, text string, o *api.PatchOptions) (report.View, *dialect.Dialect, error) {
	view, d, how, err := read(w, text, o)
	if err == nil {
		err = how.Unread
	}
	return view, d, err
}

// read reads text in the dialect that the options name, or else in the one that it detects, and returns how it is planned. It makes
// the paths of expected hashes those of the sections. A text that can only be read if it is decoded leaves the error to the plan.
func read(w *workspace.Workspace, text string, o *api.PatchOptions) (report.View, *dialect.Dialect, plan.Options, error) {
	view := report.View{DryRun: true, Atomic: !o.Sequential}
	if o.File != nil {
		view.Patch.Sections = []patch.Section{{Op: o.File.Op, Path: o.File.Path}} // what a refusal is about, until the lines are read
	}
	if err := w.CheckText(text); err != nil {
		return view, nil, plan.Options{}, err
	}
	d, err := dialectFor(text, *o)
	if err != nil {
		return view, nil, plan.Options{}, err
	}
	view.Dialect = d
	parsed, err := d.Parse(text, parseOptions(*o))
	how := planOptions(*o, d)
	if parsed.Decodings != nil && !o.Sequential {
		how.Decodings, how.Unread = allowed(w, parsed.Decodings), err
	}
	if err != nil {
		if how.Unread != nil {
			err = nil
		}
		return view, d, how, err
	}
	view.Patch, view.Passed = parsed.Patch, parsed.Passed
	if err := w.CheckPatch(parsed.Patch); err != nil {
		return view, d, how, err
	}
	o.Expect, err = plan.ExpectBySection(parsed.Patch.Sections, o.Expect)
	how.Expect = o.Expect
	return view, d, how, err
}

// allowed yields the decodings that are within the limits of w.
func allowed(w *workspace.Workspace, all iter.Seq[dialect.Decoding]) iter.Seq[dialect.Decoding] {
	return func(yield func(dialect.Decoding) bool) {
		for d := range all {
			if w.CheckPatch(d.Patch) == nil && !yield(d) {
				return
			}
		}
	}
}

func parseOptions(o api.PatchOptions) dialect.Options {
	out := dialect.Options{Lenient: o.Lenient, Tolerance: o.Tolerance}
	if o.File != nil {
		out.Header = &patch.Section{Op: o.File.Op, Path: o.File.Path}
	}
	return out
}

func planOptions(o api.PatchOptions, d *dialect.Dialect) plan.Options {
	return plan.Options{Expect: o.Expect, Print: d.PrintHunk, Idempotent: o.Idempotent}
}

// dialectFor returns the dialect that the options name, or else the one that the text is written in.
func dialectFor(text string, o api.PatchOptions) (*dialect.Dialect, error) {
	switch auto := o.Dialect == "" || o.Dialect == "auto"; {
	case auto && o.File != nil:
		return dialect.Emend, nil
	case auto:
		return dialect.Detect(text)
	}
	return dialectNamed(o.Dialect)
}

func dialectNamed(name string) (*dialect.Dialect, error) {
	d, ok := dialect.Named(name)
	if !ok {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "no dialect is called " + fail.Quote(name),
			Hint: "Use one of: " + dialectNames() + "."}
	}
	return d, nil
}

func dialectNames() string { return strings.Join(dialect.Names(), ", ") }
