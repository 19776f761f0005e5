package find

import (
	"context"
	"regexp"
	"regexp/syntax"
	"slices"
	"sync"
)

// judgeOpen is judge for the beginning of a line that goes on: it has no end that the expression could mean. A match that
// needs an end of the line, or may need a word to end where the line was cut, is none.
func (q *query) judgeOpen(ctx context.Context, line []byte, at int, _, _ bool) int {
	if q.re == nil {
		return at
	}
	if q.open == nil {
		q.open = endless(q.text, q.flags)
	}
	from, to := q.find(ctx, q.open, line)
	if q.edge && to == len(line) {
		return -1
	}
	return from
}

// endless is the expression without what matches the end of a line.
func endless(text string, flags syntax.Flags) *regexp.Regexp {
	tree, err := syntax.Parse(text, flags)
	if err != nil {
		return nothing()
	}
	dropEnds(tree)
	re, err := regexp.Compile(tree.String())
	if err != nil {
		return nothing()
	}
	return re
}

// nothing matches no line.
var nothing = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^\x00-\x{10ffff}]`) })

func dropEnds(re *syntax.Regexp) {
	if re.Op == syntax.OpEndLine || re.Op == syntax.OpEndText {
		re.Op, re.Flags = syntax.OpNoMatch, 0
	}
	for _, sub := range re.Sub {
		dropEnds(sub)
	}
}

// has reports whether the expression has one of the operations.
func has(re *syntax.Regexp, ops ...syntax.Op) bool {
	return slices.Contains(ops, re.Op) || slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return has(s, ops...) })
}
