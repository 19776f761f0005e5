package plan

import (
	"context"
	"errors"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Survey is what [Build] finds out about every section on its way to a plan or a refusal.
type Survey struct {
	Plan     *Plan     // what the patch would do; nil when it is refused
	Refused  fail.List // why, in patch order
	Sections []Surveyed

	file  *text.Lines // of the section in hand
	stood []Stand
}

// Surveyed is what was found out about one section.
type Surveyed struct {
	Step   Step        // as far as it was settled
	Failed fail.List   // why it is refused; its hunks have theirs in here as well
	File   *text.Lines // where its hunks were looked for; nil when it was not read
	Hunks  []Stand     // one a hunk; none when they were not looked for

	Skipped bool // all of it is already applied, and left out
}

// Stand is where a hunk stands: in its place, or why not.
type Stand struct {
	Hunk  patch.Hunk // as it was looked for
	Cut   int        // how many of its last lines are separators and no part of it
	At    Placed     // where it landed; of a hunk that is refused where it would have, with Line 0 for nowhere
	Last  int        // of one that is skipped: the last line of its outcome, which begins at At.Line
	Lines []int      // for each of its old lines the line of the file, from 1; 0 for one that an earlier hunk wrote
	Err   *fail.Error
	By    int // the number, from 1, of the other hunk of an overlap; 0 when there is none or it is not known
}

// BuildSurvey is Build, which also tells what became of every section and hunk. The error is one that ended the work; a
// refusal is in the survey. A section whose file has changed since it was read is looked at all the same: the survey says
// where its hunks would go now.
//
// It holds the lines of all files at once, and a number for every old line of a hunk, beside what Build holds.
func BuildSurvey(ctx context.Context, p patch.Patch, r dialect.Rules, src Source, o Options) (*Survey, error) {
	b := newBuilder(ctx, r, src, o)
	b.survey = &Survey{Sections: make([]Surveyed, 0, len(p.Sections))}
	out, err := b.build(p)
	for _, s := range b.skipped {
		b.survey.Sections[s.Section].Skipped = true
	}
	for _, s := range b.steps { // of which only some hunks are
		b.survey.Sections[s.Section].Skipped = false
	}
	if list, ok := errors.AsType[fail.List](err); ok {
		b.survey.Refuse(list)
		return b.survey, nil
	}
	b.survey.Plan = out
	return b.survey, err
}

// surveyed notes what became of a section.
func (b *builder) surveyed(s *patch.Section, step *Step, err error) {
	if b.survey.file == nil && step.BeforeSum != "" && len(s.Hunks) > 0 && errors.Is(err, fail.Stale) {
		now := *step
		b.edit(s, &now) //nolint:errcheck // it is refused anyway: only where its hunks stand is wanted
	}
	b.survey.Sections = append(b.survey.Sections, Surveyed{Step: *step, File: b.survey.file, Hunks: b.survey.stood})
	b.survey.file, b.survey.stood = nil, nil
}

// Refuse adds failures, each to its section.
func (v *Survey) Refuse(list fail.List) {
	v.Refused = append(v.Refused, list...)
	for _, e := range list {
		if i := e.Section - 1; i >= 0 && i < len(v.Sections) {
			v.Sections[i].Failed = append(v.Sections[i].Failed, e)
		}
	}
}

// stands notes where the hunks of the section in hand stand, if placing them came to its end.
func (v *Survey) stands(p *placer) {
	v.file = p.file
	if p.limit != nil {
		return
	}
	v.stood = make([]Stand, len(p.spots))
	for k := range p.spots {
		s := &p.spots[k]
		v.stood[k] = Stand{Hunk: p.hunks[k], Err: s.err, Lines: s.over, Cut: s.try.cut}
		if s.placed || s.applied || len(s.over) > 0 {
			v.stood[k].At = Placed{Line: s.start + 1, Rung: s.rung, Others: s.others, Skipped: s.applied}
		}
		if s.applied {
			v.stood[k].Last = s.stop
		}
		if s.err != nil && s.err.Kind == fail.Overlapping {
			v.stood[k].By = s.by
		}
	}
}

// trace notes that the next old line of s's hunk stands at at.
func (p *placer) trace(s *spot, at match.Slot) {
	switch {
	case !p.traced:
	case p.doc.Inserted(at):
		s.over = append(s.over, 0)
	default:
		s.over = append(s.over, at+1)
	}
}

// Pair is a line of one text and the line of another that stands for it, from 0; -1 where there is none.
type Pair struct{ A, B int }

// Pairs aligns the lines a of a hunk with the lines b of a file that they resemble: equal ones but for white space and
// typography with each other, and between them one for one what is left.
func Pairs(a, b []string) []Pair {
	aligned := align(a, b, 0)
	out := make([]Pair, len(aligned))
	for i, p := range aligned {
		out[i] = Pair{p.mine, p.theirs}
	}
	return out
}
