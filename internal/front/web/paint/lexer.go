package paint

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Lang describes a language.
type Lang struct {
	files      string           // file names and extensions, in lower case
	lead       []pattern        // what a line may begin with, tried in order: a directive, a key
	quotes     []quote          // comments and texts; of those that begin alike, the longest first
	words      map[string]Class // in lower case if ignoreCase is set
	ignoreCase bool             // of words
	nameChars  string           // what names may have besides letters, digits and _
	sigils     map[byte]Class   // characters that colour the name after them
	calls      bool             // a name before "(" is a function
	keys       bool             // a text before ":" is a key
	scan       func(*lexer)     // replaces the lexer, for languages that are no programs

	special [256]bool // bytes that may begin a quote or are sigils
}

func (l *Lang) prepare() {
	for _, q := range l.quotes {
		l.special[q.open[0]] = true
	}
	for c := range l.sigils {
		l.special[c] = true
	}
}

// pattern colours what its first group matches. It is anchored at the beginning of a line.
type pattern struct {
	*regexp.Regexp
	class Class
}

// quote is a comment or a text.
type quote struct {
	open, close string // close is "" if it ends with the line
	class       Class
	escape      bool           // a backslash takes the next character with it
	multiline   bool           // it may go on over lines
	nest        bool           // one may be inside another
	afterBlank  bool           // it begins only after a blank or at the beginning of a line
	whole       *regexp.Regexp // if set, nothing begins unless this matches all of it
	operand     bool           // it begins only where an operand may stand
}

// lexer goes through one line.
type lexer struct {
	*Lang
	State
	s      string
	at     int
	out    []Span
	failed bool // a regular expression had no end: no other is looked for in this line, so that time stays linear
}

// take gives the bytes up to end a class.
func (x *lexer) take(end int, class Class) {
	if end > x.at {
		if n := len(x.out); n > 0 && x.out[n-1].Class == class {
			x.out[n-1].End = end
		} else {
			x.out = append(x.out, Span{end, class})
		}
	}
	x.at = end
}

func (x *lexer) run() {
	switch {
	case x.scan != nil:
		x.scan(x)
	case x.open > 0:
		x.takeQuote(int(x.open)-1, x.at)
	default:
		x.takeLead()
	}
	for x.at < len(x.s) {
		c := x.s[x.at]
		switch {
		case x.special[c] && (x.quoted() || x.sigil(c)):
		case isNameStart(c):
			x.word()
		case isDigit(c):
			x.number()
		default:
			x.take(x.at+1, "")
		}
	}
}

// maxLead limits the part of a line that takeLead looks at, so that very long lines do not take long. Pages show no more.
const maxLead = 2000

// takeLead takes what the line begins with, if a pattern knows it.
func (x *lexer) takeLead() {
	for _, p := range x.lead {
		if m := p.FindStringSubmatchIndex(x.s[:min(len(x.s), maxLead)]); m != nil {
			x.take(m[2], "")
			x.take(m[3], p.class)
			return
		}
	}
}

// quoted takes a comment or a text, and reports whether one begins here.
func (x *lexer) quoted() bool {
	rest := x.s[x.at:]
	for i := range x.quotes {
		q := &x.quotes[i]
		switch {
		case !strings.HasPrefix(rest, q.open), q.afterBlank && x.at > 0 && x.s[x.at-1] > ' ':
		case q.operand && (x.failed || !x.wantsOperand()):
		case q.whole != nil:
			if m := q.whole.FindStringIndex(rest); m != nil {
				x.take(x.at+m[1], q.class)
				return true
			}
			x.failed = x.failed || q.operand
		default:
			x.depth = 0
			x.takeQuote(i, x.at+len(q.open))
			return true
		}
	}
	return false
}

// wantsOperand reports whether an operand may stand here, after what the line has before it.
func (x *lexer) wantsOperand() bool {
	before := strings.TrimRight(x.s[max(0, x.at-16):x.at], " \t")
	return before == "" || strings.IndexByte("=(,:[!&|?{};+>", before[len(before)-1]) >= 0 || strings.HasSuffix(before, "return")
}

// takeQuote takes the rest of quote i, whose contents go on at byte from.
func (x *lexer) takeQuote(i, from int) {
	q := &x.quotes[i]
	end, closed := x.quoteEnd(q, from)
	class := q.class
	if closed && x.keys && class == Text && strings.HasPrefix(strings.TrimLeft(x.s[end:], " "), ":") {
		class = Attribute
	}
	x.take(end, class)
	x.open = 0
	if !closed && q.multiline {
		x.open = uint8(i + 1)
	}
}

func (x *lexer) quoteEnd(q *quote, i int) (end int, closed bool) {
	if q.close == "" {
		return len(x.s), false
	}
	for i < len(x.s) {
		switch {
		case q.escape && x.s[i] == '\\':
			i = min(i+2, len(x.s))
		case strings.HasPrefix(x.s[i:], q.close):
			i += len(q.close)
			if x.depth == 0 {
				return i, true
			}
			x.depth--
		case q.nest && strings.HasPrefix(x.s[i:], q.open) && x.depth < 255:
			x.depth++
			i += len(q.open)
		default:
			i++
		}
	}
	return len(x.s), false
}

// sigil takes a sigil with the name after it, such as $name, ${name} or @name, and reports whether it did.
func (x *lexer) sigil(c byte) bool {
	i := x.at + 1
	brace := c == '$' && i < len(x.s) && x.s[i] == '{'
	if brace {
		i++
	}
	n := x.nameEnd(i)
	if x.sigils[c] == "" || n == i || x.at > 0 && (x.inName(x.s[x.at-1]) || x.s[x.at-1] == c) {
		return false
	}
	if brace && n < len(x.s) && x.s[n] == '}' {
		n++
	}
	x.take(n, x.sigils[c])
	return true
}

// word takes a name.
func (x *lexer) word() {
	end := x.nameEnd(x.at)
	word := x.s[x.at:end]
	if x.ignoreCase && len(word) < 32 {
		word = strings.ToLower(word)
	}
	class := x.words[word]
	if class == "" && x.calls && end < len(x.s) && x.s[end] == '(' {
		class = Function
	}
	x.take(end, class)
}

// number takes a number with its exponent and its unit.
func (x *lexer) number() {
	i := x.at + 1
	hex := strings.HasPrefix(x.s[x.at:], "0x")
	for i < len(x.s) {
		c := x.s[i]
		more := i+1 < len(x.s) && isDigit(x.s[i+1])
		exponent := (c == '+' || c == '-') && x.s[i-1]|0x20 == 'e' && !hex && more
		point := c == '.' && (more || i+1 == len(x.s))
		if c != '_' && c != '%' && !point && !exponent && !isDigit(c) && !isLetter(c) {
			break
		}
		i++
	}
	x.take(i, Number)
}

// nameEnd returns where a name ends that begins at byte i.
func (x *lexer) nameEnd(i int) int {
	for i < len(x.s) && x.inName(x.s[i]) {
		i++
	}
	return i
}

func (x *lexer) inName(c byte) bool {
	return isNameStart(c) || isDigit(c) || strings.IndexByte(x.nameChars, c) >= 0
}

func isNameStart(c byte) bool { return isLetter(c) || c == '_' || c >= utf8.RuneSelf }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
