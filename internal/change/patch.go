package change

import (
	"context"
	"errors"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
)

// maxHintBytes is how many bytes of patch and files a refused patch may have for the other ways of reading it to
// be tried for a hint.
const maxHintBytes = 4 << 20

func parseOptions(o api.PatchOptions) dialect.Options {
	return dialect.Options{Lenient: o.Lenient, Tolerance: o.Tolerance}
}

func planOptions(o api.PatchOptions, d *dialect.Dialect) plan.Options {
	return plan.Options{Expect: o.Expect, Print: d.PrintHunk, Idempotent: o.Idempotent}
}

// Patch is the text of a patch and how it is to be read and applied.
type Patch struct {
	Text string
	api.PatchOptions
}

// Preview reads a patch and the files that it names, and settles what it would do. It never writes.
func Preview(ctx context.Context, w *workspace.Workspace, p Patch) (*Plan, error) {
	ctx, err := w.WithBase(ctx, p.Base)
	if err != nil {
		return nil, &report.Refusal{List: fail.All(err)}
	}
	src := source.NewReader(ctx, w)
	defer src.Close()
	out, err := preview(ctx, w, p.Text, p.PatchOptions, src)
	if err != nil {
		return nil, err
	}
	if no := askBeforeTelling(ctx, w, src, nil); no != nil {
		return nil, &report.Refusal{View: out.View, List: fail.All(no)}
	}
	return out, nil
}

// preview plans a patch, and words a refusal with a hint of which options would help.
func preview(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, src *source.Reader) (*Plan, error) {
	view, p, err := planPatch(ctx, w, text, o, src)
	if err == nil {
		asks := src.Asked.List()
		view.Notes = consent.PlanNotes(asks)
		return &Plan{View: view, Plan: p, sums: src.Sums(), asks: asks, workspace: w}, nil
	}
	list := fail.All(askBeforeTelling(ctx, w, src, err))
	src.Asked = nil // nobody is asked about what is only looked at for a hint
	if hint := optionsHint(ctx, w, text, o, src, list); hint != "" {
		first := *list[0]
		first.Hint = join(first.Hint, hint)
		list[0] = &first
	}
	return nil, &report.Refusal{View: view, List: list}
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

func planPatch(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, src *source.Reader) (report.View, *plan.Plan, error) {
	view, d, err := parse(w, text, o)
	if err != nil {
		return view, nil, err
	}
	commit.ExpectChanges(len(view.Patch.Sections))
	rules := d.Rules(parseOptions(o))
	src.Prefetch(ctx, view.Patch.Sections, rules.Absolute)
	p, err := plan.Build(ctx, view.Patch, rules, src, planOptions(o, d))
	src.StopPrefetch()
	if moved := src.Batch.Recheck(); moved != nil {
		err = moved
	}
	if err == nil {
		err = w.CheckPlan(p)
	}
	return view, p, err
}

// parse reads text in its dialect.
func parse(w *workspace.Workspace, text string, o api.PatchOptions) (report.View, *dialect.Dialect, error) {
	view := report.View{DryRun: true, Atomic: !o.Sequential}
	if err := w.CheckText(text); err != nil {
		return view, nil, err
	}
	d, err := dialectFor(text, o.Dialect)
	if err != nil {
		return view, nil, err
	}
	view.Dialect = d
	parsed, err := d.Parse(text, parseOptions(o))
	if err != nil {
		return view, nil, err
	}
	view.Patch, view.Passed = parsed.Patch, parsed.Passed
	return view, d, w.CheckPatch(parsed.Patch)
}

func dialectFor(text, name string) (*dialect.Dialect, error) {
	if name == "" || name == "auto" {
		return dialect.Detect(text)
	}
	return dialectNamed(name)
}

func dialectNamed(name string) (*dialect.Dialect, error) {
	d, ok := dialect.Named(name)
	if !ok {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "no dialect is called " + fail.Quote(name),
			Hint: "Use one of: " + names() + "."}
	}
	return d, nil
}

// optionsHint looks whether the text would work with one switch more, and says which. Only a way that needs no
// guess counts: every hunk with a single place that its own lines give it, and nothing replaced.
func optionsHint(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, src *source.Reader, refused fail.List) string {
	auto := o.Dialect == "" || o.Dialect == "auto"
	src.MaxBytes = maxHintBytes - len(text)
	if !auto || o.Lenient || src.BytesRead > src.MaxBytes || errors.Is(refused, fail.CommandFailed) || errors.Is(refused, fail.PermissionDenied) {
		return ""
	}
	lenient := o
	lenient.Lenient = true
	if wouldApply(ctx, w, text, lenient, src) {
		return "With --lenient (lenient: true) this patch would apply."
	}
	for _, d := range dialect.All {
		named := o
		named.Dialect = d.Name
		if wouldApply(ctx, w, text, named, src) {
			return "With --dialect " + d.Name + " this patch would apply."
		}
	}
	return ""
}

func wouldApply(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, src *source.Reader) bool {
	view, p, err := planPatch(ctx, w, text, o, src)
	if err != nil {
		return false
	}
	for i := range p.Steps {
		if p.Steps[i].Replaces != nil {
			return false
		}
		for k, h := range p.Steps[i].Hunks {
			said := &view.Patch.Sections[p.Steps[i].Section].Hunks[k]
			if h.Others > 0 || said.AtEnd && len(said.Old()) == 0 {
				return false
			}
		}
	}
	return true
}

func names() string { return strings.Join(dialect.Names(), ", ") }
