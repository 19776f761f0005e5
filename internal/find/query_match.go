package find

import (
	"context"
	"io"
	"regexp"
	"slices"
	"unicode/utf8"
)

func (q *query) clone() *query {
	c := *q
	c.literals, c.dfa = slices.Clone(q.literals), q.dfa.Clone()
	return &c
}

// beginBlock forgets what was found in the block before.
func (q *query) beginBlock(block []byte) {
	q.wasted.bytes += len(block)
	for i := range q.literals {
		q.literals[i].found, q.literals[i].wasted = [2]int{-1, -1}, 0
	}
}

// bytesPerFalseHit: such a line costs as much as reading so many bytes with the DFA. If there is one more often than that,
// the DFA reads everything.
const bytesPerFalseHit = 64

// next returns the first place at or after from, which is the beginning of a line, whose line may match or, with sure, does
// match; -1 if there is none.
func (q *query) next(block []byte, from int) (at int, sure bool) {
	if q.dfa != nil && (len(q.literals) == 0 || q.wasted.lines*bytesPerFalseHit > q.wasted.bytes) {
		at, ok := q.dfa.Find(block, from)
		if ok {
			return at, true
		}
		q.dfa, from = nil, at
	}
	if len(q.literals) == 0 {
		return from, false
	}
	at = -1
	for i := range q.literals {
		if one := q.literals[i].next(block, from); one >= 0 && (at < 0 || one < at) {
			at = one
		}
	}
	return at, q.re == nil || q.exact
}

// matchLine returns where in the line the first match is; -1 if there is none. at and sure are what next returned; hasCR says
// that a CR follows the line.
func (q *query) matchLine(ctx context.Context, line []byte, at int, sure, hasCR bool) int {
	if q.re == nil || sure && q.exact && !q.mentionsCR {
		return at
	}
	if !sure {
		has, ok := q.matchDFA(line)
		if ok && !has {
			return -1
		}
		sure = ok
	}
	if sure && q.lineOnly && len(line) <= previewBytes {
		return 0
	}
	if found, _ := q.matchRegexp(ctx, q.re, line); found >= 0 || !hasCR || !q.mentionsCR {
		return found
	}
	found, _ := q.matchRegexp(ctx, q.re, line[:len(line)+1])
	return found
}

// matchDFA returns what the DFA says about a line; not ok if there is none.
func (q *query) matchDFA(line []byte) (has, ok bool) {
	if q.dfa == nil {
		return false, false
	}
	if has, ok = q.dfa.Match(line); !ok {
		q.dfa = nil
	} else if !has {
		q.wasted.lines++
	}
	return has, ok
}

// maxSteps is how many steps, of which each character may take q.size, an expression may take before the context is asked
// again. A step takes some ten nanoseconds.
const maxSteps = 4 << 20

func (q *query) matchRegexp(ctx context.Context, re *regexp.Regexp, line []byte) (from, to int) {
	var loc []int
	if len(line)*q.size < maxSteps {
		loc = re.FindIndex(line)
	} else {
		loc = re.FindReaderIndex(&cancellableLine{ctx: ctx, line: line, each: max(1, maxSteps/4/q.size)})
	}
	if loc == nil {
		return -1, -1
	}
	return loc[0], loc[1]
}

// cancellableLine reads a line up to its end, or until the context is cancelled.
type cancellableLine struct {
	ctx  context.Context
	line []byte
	each int // ask the context after so many characters
	n    int
}

func (s *cancellableLine) ReadRune() (rune, int, error) {
	if s.n++; s.n%s.each == 0 && s.ctx.Err() != nil || len(s.line) == 0 {
		return 0, 0, io.EOF
	}
	r, size := utf8.DecodeRune(s.line)
	s.line = s.line[size:]
	return r, size, nil
}
