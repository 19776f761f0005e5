package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/patch"
)

// corrected does at once what the refusals of p would ask for: it plans p again with refused hunks replaced by the hunks that their
// refusals offer, and without what is applied already. It returns nil if the rules do not allow it, if a refusal offers nothing,
// or if the patch is refused again.
func (b *builder) corrected(p patch.Patch) *builder {
	if !b.rules.Corrects || len(b.errs) == 0 {
		return nil
	}
	p.Sections = slices.Clone(p.Sections)
	again := newBuilder(b.ctx, b.rules, b.src, b.opts)
	cloned := map[int]bool{}
	for _, e := range b.errs {
		if e.Already {
			again.opts.Idempotent = true
			continue
		}
		h, ok := b.corrections[e]
		if !ok || e.Nearest.Corrected == "" {
			return nil
		}
		s := &p.Sections[e.Section-1]
		if !cloned[e.Section] {
			s.Hunks, cloned[e.Section] = slices.Clone(s.Hunks), true
		}
		s.Hunks[e.Hunk-1] = h
	}
	if b.survey != nil {
		again.survey = &Survey{}
	}
	if again.decide(p); len(again.errs) > 0 {
		return nil
	}
	b.noteCorrections(again)
	return again
}

// noteCorrections notes in the steps of again which hunks were corrected, and how they differed from the file.
func (b *builder) noteCorrections(again *builder) {
	for _, e := range b.errs {
		if e.Already {
			continue
		}
		mark := func(at *Placed) {
			if !at.Skipped {
				at.Rung, at.Corrected = patch.Corrected, firstOf(e.Nearest.Differs)
			}
		}
		for i := range again.steps {
			if s := &again.steps[i]; s.Section == e.Section-1 {
				mark(&s.Hunks[e.Hunk-1])
			}
		}
		if again.survey != nil {
			mark(&again.survey.Sections[e.Section-1].Hunks[e.Hunk-1].At)
		}
	}
}

// firstOf joins the first of lines.
func firstOf(lines []string) string {
	const most = 3
	if len(lines) > most {
		return fmt.Sprintf("%s; and %d more", strings.Join(lines[:most], "; "), len(lines)-most)
	}
	return strings.Join(lines, "; ")
}
