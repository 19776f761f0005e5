package suggest

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/plan/internal/repeat"
	"github.com/emend-dev/emend/patch"
)

// correct prints the corrected hunks that have exactly one place, with more context where they need it, also in the text
// that the other hunks of the section leave.
func correct(p *place.Placement, open []*search, print func(patch.Hunk) (string, bool)) {
	open = slices.DeleteFunc(slices.Clone(open), func(s *search) bool { return s.corrected == nil })
	if len(open) == 0 {
		return
	}
	if k := doubling(p); k >= 0 {
		for _, s := range open {
			s.err.Hint = fmt.Sprintf("Hunk %d would add once more what stands there: leave it out, if it is applied already. %s", k+1, s.err.Hint)
		}
		return
	}
	o := &otherHunks{p: p, open: open}
	x := match.NewIndex(match.NewDoc(p.File), patch.Exact, len(open))
	var forms []widened
	for _, s := range open {
		for _, around := range contexts {
			h, from, to := s.widen(around)
			if !o.clear(s, from, to) || around == 0 && s.certain(h) && o.leave(s, h) && s.suggest(h, print) {
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
		if f.s.err.Nearest.Corrected == "" && f.n != 0 && x.Count(f.n) == 1 && o.leave(f.s, f.h) {
			f.s.suggest(f.h, print)
		}
	}
}

// doubling is the first hunk that has its place and whose outcome seems to stand there already, or -1: who sends the patch once
// more with other hunks corrected would have it applied twice.
func doubling(p *place.Placement) int {
	for k := range p.Spots {
		if p.Spots[k].Made && repeat.Repeats(p, k) {
			return k
		}
	}
	return -1
}

// widened is one form of a corrected hunk, and its number in the index.
type widened struct {
	s *search
	h patch.Hunk
	n int
}

// suggest prints the corrected hunk h, unless that cannot be or is too long.
func (s *search) suggest(h patch.Hunk, print func(patch.Hunk) (string, bool)) bool {
	out, ok := print(h)
	if !ok || len(out) > maxCorrected {
		return false
	}
	s.err.Nearest.Corrected = out
	s.err.Hint = "Send the corrected hunk instead, if the lines that it removes are the ones you mean."
	return true
}

// certain reports whether h has the very lines that it covers, and one that stands there alone, so that it has one place.
func (s *search) certain(h patch.Hunk) bool {
	lines := s.file.Strings(s.from, s.to)
	for n := s.from; n < s.to; n++ {
		if s.sole[n] {
			return slices.Equal(h.Old(), lines)
		}
	}
	return false
}
