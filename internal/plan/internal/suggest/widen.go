package suggest

import "github.com/emend-dev/emend/patch"

// contextSizes lists how many more lines a corrected hunk may get above and below, until it has one place.
var contextSizes = []int{0, 1, 3, 8, 20, 40}

// widen returns the corrected hunk with around more lines on both sides, and the lines of the file that it covers then.
func (s *search) widen(around int) (h patch.Hunk, from, to int) {
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
