package suggest

import "unicode"

// weight grades how well a line identifies its place: a line of words well, a closing bracket hardly.
func weight(line string) float64 {
	n := 0
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if n++; n == 3 {
				return 1
			}
		}
	}
	return 0.1
}

// weight grades how well old line i identifies its place. A removed line counts for several of context.
func (s *search) weight(i int) float64 {
	if s.removed[i] && !s.partial {
		return removedWeight * weight(s.keys[i])
	}
	return weight(s.keys[i])
}

// removedWeight is for how many lines of context a removed line counts.
const removedWeight = 3

func cmpFloat(a, b float64) int {
	switch {
	case a < b-1e-9:
		return -1
	case a > b+1e-9:
		return 1
	}
	return 0
}
