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

// similarity is the share of two lines that they have in common at both ends.
func similarity(a, b string) float64 {
	n := min(len(a), len(b))
	if n == 0 || 2*n < max(len(a), len(b)) {
		return 0
	}
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	j := 0
	for j < n-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	return float64(i+j) / float64(max(len(a), len(b)))
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
