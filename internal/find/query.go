package find

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend/internal/fail"
)

// query is what lines are searched for. It is for one goroutine; clone makes another.
//
// It finds a line in two steps: probes find, in a block of many lines, the places where a line may match, and the
// expression then judges that line. A query that is a plain text needs no second step, one that has no text at all of
// which every match must have a part has no first step.
type query struct {
	re     *regexp.Regexp // nil for a plain text
	cr     bool           // the expression may mean the CR before an LF
	probes []probe
	size   int    // how many steps the expression may take for one character
	text   string // of the expression, as it was written, and how it is read
	flags  syntax.Flags
	edge   bool           // it has \b or \B
	open   *regexp.Regexp // the expression for a line whose end is not there; nil until one comes
}

// mostQuery is how long a query may be.
const mostQuery = 16 << 10

func newText(text string, fold bool) (*query, error) {
	if err := checkQuery(text); err != nil {
		return nil, err
	}
	if !fold {
		return &query{probes: []probe{newProbe(text, false)}}, nil
	}
	if plain(text) == text {
		return &query{probes: []probe{newProbe(text, true)}}, nil
	}
	return newRegexp(regexp.QuoteMeta(text), true)
}

func checkQuery(text string) error {
	switch {
	case text == "":
		return badQuery("the query is empty", "Say what to look for.")
	case len(text) > mostQuery:
		return badQuery(fmt.Sprintf("the query has over %d bytes", mostQuery), "Look for a part of it.")
	case strings.Contains(text, "\n"):
		return badQuery("the query has a line break, and lines are searched one by one", "Look for one of its lines.")
	}
	return nil
}

func badQuery(msg, hint string) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadPattern, Msg: msg, Hint: hint}
}

func newRegexp(text string, fold bool) (*query, error) {
	if err := checkQuery(text); err != nil {
		return nil, err
	}
	flags := syntax.Perl
	if fold {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(text, flags)
	if err != nil {
		return nil, badRegexp(text, err)
	}
	if mentions(tree, '\n') {
		return nil, badQuery("the query has a line break, and lines are searched one by one", "Look for one of the lines.")
	}
	size := weigh(tree)
	if size > mostSize {
		return nil, tooLarge(tree, size)
	}
	full := text
	if fold {
		full = "(?i)" + text
	}
	re, err := regexp.Compile(full)
	if err != nil {
		return nil, badRegexp(text, err)
	}
	q := &query{re: re, cr: mentions(tree, '\r'), size: size, text: text, flags: flags,
		edge: has(tree, syntax.OpWordBoundary, syntax.OpNoWordBoundary)}
	for _, n := range needs(tree.Simplify()) {
		q.probes = append(q.probes, newProbe(n.text, n.fold))
	}
	return q, nil
}

// badRegexp says where an expression is wrong.
func badRegexp(text string, err error) error {
	at, what := 0, err.Error()
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		what = e.Code.String()
		switch {
		case e.Code == syntax.ErrMissingParen:
			at = openParen(text)
		case e.Code == syntax.ErrUnexpectedParen:
			at = strayParen(text)
		case strings.HasSuffix(text, e.Expr):
			at = len(text) - max(1, len(e.Expr))
		default:
			at = max(0, strings.Index(text, e.Expr))
		}
		if e.Expr != "" && e.Expr != text {
			what += " in " + fail.Quote(e.Expr)
		}
	}
	return badPattern(text, at, what, "Mend the expression (RE2 syntax: no lookaround, no backreferences), or use mode text for a plain text.")
}

// parens calls each for every parenthesis that is none of a class and not escaped.
func parens(text string, each func(i int, open bool) bool) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			if end := strings.IndexByte(text[min(i+2, len(text)):], ']'); end >= 0 {
				i += 2 + end
			}
		case '(', ')':
			if !each(i, text[i] == '(') {
				return
			}
		}
	}
}

// openParen is the last parenthesis that nothing closes.
func openParen(text string) int {
	var open []int
	parens(text, func(i int, opens bool) bool {
		if opens {
			open = append(open, i)
		} else if len(open) > 0 {
			open = open[:len(open)-1]
		}
		return true
	})
	if len(open) == 0 {
		return 0
	}
	return open[len(open)-1]
}

// strayParen is the first parenthesis that closes nothing.
func strayParen(text string) (at int) {
	depth := 0
	parens(text, func(i int, opens bool) bool {
		if opens {
			depth++
		} else if depth--; depth < 0 {
			at = i
			return false
		}
		return true
	})
	return at
}

// mentions reports whether the expression names the character by itself, not only in a class.
func mentions(re *syntax.Regexp, r rune) bool {
	if re.Op == syntax.OpLiteral && slices.Contains(re.Rune, r) {
		return true
	}
	return slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return mentions(s, r) })
}

// need is a text of which every match has one.
type need struct {
	text string
	fold bool
}

// mostNeeds is how many texts are looked for at once.
const mostNeeds = 8

// needs returns texts one of which is in everything that re matches; none when there are none that help.
func needs(re *syntax.Regexp) []need {
	switch re.Op {
	case syntax.OpLiteral:
		return needsOf(re)
	case syntax.OpCapture, syntax.OpPlus:
		return needs(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needs(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []need
		for _, sub := range re.Sub {
			if n := needs(sub); worth(n) > worth(best) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all []need
		for _, sub := range re.Sub {
			n := needs(sub)
			if len(n) == 0 || len(all)+len(n) > mostNeeds {
				return nil
			}
			all = append(all, n...)
		}
		return all
	}
	return nil
}

// needsOf is for a literal. U+FFFD also stands for bytes that are no UTF-8, so that such a literal has no bytes of its own.
func needsOf(re *syntax.Regexp) []need {
	text := string(re.Rune)
	if slices.Contains(re.Rune, utf8.RuneError) {
		return nil
	}
	fold := re.Flags&syntax.FoldCase != 0
	if fold {
		text = plain(text)
	}
	if text == "" {
		return nil
	}
	return []need{{text, fold}}
}

// worth compares what to look for: long texts are rarer, and one is found faster than several.
func worth(all []need) int {
	if len(all) == 0 {
		return 0
	}
	shortest := len(all[0].text)
	for _, n := range all {
		shortest = min(shortest, len(n.text))
	}
	return 16*shortest - len(all)
}

// plain is the longest part of text whose characters have their case in ASCII alone. K and S have another: the Kelvin
// sign and the long s.
func plain(text string) string {
	best, from := "", 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && text[i] < utf8.RuneSelf && !strings.ContainsRune("kKsS", rune(text[i])) {
			continue
		}
		if i-from > len(best) {
			best = text[from:i]
		}
		from = i + 1
	}
	return best
}

func (q *query) clone() *query {
	c := *q
	c.probes = slices.Clone(q.probes)
	return &c
}

// begin forgets what was found in the block before.
func (q *query) begin() {
	for i := range q.probes {
		q.probes[i].at = [2]int{-1, -1}
	}
}

// next returns the first place at or after from, which is the beginning of a line, whose line may match; -1 when there is none.
func (q *query) next(block []byte, from int) int {
	if len(q.probes) == 0 {
		return from
	}
	best := -1
	for i := range q.probes {
		if at := q.probes[i].next(block, from); at >= 0 && (best < 0 || at < best) {
			best = at
		}
	}
	return best
}

// judge returns where in the line the first match is; -1 when there is none. at is where next found the place, hasCR tells
// that a CR follows the line.
func (q *query) judge(ctx context.Context, line []byte, at int, hasCR bool) int {
	if q.re == nil {
		return at
	}
	if found, _ := q.find(ctx, q.re, line); found >= 0 || !hasCR || !q.cr {
		return found
	}
	found, _ := q.find(ctx, q.re, line[:len(line)+1])
	return found
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

// probe looks for a text, with fold whatever the case of its ASCII letters.
type probe struct {
	text []byte // with fold in lower case
	fold bool
	rare int    // with fold: which byte of it is looked for
	at   [2]int // where it comes next: the text, or the rare byte in lower and in upper case; -1 is not known
}

func newProbe(text string, fold bool) probe {
	p := probe{text: []byte(text), fold: fold}
	if fold {
		p.text = bytes.ToLower(p.text)
		for i, c := range p.text {
			if commonness(c) < commonness(p.text[p.rare]) {
				p.rare = i
			}
		}
	}
	return p
}

// common are letters from the most common in texts and programs to the least; what is not there is rarer still.
const common = " etaoinsrlducmpfhgbyvwkx_.(),-=0/1\"z"

func commonness(c byte) int {
	if i := strings.IndexByte(common, c); i >= 0 {
		return len(common) - i
	}
	return 0
}

// next is where the text comes at or after from, or -1. What is looked for once is kept until from has passed it, so
// that a block is gone through once for all calls.
func (p *probe) next(block []byte, from int) int {
	if !p.fold {
		if p.at[0] < from {
			p.at[0] = after(block, from, bytes.Index(block[from:], p.text))
		}
		return bounded(p.at[0], block)
	}
	c := p.text[p.rare]
	for {
		if p.at[0] < from+p.rare {
			p.at[0] = indexByte(block, from+p.rare, c)
		}
		if p.at[1] < from+p.rare {
			p.at[1] = indexByte(block, from+p.rare, upperOf(c))
		}
		first := min(p.at[0], p.at[1])
		if first >= len(block) {
			return -1
		}
		if from = first - p.rare; p.here(block[from:]) {
			return from
		}
		from++
	}
}

// after is i counted from the beginning of the block; what is not found is at its end.
func after(block []byte, from, i int) int {
	if i < 0 {
		return len(block)
	}
	return from + i
}

func bounded(at int, block []byte) int {
	if at >= len(block) {
		return -1
	}
	return at
}

func indexByte(block []byte, from int, c byte) int {
	if from >= len(block) {
		return len(block)
	}
	return after(block, from, bytes.IndexByte(block[from:], c))
}

func upperOf(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// here reports whether the text begins b.
func (p *probe) here(b []byte) bool {
	if len(b) < len(p.text) {
		return false
	}
	for i, want := range p.text {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != want {
			return false
		}
	}
	return true
}
