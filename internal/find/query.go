package find

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/find/internal/regex"
)

// query is a text or an expression to find in lines. It is for one goroutine; clone makes another.
//
// It finds a line in up to three steps. Its literals find the places in a block of lines where a line may match. The DFA then
// says whether the line matches, and the expression where. A plain text needs only the first step. An expression without a
// literal that every match contains begins with the DFA, which reads the block itself; so does one whose literals are too
// common to help.
type query struct {
	re         *regexp.Regexp // nil for a plain text
	mentionsCR bool           // the expression may mean the CR before an LF
	literals   []literal
	dfa        *regex.DFA // nil if there is none, or if it gave up
	wasted     falseHits
	exact      bool   // what a literal finds is a match
	lineOnly   bool   // the place in a line matters only if the line is longer than what is shown of it
	size       int    // how many steps the expression may take for one character
	text       string // the expression as it was written, and the flags to parse it with
	flags      syntax.Flags
	wordEdges  bool           // it has \b or \B
	cutLine    *regexp.Regexp // the expression for a line that is cut; nil until there is one
}

// maxQuery is how long a query may be.
const maxQuery = 16 << 10

func newText(text string, fold bool) (*query, error) {
	if err := checkQuery(text); err != nil {
		return nil, err
	}
	if !fold {
		return &query{literals: []literal{newLiteral(text, false)}}, nil
	}
	if regex.ASCIICasePart(text) == text {
		return &query{literals: []literal{newLiteral(text, true)}}, nil
	}
	return newRegexp(regexp.QuoteMeta(text), true)
}

func checkQuery(text string) error {
	switch {
	case text == "":
		return badQuery("the query is empty", "Say what to look for.")
	case len(text) > maxQuery:
		return badQuery(fmt.Sprintf("the query has over %d bytes", maxQuery), "Look for a part of it.")
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
	size := regex.Size(tree)
	if size > maxSize {
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
	q := &query{re: re, mentionsCR: mentions(tree, '\r'), size: size, text: text, flags: flags,
		wordEdges: hasOp(tree, syntax.OpWordBoundary, syntax.OpNoWordBoundary)}
	tree = tree.Simplify()
	for _, n := range regex.RequiredLiterals(tree) {
		q.literals = append(q.literals, newLiteral(n.Text, n.IgnoreCase))
	}
	q.exact = len(q.literals) > 0 && regex.OnlyLiterals(tree)
	if !q.mentionsCR {
		q.dfa = regex.NewDFA(tree)
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
			at = unclosedParen(text)
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

// eachParen calls each for every parenthesis that is not in a class and not escaped.
func eachParen(text string, each func(i int, open bool) bool) {
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

// unclosedParen returns the last parenthesis that is not closed.
func unclosedParen(text string) int {
	var open []int
	eachParen(text, func(i int, opens bool) bool {
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

// strayParen returns the first parenthesis that closes nothing.
func strayParen(text string) (at int) {
	depth := 0
	eachParen(text, func(i int, opens bool) bool {
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

// maxSize is how large an expression may be. It may take as many steps for each character, and a hundred thousand steps take
// about a millisecond.
const maxSize = 100_000

// tooLarge refuses an expression with too many steps, and names its largest repetition.
func tooLarge(re *syntax.Regexp, size int) error {
	msg := fmt.Sprintf("the expression is too large: with its repetitions written out it has %d steps, and %d is the most", size, maxSize)
	if r := regex.LargestRepeat(re); r != nil {
		msg += fmt.Sprintf("; the largest repetition, %s, has %d", fail.Quote(r.String()), regex.Size(r))
	}
	return badQuery(msg, "Repeat less, or without a number: + and * cost no more than what they repeat.")
}

// falseHits counts the lines that literals found and that do not match.
type falseHits struct{ lines, bytes int }

// hasOp reports whether the expression has one of the operations.
func hasOp(re *syntax.Regexp, ops ...syntax.Op) bool {
	return slices.Contains(ops, re.Op) || slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return hasOp(s, ops...) })
}
