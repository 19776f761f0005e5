package change

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/explain"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
)

// Explain returns, for each section and hunk of a patch, what [Preview] would do with it, also if others fail. It
// changes no file and writes no log entry.
func Explain(ctx context.Context, w *workspace.Workspace, p Patch) (*explain.Explanation, error) {
	ctx, err := withPaths(ctx, w, &p)
	if err != nil {
		return nil, err
	}
	src := source.NewReader(ctx, w)
	defer src.Close()
	view, d, how, err := read(w, p.Text, &p.PatchOptions)
	if err != nil {
		return explain.Unreadable(view, p.Text, err, explainNotes(ctx, w, p.Text, p.PatchOptions, src, fail.All(err))...), nil
	}
	notePaths(ctx, &view)
	rules := d.Rules(parseOptions(p.PatchOptions))
	src.Prefetch(ctx, view.Patch.Sections, rules.Absolute)
	s, err := plan.BuildSurvey(ctx, view.Patch, rules, src, how)
	src.StopPrefetch()
	if err != nil && how.Unread != nil {
		return explain.Unreadable(view, p.Text, how.Unread, explainNotes(ctx, w, p.Text, p.PatchOptions, src, fail.All(how.Unread))...), nil
	}
	if err == nil {
		err = src.Batch.Recheck()
	}
	if err = askBeforeTelling(ctx, w, src, err); err != nil {
		return nil, err
	}
	view = decoded(view, s.Plan)
	if s.Plan != nil {
		s.Refuse(fail.All(checkPatch(w, s.Plan)))
	}
	return explain.Of(view, s, explainNotes(ctx, w, p.Text, p.PatchOptions, src, s.Refused)...), nil
}

// ExplainIn is [Explain] against files with these contents, by their paths from the root, instead of those of the workspace.
func ExplainIn(ctx context.Context, w *workspace.Workspace, p Patch, files map[string]string) (*explain.Explanation, error) {
	view, d, how, err := read(w, p.Text, &p.PatchOptions)
	if err != nil {
		return explain.Unreadable(view, p.Text, err), nil
	}
	s, err := plan.BuildSurvey(ctx, view.Patch, d.Rules(parseOptions(p.PatchOptions)), plan.Memory(files), how)
	if err != nil && how.Unread != nil {
		return explain.Unreadable(view, p.Text, how.Unread), nil
	}
	if err != nil {
		return nil, err
	}
	return explain.Of(decoded(view, s.Plan), s), nil
}

// explainNotes returns notes for the whole patch: which approvals a commit would ask for, or which option would make
// the patch apply.
func explainNotes(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, src *source.Reader, refused fail.List) []string {
	if len(refused) == 0 {
		return consent.PlanNotes(src.Asked)
	}
	src.Asked = new(guard.AskedPaths) // looking for a hint asks nobody
	if hint := optionsHint(ctx, w, text, o, src, refused); hint != "" {
		return []string{hint}
	}
	return nil
}
