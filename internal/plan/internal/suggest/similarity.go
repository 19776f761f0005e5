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

func cmpFloat(a, b float64) int {
	switch {
	case a < b-1e-9:
		return -1
	case a > b+1e-9:
		return 1
	}
	return 0
}
