package find

import (
	"fmt"
	"regexp/syntax"

	"github.com/emend-dev/emend/internal/fail"
)

// mostSize is how large an expression may be: for each character that it reads it may take as many steps, and a hundred
// thousand of them take about a millisecond.
const mostSize = 100_000

// weigh is about how many instructions re becomes when its repetitions are written out.
func weigh(re *syntax.Regexp) int {
	n := 1
	switch re.Op {
	case syntax.OpLiteral:
		return max(1, len(re.Rune))
	case syntax.OpRepeat:
		sub := weigh(re.Sub[0])
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
		n += weigh(sub)
	}
	return n
}

// heaviest is the repetition in re that becomes the most instructions; nil when there is none.
func heaviest(re *syntax.Regexp) (out *syntax.Regexp) {
	if re.Op == syntax.OpRepeat {
		return re
	}
	for _, sub := range re.Sub {
		if r := heaviest(sub); r != nil && (out == nil || weigh(r) > weigh(out)) {
			out = r
		}
	}
	return out
}

// tooLarge refuses an expression whose repetitions stand for too much.
func tooLarge(re *syntax.Regexp, size int) error {
	msg := fmt.Sprintf("the expression is too large: with its repetitions written out it has %d steps, and %d is the most", size, mostSize)
	if r := heaviest(re); r != nil {
		msg += fmt.Sprintf("; the largest repetition, %s, has %d", fail.Quote(r.String()), weigh(r))
	}
	return badQuery(msg, "Repeat less, or without a number: + and * cost no more than what they repeat.")
}
