package regex

import "regexp/syntax"

// Size returns about how many instructions re has when its repetitions are written out: \w{30} counts as thirty \w.
func Size(re *syntax.Regexp) int {
	n := 1
	switch re.Op {
	case syntax.OpLiteral:
		return max(1, len(re.Rune))
	case syntax.OpRepeat:
		sub := Size(re.Sub[0])
		if re.Max < 0 {
			return max(1, re.Min)*sub + 1
		}
		return re.Max*sub + re.Max - re.Min
	case syntax.OpCapture:
		n = 2
	case syntax.OpConcat:
		n = 0
	case syntax.OpAlternate:
		n = len(re.Sub) - 1
	}
	for _, sub := range re.Sub {
		n += Size(sub)
	}
	return n
}

// LargestRepeat returns the counted repetition in re with the most instructions; nil if there is none.
func LargestRepeat(re *syntax.Regexp) (out *syntax.Regexp) {
	if re.Op == syntax.OpRepeat {
		return re
	}
	for _, sub := range re.Sub {
		if r := LargestRepeat(sub); r != nil && (out == nil || Size(r) > Size(out)) {
			out = r
		}
	}
	return out
}
