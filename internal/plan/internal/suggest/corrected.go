package suggest

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/plan/internal/repeat"
	"github.com/emend-dev/emend/patch"
)

// suggestCorrected prints the corrected hunks that have exactly one place, with more context where they need it. The
// place must stay the only one in the text that the other hunks leave.
func suggestCorrected(p *place.Placement, open []*search, print func(patch.Hunk) (string, bool)) {
	open = slices.DeleteFunc(slices.Clone(open), func(s *search) bool { return s.corrected == nil })
	if len(open) == 0 {
		return
	}
	if k := firstRepeat(p); k >= 0 {
		for _, s := range open {
			s.err.Hint = fmt.Sprintf("Hunk %d would add once more what stands there: leave it out, if it is applied already. %s", k+1, s.err.Hint)
		}
		return
	}
	if open = withoutEncoded(p, open); len(open) == 0 {
		return
	}
	o := &otherHunks{p: p, open: open}
	x := match.NewIndex(match.NewDoc(p.File), patch.Exact, len(open))
	var forms []widened
	for _, s := range open {
		for _, around := range contextSizes {
			h, from, to := s.widen(around)
			if !o.free(s, from, to) || around == 0 && s.provedUnique(h) && o.keepsPlace(s, h) && s.offer(h, print) {
				break
			}
			forms = append(forms, widened{s, h, x.Add(slices.Values(h.Old()))})
		}
	}
	if len(forms) == 0 {
		return
	}
	x.Build()
	for _, f := range forms {
		if f.s.err.Nearest.Corrected == "" && f.n != 0 && x.Count(f.n) == 1 && o.keepsPlace(f.s, f.h) {
			f.s.offer(f.h, print)
		}
	}
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
