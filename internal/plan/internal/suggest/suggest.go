// Package suggest finds what would have worked: the place that a hunk or an old text nearly fits, what differs there, and
// a corrected hunk or old text that has that place and no other.
//
// It only adds to refusals. It places nothing itself, and what it suggests is proved against the file but not applied.
package suggest

import (
	"maps"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan/internal/indent"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/patch"
)

// Corrections are hunks that would apply in place of refused ones, by the refusal.
type Corrections map[*fail.Error]patch.Hunk

// Hunks adds to the refusals errs of p's hunks what is really there, and a hunk that would apply, printed by print; none
// if print is nil. It returns these hunks. sections are those of the whole patch.
func Hunks(p *place.Placement, sections []patch.Section, errs fail.List, print func(patch.Hunk) (string, bool)) Corrections {
	out := withoutAnchors(p, errs, print)
	var open []*search
	texts, step := map[string]bool{}, -1
	for _, e := range errs {
		if e.Reason != fail.ContextNotFound || e.Already || len(open) == refusal.MaxExplained || p.Spots[e.Hunk-1].Early || p.Spots[e.Hunk-1].Doubles {
			continue
		}
		h := &p.Hunks[e.Hunk-1]
		if n := len(h.Lines); n > 0 && n <= maxLines && slices.ContainsFunc(h.Lines, patch.Line.Old) {
			s := newSearch(p.File, h, e, "the hunk")
			if step < 0 {
				step = indent.Step(p.File)
			}
			s.last, s.texts, s.step, s.unmarked = e.Hunk == len(p.Hunks), texts, step, p.Rules.Unmarked
			open = append(open, s)
		}
	}
	if len(open) == 0 {
		return out
	}
	vote(p.File, open)
	open = alreadyThere(p.File, open)
	for _, s := range open {
		s.findAlignments()
	}
	narrowByAnchors(p, open)
	indented := agreeOnTabs(p, open)
	for _, s := range open {
		s.describe()
	}
	if print == nil || !indented {
		return out
	}
	corrected := suggestCorrected(p, sections, open, print)
	if out == nil {
		return corrected
	}
	maps.Copy(out, corrected)
	return out
}

// narrowByAnchors lets the anchors of hunks decide between places that are equally near.
func narrowByAnchors(p *place.Placement, open []*search) {
	tied := map[int]*search{}
	for _, s := range open {
		if !s.alone && len(s.alignments) > 1 && s.hunk.How != patch.Adjoin {
			tied[s.err.Hunk-1] = s
		}
	}
	p.FindAnchors(func(k int) bool { return tied[k] != nil })
	for k, s := range tied {
		if a, ok := p.Anchor(k); ok && a.Line >= 0 {
			s.dropAbove(a.Line)
		}
	}
}
