package suggest

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/plan/internal/repeat"
	"github.com/emend-dev/emend/patch"
)

// suggestCorrected prints and returns the corrected hunks that have exactly one place, with more context where they need it. The
// place must stay the only one in the text that the other hunks leave.
func suggestCorrected(p *place.Placement, sections []patch.Section, open []*search, print func(patch.Hunk) (string, bool)) Corrections {
	open = slices.DeleteFunc(slices.Clone(open), func(s *search) bool { return s.corrected == nil || offAnchor(p, s) })
	if len(open) == 0 {
		return nil
	}
	if k := firstRepeat(p); k >= 0 {
		for _, s := range open {
			s.err.Hint = fmt.Sprintf("Hunk %d would add once more what stands there: leave it out, if it is applied already. %s", k+1, s.err.Hint)
		}
		return nil
	}
	if open = withoutRivalled(p, withoutEncoded(sections, open)); len(open) == 0 {
		return nil
	}
	out := Corrections{}
	offer := func(s *search, h patch.Hunk) bool {
		if !s.offer(h, print) {
			return false
		}
		out[s.err] = h
		return true
	}
	o := &otherHunks{p: p, open: open}
	x := match.NewIndex(match.NewDoc(p.File), patch.Exact, len(open))
	var forms []widened
	for _, s := range open {
		for _, around := range contextSizes {
			h, from, to := s.widen(around)
			if !o.free(s, from, to) || around == 0 && s.provedUnique(h) && o.keepsPlace(s, h) && offer(s, h) {
				break
			}
			forms = append(forms, widened{s, h, x.Add(slices.Values(h.Old()))})
		}
	}
	if len(forms) == 0 {
		return out
	}
	x.Build()
	for _, f := range forms {
		if f.s.err.Nearest.Corrected == "" && f.n != 0 && x.Count(f.n) == 1 && o.keepsPlace(f.s, f.h) {
			offer(f.s, f.h)
		}
	}
	return out
}

// withoutRivalled drops the corrections of hunks that have a rival.
func withoutRivalled(p *place.Placement, open []*search) (out []*search) {
	claims := make([]place.Claim, len(open))
	for i, s := range open {
		claims[i] = place.Claim{Lines: s.lines, From: s.from, To: s.to, Gaps: s.hasGaps(&s.alignments[0])}
	}
	taken := slices.Clone(claims)
	for k := range p.Spots {
		if at := &p.Spots[k]; at.Applied {
			taken = append(taken, place.Claim{From: at.Start, To: at.Stop})
		}
	}
	for i, line := range place.Rivals(p.File, claims, taken) {
		if line == place.Unknown {
			continue
		}
		if line > 0 {
			open[i].err.Hint = fmt.Sprintf("Around line %d of the file stand lines of the hunk that are not here, or what is left once the hunk's removed lines are gone, or the hunk is applied. %s", line, place.RivalHint)
			continue
		}
		out = append(out, open[i])
	}
	return out
}

// hasGaps reports whether a line of the hunk is not at the place, or one of the file is left out there, but for what an ellipsis stands for.
func (s *search) hasGaps(st *alignment) bool {
	for i, n := range st.image {
		switch {
		case s.omitted(i):
		case n == nothing, i > 0 && !s.omitted(i-1) && st.image[i-1] != n-1:
			return true
		}
	}
	return false
}

// offAnchor reports whether the anchors of s speak against the place that it nearly fits, and says so.
func offAnchor(p *place.Placement, s *search) bool {
	k := s.err.Hunk - 1
	a, has := p.Anchor(k)
	if !has || a.Line < 0 || p.InScope(k, s.from, s.to) {
		return false
	}
	s.err.Hint = fmt.Sprintf("The anchor is on line %d, and does not lead to line %d, where the lines nearly are: send the lines of the one that you mean as they are now.", a.Line+1, s.from+1)
	return true
}

// firstRepeat returns the first hunk that has its place although its outcome seems to be there, or -1. Sending the patch
// again with other hunks corrected would apply it twice.
func firstRepeat(p *place.Placement) int {
	for k := range p.Spots {
		if p.Spots[k].Applied && repeat.Repeats(p, k) {
			return k
		}
	}
	return -1
}

// widened is a corrected hunk with more context, and its number in the index.
type widened struct {
	s *search
	h patch.Hunk
	n int
}

// offer prints the corrected hunk h. It reports false if that is not possible or too long.
func (s *search) offer(h patch.Hunk, print func(patch.Hunk) (string, bool)) bool {
	out, ok := print(h)
	if !ok || len(out) > maxCorrected {
		return false
	}
	s.err.Nearest.Corrected = out
	s.err.Hint = "Send the corrected hunk instead, if the lines that it removes are the ones you mean."
	return true
}

// provedUnique reports whether h has the very lines that it covers, one of which stands in the file only once.
func (s *search) provedUnique(h patch.Hunk) bool {
	lines := s.file.Strings(s.from, s.to)
	for n := s.from; n < s.to; n++ {
		if s.unique[n] {
			return slices.Equal(h.Old(), lines)
		}
	}
	return false
}
