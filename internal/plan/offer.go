package plan

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// contexts is how many lines more a corrected hunk may get above and below, until it has one place.
var contexts = []int{0, 1, 3, 8, 20, 40}

// correct prints the corrected hunks that have exactly one place, with more context where they need it, also in the text
// that the other hunks of the section leave.
func (p *placer) correct(open []*search, show func(patch.Hunk) (string, bool)) {
	open = slices.DeleteFunc(slices.Clone(open), func(s *search) bool { return s.corrected == nil })
	if len(open) == 0 {
		return
	}
	if k := p.doubling(); k >= 0 {
		for _, s := range open {
			s.err.Hint = fmt.Sprintf("Hunk %d would add once more what stands there: leave it out, if it is applied already. %s", k+1, s.err.Hint)
		}
		return
	}
	o := &others{p: p, open: open}
	x := match.NewIndex(match.NewDoc(p.file), patch.Exact, len(open))
	var offers []offer
	for _, s := range open {
		for _, around := range contexts {
			h, from, to := s.widened(around)
			if !o.clear(s, from, to) || around == 0 && s.certain(h) && o.leave(s, h) && s.offer(h, show) {
				break
			}
			offers = append(offers, offer{s, h, x.Add(slices.Values(h.Old()))})
		}
	}
	if len(offers) == 0 {
		return
	}
	x.Build()
	for _, f := range offers {
		if f.s.err.Nearest.Corrected == "" && f.n != 0 && x.Count(f.n) == 1 && o.leave(f.s, f.h) {
			f.s.offer(f.h, show)
		}
	}
}

// doubling is the first hunk that has its place and whose outcome seems to stand there already, or -1: who sends the patch once
// more with other hunks corrected would have it applied twice.
func (p *placer) doubling() int {
	return slices.IndexFunc(every(len(p.spots)), func(k int) bool { return p.spots[k].put && p.repeated(k).proof != none })
}

// offer is one form of a corrected hunk, and its number in the index.
type offer struct {
	s *search
	h patch.Hunk
	n int
}

// offer prints the corrected hunk h, unless that cannot be or is too long.
func (s *search) offer(h patch.Hunk, show func(patch.Hunk) (string, bool)) bool {
	out, ok := show(h)
	if !ok || len(out) > maxCorrected {
		return false
	}
	s.err.Nearest.Corrected = out
	s.err.Hint = "Send the corrected hunk instead, if the lines that it removes are the ones you mean."
	return true
}

// certain reports whether h has the very lines that it covers, and one that stands there alone, so that it has one place.
func (s *search) certain(h patch.Hunk) bool {
	lines := fileLines(s.file, s.from, s.to)
	for n := s.from; n < s.to; n++ {
		if s.sole[n] {
			return slices.Equal(h.Old(), lines)
		}
	}
	return false
}

// widened is the corrected hunk with so many lines more around it, and the lines of the file that it covers then.
func (s *search) widened(around int) (h patch.Hunk, from, to int) {
	h = *s.corrected
	h.Anchors = nil
	from, to = max(0, s.from-around), min(s.file.Len(), s.to+around)
	if h.AtEnd || h.OldOpen || h.NewOpen {
		to = s.to
	}
	var lines []patch.Line
	for n := from; n < s.from; n++ {
		lines = append(lines, patch.Line(" "+s.file.Line(n)))
	}
	lines = append(lines, h.Lines...)
	for n := s.to; n < to; n++ {
		lines = append(lines, patch.Line(" "+s.file.Line(n)))
	}
	h.Lines = lines
	return h, from, to
}
