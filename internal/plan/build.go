package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan/internal/repeat"
	"github.com/emend-dev/emend/patch"
)

// Build makes a plan for p under rules r. If the patch is refused the error is a fail.List with every failing section
// and hunk, in patch order; if ctx ends it wraps ctx's error.
//
// It takes time linear in the files and the patch. It holds at most 3 x (files + patch) + 16 bytes a line + 32 MiB: the
// contents before and after, and for one file at a time what placing its hunks costs. Of the 32 MiB, some 300 bytes are
// for a hunk itself, however short, so that the bound holds for a hundred thousand of them in one file. BenchmarkBuild
// prints both. Where sections of one path apply in order, each reads the file anew, up to maxRereads together. A patch that is
// refused may cost as much again for each of its decodings, which are planned one at a time, and a section that is merged as much again
// for each version that is tried, up to maxMerged each.
func Build(ctx context.Context, p patch.Patch, r dialect.Rules, src Source, o Options) (*Plan, error) {
	b := newBuilder(ctx, r, src, o)
	out, err := b.read(p)
	if d := b.decode(p, err); d != nil {
		return d, nil
	}
	if again := b.corrected(p); again != nil {
		return again.result()
	}
	return out, err
}

// read plans p, unless it could not be read.
func (b *builder) read(p patch.Patch) (*Plan, error) {
	if b.opts.Unread != nil {
		return nil, b.opts.Unread
	}
	return b.build(p)
}

func (b *builder) build(p patch.Patch) (*Plan, error) {
	b.decide(p)
	return b.result()
}

// result returns the plan, or every reason why there is none.
func (b *builder) result() (*Plan, error) {
	if err := b.ctx.Err(); err != nil {
		return nil, cancelled(err)
	}
	if len(b.errs) > 0 {
		slices.SortStableFunc(b.errs, func(a, b *fail.Error) int { return a.Section - b.Section })
		return nil, b.errs
	}
	return &Plan{Steps: b.steps, Skipped: b.skipped, Passed: b.passed}, nil
}

// decide plans every section, unless the context ends, and what sections have to do with each other.
func (b *builder) decide(p patch.Patch) {
	b.sections = p.Sections
	if b.survey != nil {
		b.survey.Sections = make([]SurveyedSection, len(p.Sections))
	}
	for _, i := range b.ordered(p.Sections) {
		if b.ctx.Err() != nil {
			return
		}
		b.section(i, &p.Sections[i])
	}
	b.checkSwapped(p.Sections)
	b.checkNesting(p.Sections)
	b.settleApplied(len(p.Sections))
}

// BuildSurvey is Build, but also says what became of every section and hunk. A refusal is in the survey; the error is
// one that ended the work. If a file changed since it was read, the survey says where the hunks would go now.
//
// It holds the lines of all files at once, and a number for every old line of a hunk, beside what Build holds.
func BuildSurvey(ctx context.Context, p patch.Patch, r dialect.Rules, src Source, o Options) (*Survey, error) {
	b := newBuilder(ctx, r, src, o)
	b.survey = &Survey{}
	out, err := b.read(p)
	if d := b.decode(p, err); d != nil {
		if b, err = b.attemptAt(*d.Decoded); err != nil {
			return nil, err
		}
		b.survey = &Survey{}
		if out, err = b.build(d.Decoded.Patch); err == nil {
			out.Decoded = d.Decoded
		}
	} else if again := b.corrected(p); again != nil {
		b = again
		out, err = b.result()
	}
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

// section plans section i and decides where it goes: to the steps, to what is already applied, or to the refusals.
func (b *builder) section(i int, s *patch.Section) {
	step := Step{Op: s.Op, Section: i, Writes: s.Path}
	var err error
	switch {
	case b.circle[i]:
		err = b.exchange(s, &step)
	case s.Op == patch.Add:
		err = b.add(s, &step)
	case s.Op == patch.Update:
		err = b.update(s, &step)
	case s.Op == patch.Delete:
		err = b.remove(s, &step)
	case s.Op == patch.Move:
		err = b.move(s, &step)
	case s.Op == patch.Copy:
		err = b.copy(s, &step)
	}
	if b.survey != nil {
		b.noteSection(i, s, &step, err)
	}
	how := repeat.None
	if !b.circle[i] {
		how = b.alreadyApplied(s, &step, err)
	}
	if how != repeat.None {
		b.applied = append(b.applied, applied{how, Skip{Op: step.Op, Path: step.Path, To: step.To, Section: i, Hunks: numbersTo(len(s.Hunks))}})
	}
	switch {
	case err != nil:
		b.refuse(i, s, err)
	case how == repeat.None || !b.opts.Idempotent:
		b.steps = append(b.steps, step)
		b.noteSkippedHunks(&step)
	}
}

// noteSection notes what became of a section.
func (b *builder) noteSection(i int, s *patch.Section, step *Step, err error) {
	if b.survey.file == nil && step.BeforeSum != "" && len(s.Hunks) > 0 && errors.Is(err, fail.Stale) {
		now := *step
		now.seen = nil
		b.edit(s, &now) //nolint:errcheck // it is refused anyway: only the places of its hunks are wanted
	}
	b.noteConflict(err)
	b.survey.Sections[i] = SurveyedSection{Step: *step, File: b.survey.file, Hunks: b.survey.hunks}
	b.survey.file, b.survey.hunks = nil, nil
}

// noteSkippedHunks notes the hunks of a step that are skipped.
func (b *builder) noteSkippedHunks(s *Step) {
	out := Skip{Op: s.Op, Path: s.Path, To: s.To, Section: s.Section}
	for k, h := range s.Hunks {
		if h.Skipped {
			out.Hunks = append(out.Hunks, k)
		}
	}
	if out.Hunks != nil {
		b.skipped = append(b.skipped, out)
	}
}

// checkNesting refuses a patch that makes a file where another section needs a directory.
func (b *builder) checkNesting(sections []patch.Section) {
	made := map[string]int{}
	for _, s := range b.steps {
		if p := s.writes(); p != "" {
			made[p] = s.Section
		}
	}
	for _, s := range b.steps {
		p := s.writes()
		for i := range p {
			if p[i] != '/' {
				continue
			}
			if other, ok := made[p[:i]]; ok {
				b.errs = append(b.errs, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments,
					Path: s.Writes, Section: s.Section + 1,
					Msg:  fmt.Sprintf("the section on patch line %d makes %s a file, not a directory", sections[other].Line, fail.Quote(p[:i])),
					Hint: "Choose another path for one of the two."})
			}
		}
	}
}

// settleApplied decides, once all sections are known, which of them are already applied. They are skipped, or their
// refusals say so.
func (b *builder) settleApplied(sections int) {
	proved := slices.ContainsFunc(b.applied, func(a applied) bool { return a.proof == repeat.Strong })
	whole := len(b.applied) == sections && proved
	done, unproved := map[int]bool{}, map[int]bool{} // by section
	for _, a := range b.applied {
		if a.proof < repeat.Strong && !whole {
			unproved[a.skip.Section] = true
			continue
		}
		done[a.skip.Section] = true
		if b.opts.Idempotent {
			b.skipped = append(b.skipped, a.skip)
		}
	}
	b.explainUnproved(unproved)
	if len(done) == 0 && !slices.ContainsFunc(b.errs, func(e *fail.Error) bool { return e.Already }) {
		return
	}
	if b.opts.Idempotent {
		slices.SortStableFunc(b.skipped, func(a, b Skip) int { return a.Section - b.Section })
		b.errs = slices.DeleteFunc(b.errs, func(e *fail.Error) bool { return done[e.Section-1] })
		return
	}
	for i, e := range b.errs {
		sayApplied(e, done[e.Section-1], whole && i == 0)
	}
}

// explainUnproved says in the refusals of sections why they are not skipped, if that was asked for: their files are gone, and
// nothing shows that they were ever there.
func (b *builder) explainUnproved(sections map[int]bool) {
	for _, e := range b.errs {
		if sections[e.Section-1] && b.opts.Idempotent {
			e.Hint = "If it was done before, leave the section out, or expect the sha256 that the file had: then it counts as applied."
		}
	}
}

// sayApplied says in a refusal that the section, or at least the hunk, is already applied.
func sayApplied(e *fail.Error, section, whole bool) {
	const skips = "‹idempotent:, or send the patch with {}, which skips it›."
	e.Already = e.Already || section
	switch {
	case whole:
		e.Msg, e.Hint = "the whole patch is already applied: "+e.Msg, "Nothing is left to do.‹idempotent: With {} that is no error.›"
	case section:
		e.Msg, e.Hint = e.Msg+" (the section is already applied)", "Leave the section out"+skips
	case e.Already:
		e.Msg, e.Hint = e.Msg+" (the hunk is already applied)", "Leave the hunk out"+skips
	}
}

// numbersTo lists the numbers from 0 up to n; nil if there are none.
func numbersTo(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}
