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
	c.probes, c.dfa = slices.Clone(q.probes), q.dfa.Clone()
	return &c
}

// begin forgets what was found in the block before.
func (q *query) begin(block []byte) {
	q.idle.bytes += len(block)
	for i := range q.probes {
		q.probes[i].at, q.probes[i].vain = [2]int{-1, -1}, 0
	}
}

// idle counts lines that probes found and that do not match.
type idle struct{ lines, bytes int }

// sparse is after how many bytes such a line costs less than to read the bytes between.
const sparse = 64

// next returns the first place at or after from, which is the beginning of a line, whose line may match, or with sure
// does match; -1 when there is none.
func (q *query) next(block []byte, from int) (at int, sure bool) {
	if q.dfa != nil && (len(q.probes) == 0 || q.idle.lines*sparse > q.idle.bytes) {
		at, ok := q.dfa.Find(block, from)
		if ok {
			return at, true
		}
		q.dfa, from = nil, at
	}
	if len(q.probes) == 0 {
		return from, false
	}
	at = -1
	for i := range q.probes {
		if one := q.probes[i].next(block, from); one >= 0 && (at < 0 || one < at) {
			at = one
		}
	}
	return at, q.re == nil || q.exact
}

// judge returns where in the line the first match is; -1 when there is none. at is where next found the place, and
// sure what it said; hasCR tells that a CR follows the line.
func (q *query) judge(ctx context.Context, line []byte, at int, sure, hasCR bool) int {
	if q.re == nil || sure && q.exact && !q.cr {
		return at
	}
	if !sure {
		has, ok := q.asked(line)
		if ok && !has {
			return -1
		}
		sure = ok
	}
	if sure && q.rough && len(line) <= shown {
		return 0
	}
	if found, _ := q.find(ctx, q.re, line); found >= 0 || !hasCR || !q.cr {
		return found
	}
	found, _ := q.find(ctx, q.re, line[:len(line)+1])
	return found
}

// asked is what the automaton says of a line; not ok when there is none.
func (q *query) asked(line []byte) (has, ok bool) {
	if q.dfa == nil {
		return false, false
	}
	if has, ok = q.dfa.Match(line); !ok {
		q.dfa = nil
	} else if !has {
		q.idle.lines++
	}
	return has, ok
}

// mostWork is how many steps, those for one character by characters, an expression may take without being asked
// whether it should go on. They take some ten nanoseconds each.
const mostWork = 4 << 20

func (q *query) find(ctx context.Context, re *regexp.Regexp, line []byte) (from, to int) {
	var loc []int
	if len(line)*q.size < mostWork {
		loc = re.FindIndex(line)
	} else {
		loc = re.FindReaderIndex(&stoppable{ctx: ctx, line: line, each: max(1, mostWork/4/q.size)})
	}
	if loc == nil {
		return -1, -1
	}
	return loc[0], loc[1]
}

// stoppable reads a line until it ends or nobody wants to know any more.
type stoppable struct {
	ctx  context.Context
	line []byte
	each int // after how many characters it asks
	n    int
}

func (s *stoppable) ReadRune() (rune, int, error) {
	if s.n++; s.n%s.each == 0 && s.ctx.Err() != nil || len(s.line) == 0 {
		return 0, 0, io.EOF
	}
	r, size := utf8.DecodeRune(s.line)
	s.line = s.line[size:]
	return r, size, nil
}
