package change

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// leave is what a person allowed of a patch whose sections are applied one by one: its paths, as long as nobody else
// changes what they have. A nil leave is that of a call which asks for none.
type permission struct {
	paths    []api.AskedPath
	asked    *audit.Asked
	sums     map[string]string // by path, what the patch may meet there; "" for nothing
	fromRoot map[string]string // the paths as the patch writes them, from the root
}

// askEach asks about all the sections of a patch before the first of them is applied. A patch whose first section does not
// fit bothers nobody: it returns nil, and that section is refused in its turn.
func askForSections(ctx context.Context, w *workspace.Workspace, patchText string, view report.View, d *dialect.Dialect, o api.PatchOptions) (*permission, error) {
	src := source.NewReader(ctx, w)
	defer src.Close()
	if src.Asked == nil {
		return nil, nil
	}
	l := &permission{sums: map[string]string{}, fromRoot: map[string]string{}}
	rules := d.Rules(parseOptions(o))
	for i := range view.Patch.Sections {
		s := &view.Patch.Sections[i]
		l.noteState(ctx, src, s.Path, rules.Absolute)
		if s.To != "" {
			l.noteState(ctx, src, s.To, rules.Absolute)
		}
	}
	if l.paths = src.Asked.List(); len(l.paths) == 0 {
		return nil, nil
	}
	reads := slices.ContainsFunc(l.paths, func(a api.AskedPath) bool { return !a.Write })
	first := patch.Patch{Sections: view.Patch.Sections[:1]}
	if _, err := plan.Build(ctx, first, rules, src, plan.Options{Expect: o.Expect, Idempotent: o.Idempotent}); err != nil && !reads {
		return nil, nil
	}
	h := consent.NewDigest(src.Sums())
	fmt.Fprintf(h, "one by one %q %q %s %t %d\n", d.Name, w.BaseDir(ctx), text.Sum(patchText), o.Lenient, o.Tolerance)
	var err error
	l.asked, err = consent.Ask(ctx, w, l.paths, l.movedTexts(ctx, src, view.Patch)+l.sectionsForPerson(patchText, view.Patch, d), h)
	return l, err
}

// look notes what stands at a path that a section names. What cannot be looked at is refused in its turn.
func (l *permission) noteState(ctx context.Context, src *source.Reader, p string, absolute bool) {
	f, err := src.Look(ctx, p, absolute)
	if err != nil {
		return
	}
	l.sums[f.Rel], l.fromRoot[p] = "", f.Rel
	if f.Kind == plan.Missing {
		return
	}
	if l.sums[f.Rel], err = src.Sum(ctx, f); err != nil {
		delete(l.sums, f.Rel)
	}
}

// show is the patch, with the sections that are asked about first: what is too long is cut at its end.
func (l *permission) sectionsForPerson(text string, p patch.Patch, d *dialect.Dialect) string {
	first := slices.Clone(p.Sections)
	rank := func(s patch.Section) int {
		if l.asksAbout(s.Path) || l.asksAbout(s.To) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(first, func(a, b patch.Section) int { return rank(a) - rank(b) })
	if out, err := d.Print(patch.Patch{Sections: first}); err == nil {
		return out
	}
	return text
}

// asks reports whether a person is asked about a path that the patch writes.
func (l *permission) asksAbout(p string) bool {
	return slices.ContainsFunc(l.paths, func(a api.AskedPath) bool { return a.Path == l.fromRoot[p] })
}

// moved is what the patch moves, as it is now, to where a person is asked about it: the patch does not have it.
func (l *permission) movedTexts(ctx context.Context, src *source.Reader, p patch.Patch) string {
	var b strings.Builder
	for i := range p.Sections {
		s := &p.Sections[i]
		if s.Op != patch.Move || !l.asksAbout(s.To) {
			continue
		}
		f, err := src.Look(ctx, s.Path, true)
		if err != nil || f.Kind == plan.Missing {
			continue // an earlier section makes it, or this one is refused
		}
		step := plan.Step{Op: patch.Move, Path: f.Rel, To: l.fromRoot[s.To], Source: f, BeforeSum: l.sums[f.Rel]}
		b.WriteString(stepForPerson(ctx, src.W, &step, false))
	}
	return b.String()
}

// covers reports whether all that a section is asked about was allowed.
func (l *permission) covers(src *source.Reader) bool {
	return !slices.ContainsFunc(src.Asked.List(), func(a api.AskedPath) bool { return l == nil || !slices.Contains(l.paths, a) })
}

// given is what the log says of a section; nil when it was not asked about.
func (l *permission) record(src *source.Reader) *audit.Asked {
	if l == nil || len(src.Asked.List()) == 0 {
		return nil
	}
	return l.asked
}

// holds refuses a section that meets what the person has not been asked about.
func (l *permission) stillValid(p *plan.Plan, src *source.Reader) error {
	if l == nil {
		return nil
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if was, ok := l.sums[s.Path]; ok && was != s.BeforeSum {
			return changedSince(s.Path)
		}
		if was, ok := l.sums[s.To]; ok && s.Op == patch.Move && was != replacedSum(src, s.Dest) {
			return changedSince(s.To)
		}
	}
	return nil
}

// at is the sha256 of what a plan replaces, which was read for it; "" for nothing.
func replacedSum(r *source.Reader, f plan.File) string {
	switch f.Kind {
	case plan.Missing:
		return ""
	case plan.Link:
		return text.Sum(f.Target)
	}
	return r.KnownSum(f)
}

// follow notes what a section has left.
func (l *permission) noteApplied(p *plan.Plan) {
	if l == nil {
		return
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		l.sums[s.Path] = s.AfterSum
		if s.Op == patch.Move || s.Op == patch.Delete {
			l.sums[s.Path] = ""
		}
		if s.Op == patch.Move {
			l.sums[s.To] = s.AfterSum
		}
	}
}
