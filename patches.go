package emend

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/draft"
	"github.com/emend-dev/emend/internal/explain"
	"github.com/emend-dev/emend/internal/outcome"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	texts "github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Explanation shows each section of a patch with its verdict, and each hunk beside the place where it would land, or the
// nearest one. It is a value: WriteText and WriteHTML show it to a person, Result to an agent.
type Explanation = explain.Explanation

// Layout is how an explanation is laid out as text.
type Layout = explain.Layout

// Change is one file before and after, for [Make].
type Change = draft.Change

// Commit makes a plan true, entirely or not at all. It decides nothing: what the plan saw must still be so, or it
// refuses; a person whom the policy wants to be asked is asked now. An error is a *Refusal, and the tree is as it was, unless errors.Is finds its reason [fail.Indeterminate]:
// then [Workspace.Recover] has to finish it or take it back. Sections of a plan are committed together, whatever
// Options.Sequential said; [Workspace.Apply] does them one by one.
func (w *Workspace) Commit(ctx context.Context, p *outcome.Plan) (*outcome.Report, error) {
	view := p.View
	if err := w.s.Enter(); err != nil {
		return nil, &outcome.Refusal{View: view, List: fail.All(err)}
	}
	defer w.s.Leave()
	ctx = change.Calling(ctx, w.s, "apply_patch")
	view.DryRun, view.Atomic = false, true
	if p.Of != w.s {
		return nil, &outcome.Refusal{View: view, List: fail.List{{Kind: fail.CommandFailed, Reason: fail.BadArguments,
			Msg: "the plan was made by another workspace, whose rules may be others", Hint: "Plan the patch in the workspace that commits it."}}}
	}
	view.Notes = nil
	rep, err := change.Commit(ctx, w.s, view, p.Plan, p.Sums, change.Record{Asks: p.Asks})
	if err == nil {
		return rep, nil
	}
	list := fail.All(err)
	change.Note(ctx, w.s, &view, list)
	return nil, &outcome.Refusal{View: view, List: list}
}

// Apply plans text and commits it. With Options.Sequential it does so section by section, each atomic, and stops at the
// first that fails: the *Refusal then lists what was done and stays. A call with an idempotency key that was committed
// before does nothing and returns the first answer. Refusals are noted in the log.
func (w *Workspace) Apply(ctx context.Context, text string, o api.PatchOptions) (*outcome.Report, error) {
	if err := w.s.Enter(); err != nil {
		return nil, &outcome.Refusal{List: fail.All(err)}
	}
	defer w.s.Leave()
	ctx = change.Calling(ctx, w.s, "apply_patch")
	ctx, err := w.s.WithBase(ctx, o.Base)
	if err != nil {
		return nil, change.Refuse(ctx, w.s, report.View{Atomic: !o.Sequential}, err)
	}
	r := change.Record{Key: o.IdempotencyKey, Progress: o.Progress}
	if r.Key != "" {
		r.Request = change.RequestSum(ctx, w.s, "apply_patch", texts.Sum(text))
		if rep, err := change.Earlier(ctx, w.s, r); rep != nil || err != nil {
			return rep, change.Refuse(ctx, w.s, report.View{Atomic: true}, err)
		}
	}
	if o.Sequential {
		return change.ApplyEach(ctx, w.s, text, o, r)
	}
	rep, view, err := change.ApplyAll(ctx, w.s, text, o, r)
	if err == nil {
		return rep, nil
	}
	if first := change.Meanwhile(ctx, w.s, r); first != nil {
		return first, nil
	}
	return nil, change.Refuse(ctx, w.s, view, err)
}

// Refused notes in the log that a call of a tool was refused before it reached the workspace, and words the refusal. op
// is what the tool would have done to the paths that the call names, as far as those could be read.
func (w *Host) Refused(ctx context.Context, tool string, op patch.Op, paths []string, err error) *outcome.Refusal {
	var named []patch.Section
	for _, p := range paths {
		named = append(named, patch.Section{Op: op, Path: p})
	}
	view := report.View{Patch: patch.Patch{Sections: named}, Atomic: true}
	if e := w.s.Enter(); e != nil {
		return &outcome.Refusal{View: view, List: fail.All(err)}
	}
	defer w.s.Leave()
	refused, _ := errors.AsType[*outcome.Refusal](change.Refuse(change.Calling(ctx, w.s, tool), w.s, view, err))
	return refused
}

// Explain says of every section and hunk of text what Plan would make of it, also where others of them fail. It reads what
// Plan reads, by the same rules; it writes nothing, and nothing of it is on record. What comes of a text that is no patch
// is an explanation as well; the error, a *Refusal, is for what cannot be looked at. Of o, Sequential has no meaning here:
// every section is looked at as if those before it had been applied.
func (w *Workspace) Explain(ctx context.Context, text string, o api.PatchOptions) (*Explanation, error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Leave()
	ctx, err := w.s.WithBase(ctx, o.Base)
	if err != nil {
		return nil, outcome.Cannot(err)
	}
	src := source.NewReader(ctx, w.s)
	defer src.Close()
	view, d, err := change.Parse(w.s, text, o)
	if err != nil {
		return explain.Unreadable(view, text, err, change.WhatElse(ctx, w.s, text, o, src, fail.All(err))...), nil
	}
	rules := d.Rules(change.Dialect(o))
	src.ReadAhead(ctx, view.Patch.Sections, rules.Absolute)
	s, err := plan.BuildSurvey(ctx, view.Patch, rules, src, change.Planned(o, d))
	src.StopAhead()
	if err == nil {
		err = src.Batch.Recheck()
	}
	if err = change.Telling(ctx, w.s, src, err); err != nil {
		return nil, outcome.Cannot(err)
	}
	if s.Plan != nil {
		s.Refuse(fail.All(w.s.CheckPlan(s.Plan)))
	}
	return explain.Of(view, s, change.WhatElse(ctx, w.s, text, o, src, s.Refused)...), nil
}

// Make writes the patch for changes in the named dialect, with at least context lines around each change and as
// many more as every hunk needs to have exactly one place. Applying the patch to the old contents gives the new
// ones, byte for byte; what the dialect cannot say is refused, naming the file and the line.
func Make(changes []Change, dialectName string, context int) (string, error) {
	d, err := change.Named(dialectName)
	if err != nil {
		return "", outcome.Refuse(err)
	}
	p, err := draft.Between(d, changes, context)
	if err != nil {
		return "", outcome.Refuse(err)
	}
	if len(p.Sections) == 0 {
		return "", nil
	}
	out, err := d.Print(p)
	if err != nil {
		return "", outcome.Refuse(err)
	}
	return out, nil
}

// Convert reads a patch as o says and writes it in the dialect to. It also returns what lenient reading let pass.
// No file is looked at.
func Convert(text, to string, o api.PatchOptions) (out string, passed []string, err error) {
	opts := dialect.Options{Lenient: o.Lenient}
	from, err := change.Choose(text, o.Dialect)
	if err != nil {
		return "", nil, outcome.Refuse(err)
	}
	d, err := change.Named(to)
	if err != nil {
		return "", nil, outcome.Refuse(err)
	}
	parsed, err := from.Parse(text, opts)
	if err != nil {
		return "", nil, outcome.Refuse(err)
	}
	if out, err = d.Print(parsed.Patch); err != nil {
		return "", nil, outcome.Refuse(err)
	}
	return out, parsed.Passed, nil
}

// Version is the version that the binary was built as.
func Version() api.Build {
	b := api.Build{Version: "devel", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			b.Commit = s.Value
		}
	}
	return b
}
