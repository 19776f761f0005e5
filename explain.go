package emend

import (
	"context"

	"github.com/emend-dev/emend/internal/explain"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/plan"
)

// Explanation shows each section of a patch with its verdict, and each hunk beside the place where it would land, or the
// nearest one. It is a value: WriteText and WriteHTML show it to a person, Result to an agent.
type Explanation = explain.Explanation

// Layout is how an explanation is laid out as text.
type Layout = explain.Layout

// Explain says of every section and hunk of text what Plan would make of it, also where others of them fail. It reads what
// Plan reads, by the same rules; it writes nothing, and nothing of it is on record. What comes of a text that is no patch
// is an explanation as well; the error, a *Refusal, is for what cannot be looked at. Of o, Sequential has no meaning here:
// every section is looked at as if those before it had been applied.
func (w *Workspace) Explain(ctx context.Context, text string, o Options) (*Explanation, error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	ctx, err := w.from(ctx, o.Base)
	if err != nil {
		return nil, cannot(err)
	}
	src := newReader(ctx, w)
	defer src.close()
	view, d, err := w.parse(text, o)
	if err != nil {
		return explain.Unreadable(view, text, err, w.whatElse(ctx, text, o, src, fail.All(err))...), nil
	}
	rules := d.Rules(o.dialect())
	src.readAhead(ctx, view.Patch.Sections, rules.Absolute)
	s, err := plan.BuildSurvey(ctx, view.Patch, rules, src, o.planned(d))
	src.stopAhead()
	if err == nil {
		err = src.visit.Again()
	}
	if err = w.telling(ctx, src, err); err != nil {
		return nil, cannot(err)
	}
	if s.Plan != nil {
		s.Refuse(fail.All(w.limits.checkPlan(s.Plan)))
	}
	return explain.Of(view, s, w.whatElse(ctx, text, o, src, s.Refused)...), nil
}

// whatElse is what is to be known beside the sections: what a commit would ask first, or which switch would help.
func (w *Workspace) whatElse(ctx context.Context, text string, o Options, src *reader, refused fail.List) []string {
	if len(refused) == 0 {
		return willAsk(src.asks.List())
	}
	src.asks = nil // nobody is asked about what is only looked at for a hint
	if hint := w.elsewhere(ctx, text, o, src, refused); hint != "" {
		return []string{hint}
	}
	return nil
}
