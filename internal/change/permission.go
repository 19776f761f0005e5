package change

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// permission is a person's approval of a patch that is applied section by section. It holds while the files have the
// contents that the person was asked about, or that sections of the patch have left. A nil permission belongs to a
// patch that needed no approval.
type permission struct {
	paths    []api.AskedPath
	asked    *consent.Result
	sums     map[string]string // by path, the hash that the file has to have; "" for no file
	fromRoot map[string]string // paths relative to the root, by the paths as the patch writes them
}

// askForSections asks a person about all sections of a patch before the first is applied. It returns nil without asking
// if no section needs approval. It also does so if the first section does not fit and nothing needs approval to be
// read: that section is refused when it is applied.
func askForSections(ctx context.Context, w *workspace.Workspace, patchText string, view report.View, d *dialect.Dialect, o api.PatchOptions) (*permission, error) {
	src := source.NewReader(ctx, w)
	defer src.Close()
	if !src.Asked.CanAsk {
		return nil, nil
	}
	perm := &permission{sums: map[string]string{}, fromRoot: map[string]string{}}
	rules := d.Rules(parseOptions(o))
	for i := range view.Patch.Sections {
		s := &view.Patch.Sections[i]
		perm.noteState(ctx, src, s.Path, rules.Absolute)
		if s.To != "" {
			perm.noteState(ctx, src, s.To, rules.Absolute)
		}
	}
	if perm.paths = src.Asked.List(); len(perm.paths) == 0 {
		return nil, nil
	}
	reads := slices.ContainsFunc(perm.paths, func(a api.AskedPath) bool { return !a.Write })
	first := patch.Patch{Sections: view.Patch.Sections[:1]}
	if _, err := plan.Build(ctx, first, rules, src, planOptions(o, d)); err != nil && !reads {
		return nil, nil
	}
	h := consent.NewDigest(src.Sums())
	fmt.Fprintf(h, "one by one %q %q %s %t %d\n", d.Name, w.BaseDir(ctx), text.Sum(patchText), o.Lenient, o.Tolerance)
	var err error
	perm.asked, err = consent.Ask(ctx, w, perm.paths, perm.movedTexts(ctx, src, view.Patch)+perm.sectionsForPerson(patchText, view.Patch, d), h)
	return perm, err
}

// noteState records the hash of the file at a path that a section names. It skips a path that cannot be looked up,
// because the section is refused when it is applied.
func (perm *permission) noteState(ctx context.Context, src *source.Reader, p string, absolute bool) {
	f, err := src.Look(ctx, p, absolute)
	if err != nil {
		return
	}
	perm.sums[f.Rel], perm.fromRoot[p] = "", f.Rel
	if f.Kind == plan.Missing {
		return
	}
	if perm.sums[f.Rel], err = src.Sum(ctx, f); err != nil {
		delete(perm.sums, f.Rel)
	}
}

// sectionsForPerson returns the patch for the person who approves it. The sections that need approval come first,
// because a long text is cut at its end.
func (perm *permission) sectionsForPerson(text string, p patch.Patch, d *dialect.Dialect) string {
	first := slices.Clone(p.Sections)
	rank := func(s patch.Section) int {
		if perm.asksAbout(s.Path) || perm.asksAbout(s.To) {
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

// asksAbout reports whether the path p, as the patch writes it, needs approval.
func (perm *permission) asksAbout(p string) bool {
	return slices.ContainsFunc(perm.paths, func(a api.AskedPath) bool { return a.Path == perm.fromRoot[p] })
}

// movedTexts returns the contents that the patch moves to paths that need approval. The patch itself does not have
// them.
func (perm *permission) movedTexts(ctx context.Context, src *source.Reader, p patch.Patch) string {
	var b strings.Builder
	for i := range p.Sections {
		s := &p.Sections[i]
		if s.Op != patch.Move || !perm.asksAbout(s.To) {
			continue
		}
		f, err := src.Look(ctx, s.Path, true)
		if err != nil || f.Kind == plan.Missing {
			continue // an earlier section creates the file, or this section will be refused
		}
		step := plan.Step{Op: patch.Move, Path: f.Rel, To: perm.fromRoot[s.To], Source: f, BeforeSum: perm.sums[f.Rel]}
		b.WriteString(stepForPerson(ctx, src.W, &step, false))
	}
	return b.String()
}

// covers reports whether the person approved all that this section needs.
func (perm *permission) covers(src *source.Reader) bool {
	return !slices.ContainsFunc(src.Asked.List(), func(a api.AskedPath) bool { return perm == nil || !slices.Contains(perm.paths, a) })
}

// record returns the approval for the log entry of a section, nil if the section needed none.
func (perm *permission) record(src *source.Reader) *consent.Result {
	if perm == nil || len(src.Asked.List()) == 0 {
		return nil
	}
	return perm.asked
}

// stillValid refuses a section if one of its files changed after the person was asked.
func (perm *permission) stillValid(p *plan.Plan, src *source.Reader) error {
	if perm == nil {
		return nil
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if was, ok := perm.sums[s.Path]; ok && was != s.BeforeSum {
			return changedSince(s.Path)
		}
		if was, ok := perm.sums[s.To]; ok && s.Op == patch.Move && was != replacedSum(src, s.Dest) {
			return changedSince(s.To)
		}
	}
	return nil
}

// replacedSum returns the hash of the file that a move replaces, "" for none. The plan has read that file.
func replacedSum(r *source.Reader, f plan.File) string {
	switch f.Kind {
	case plan.Missing:
		return ""
	case plan.Link:
		return text.Sum(f.Target)
	}
	return r.KnownSum(f)
}

// noteApplied records the hashes that an applied section leaves.
func (perm *permission) noteApplied(p *plan.Plan) {
	if perm == nil {
		return
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		perm.sums[s.Path] = s.AfterSum
		if s.Op == patch.Move || s.Op == patch.Delete {
			perm.sums[s.Path] = ""
		}
		if s.Op == patch.Move {
			perm.sums[s.To] = s.AfterSum
		}
	}
}
