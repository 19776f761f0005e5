package find

import (
	"context"
	"regexp"
	"regexp/syntax"
	"sync"
)

// matchCutLine is matchLine for the beginning of a line that goes on. It has no end that the expression could match: a match
// that needs the end of the line, or may need a word to end where the line was cut, does not count.
func (q *query) matchCutLine(ctx context.Context, line []byte, at int, _, _ bool) int {
	if q.re == nil {
		return at
	}
	if has, ok := q.matchDFA(line); ok && !has { // it would not match even if it ended here
		return -1
	}
	if q.cutLine == nil {
		q.cutLine = withoutLineEnd(q.text, q.flags)
	}
	from, to := q.matchRegexp(ctx, q.cutLine, line)
	if q.wordEdges && to == len(line) {
		return -1
	}
	return from
}

// withoutLineEnd compiles the expression without the parts that match the end of a line.
func withoutLineEnd(text string, flags syntax.Flags) *regexp.Regexp {
	tree, err := syntax.Parse(text, flags)
	if err != nil {
		return matchesNothing()
	}
	dropLineEnds(tree)
	re, err := regexp.Compile(tree.String())
	if err != nil {
		return matchesNothing()
	}
	return re
}

// matchesNothing matches no line.
var matchesNothing = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^\x00-\x{10ffff}]`) })

func dropLineEnds(re *syntax.Regexp) {
	if re.Op == syntax.OpEndLine || re.Op == syntax.OpEndText {
		re.Op, re.Flags = syntax.OpNoMatch, 0
	}
	for _, sub := range re.Sub {
		dropLineEnds(sub)
	}
}
