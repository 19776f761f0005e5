package change

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Apply plans a patch and commits it. With Sequential it commits section by section, each atomically, and stops at the
// first section that fails; the sections before it stay applied.
func Apply(ctx context.Context, w *workspace.Workspace, p Patch) (*Report, error) {
	ctx = withAttempt(withTool(ctx, w, "apply_patch"), func() *api.Attempt { return patchAttempt(p) })
	ctx, err := w.WithBase(ctx, p.Base)
	if err != nil {
		return nil, refuse(ctx, w, report.View{Atomic: !p.Sequential}, err)
	}
	r := CommitRequest{Key: p.IdempotencyKey, Progress: p.Progress}
	if r.Key != "" {
		request := any(text.Sum(p.Text))
		if p.File != nil {
			request = []any{request, p.File}
		}
		if p.Paths == api.PathsFromRoot {
			request = []any{request, "root"}
		}
		r.Request = requestSum(ctx, w, "apply_patch", request)
		if rep, err := answerForKey(ctx, w, r); rep != nil || err != nil {
			return rep, refuse(ctx, w, report.View{Atomic: true}, err)
		}
	}
	if ctx, err = withPaths(ctx, w, &p); err != nil {
		return nil, refuse(ctx, w, report.View{Atomic: !p.Sequential}, err)
	}
	if p.Sequential {
		return applySections(ctx, w, p.Text, p.PatchOptions, r)
	}
	rep, view, err := applyAll(ctx, w, p.Text, p.PatchOptions, r)
	if err == nil {
		return rep, nil
	}
	if first := answeredMeanwhile(ctx, w, r); first != nil {
		return first, nil
	}
	return nil, refuse(ctx, w, view, err)
}

// applyAll plans the whole patch and commits it in one transaction.
func applyAll(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, r CommitRequest) (*Report, report.View, error) {
	src := source.NewReader(ctx, w)
	p, err := preview(ctx, w, text, o, src)
	src.Close()
	if refused, ok := errors.AsType[*report.Refusal](err); ok {
		refused.View.DryRun = false
		return nil, refused.View, refused.List
	}
	view := p.View
	view.DryRun, view.Notes, r.Asks = false, nil, p.asks
	rep, err := commitPlan(ctx, w, view, p.Plan, p.sums, r)
	return rep, view, err
}

// applySections commits the sections one after the other, each in its own transaction.
func applySections(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, r CommitRequest) (*Report, error) {
	view, d, err := parse(w, text, &o)
	view.Atomic, view.DryRun = false, false
	notePaths(ctx, &view)
	if err != nil {
		return nil, refuse(ctx, w, view, err)
	}
	if i := slices.IndexFunc(view.Patch.Sections, func(s patch.Section) bool { return s.Op == patch.Copy }); i >= 0 {
		s := &view.Patch.Sections[i]
		return nil, refuse(ctx, w, view, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Path: s.Path, Section: i + 1,
			Msg: "the patch copies the file, as it was before the patch, and its sections are to be applied one by one", Hint: "Apply the patch as a whole."})
	}
	if rep, err := reportAllApplied(ctx, w, text, o, r); rep != nil || err != nil {
		return rep, refuse(ctx, w, view, err)
	}
	done := &Report{View: view, Plan: &plan.Plan{}}
	allowed, err := askForSections(ctx, w, text, view, d, o)
	if err != nil {
		return nil, refuse(ctx, w, view, err)
	}
	for i := range view.Patch.Sections {
		rep, err := applySectionOnce(ctx, w, done, d, i, o, r, allowed)
		if err != nil {
			for _, e := range fail.All(err) {
				e.Section = i + 1
			}
			view.Done, view.Partial = done.View.Done, done.Plan
			return nil, refuse(ctx, w, view, err)
		}
		done = done.Merge(rep)
		o.Expect = expectLater(&view.Patch.Sections[i], o.Expect)
	}
	return done, nil
}

// reportAllApplied returns a report if, in idempotent mode, the patch as a whole is already applied, else nil. The
// whole patch can prove what one section leaves open.
func reportAllApplied(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, r CommitRequest) (*Report, error) {
	if !o.Idempotent {
		return nil, nil
	}
	src := source.NewReader(ctx, w)
	defer src.Close()
	view, p, err := planPatch(ctx, w, text, o, src)
	if err != nil || !p.Applied() {
		return nil, nil // applying the sections finds the reason
	}
	view.DryRun, r.Asks = false, src.Asked.List()
	return reportNothingToDo(ctx, w, view, p, src.Sums(), r)
}

// expectLater returns the expected hashes for the sections after s. An expected hash describes the file that the first
// section finds at the path, so the paths of s drop out, as in a patch that is applied as a whole.
func expectLater(s *patch.Section, expect map[string]string) map[string]string {
	out := maps.Clone(expect)
	maps.DeleteFunc(out, func(p, _ string) bool {
		return path.Clean(p) == path.Clean(s.Path) || path.Clean(p) == path.Clean(s.To)
	})
	return out
}

// applySectionOnce applies section i, unless an earlier, interrupted call with the same key has applied it.
func applySectionOnce(ctx context.Context, w *workspace.Workspace, done *Report, d *dialect.Dialect, i int, o api.PatchOptions, r CommitRequest, allowed *permission) (*Report, error) {
	last := i == len(done.View.Patch.Sections)-1
	if r.Key != "" && !last {
		r.Key = fmt.Sprintf("%s, section %d", r.Key, i+1)
		earlier, err := answerForKey(ctx, w, r)
		if err != nil {
			return nil, err
		}
		if earlier != nil {
			return earlier.alreadyApplied(done.View, i), nil
		}
	}
	rep, err := applySection(ctx, w, done, d, i, o, r, allowed)
	if err != nil {
		if earlier := answeredMeanwhile(ctx, w, r); earlier != nil {
			rep, err = earlier, nil
		}
	}
	if err == nil && rep.Stored != nil && !last {
		rep = rep.alreadyApplied(done.View, i)
	}
	return rep, err
}

// applySection plans and commits section i. done reports the sections before it. The key of the call goes to the last
// section, because the call is done only then; the other sections have keys of their own.
func applySection(ctx context.Context, w *workspace.Workspace, done *Report, d *dialect.Dialect, i int, o api.PatchOptions, r CommitRequest, allowed *permission) (*Report, error) {
	src := source.NewReader(ctx, w)
	defer src.Close()
	sections := done.View.Patch.Sections
	p, err := plan.Build(ctx, patch.Patch{Sections: sections[i : i+1]}, d.Rules(parseOptions(o)), src, planOptions(o, d))
	if err == nil {
		err = src.Batch.Recheck()
	}
	if err == nil {
		err = checkPatch(w, p)
	}
	switch {
	case allowed.covers(src):
		if err == nil {
			err = allowed.stillValid(p, src)
		}
		r.approved = allowed.record(src)
	case err != nil:
		err = askBeforeTelling(ctx, w, src, err)
	default:
		r.Asks = src.Asked.List()
	}
	if err != nil {
		return nil, err
	}
	if i == len(sections)-1 {
		r.earlierSections = done
	}
	for k := range p.Steps {
		p.Steps[k].Section = i
	}
	for k := range p.Skipped {
		p.Skipped[k].Section = i
	}
	rep, err := commitPlan(ctx, w, done.View, p, src.Sums(), r)
	if err == nil {
		allowed.noteApplied(p)
	}
	return rep, err
}
