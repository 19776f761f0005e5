package paint

import (
	"strings"
	"unicode/utf8"
)

// Lang is a language.
type Lang struct {
	files  string            // names and ends of names, in lower case
	quotes []quote           // of those that begin alike, the longest first
	words  map[string]Class  // in lower case where fold is set
	fold   bool              // words in any case
	names  string            // what names have beside letters, digits and _
	sigils map[byte]Class    // what is before a name, and both are of the class
	calls  bool              // a name before "(" is of a function
	regexp bool              // "/" may begin a regular expression
	keys   bool              // a text before ":" is a key
	lead   func(string) lead // what a line begins with, if that tells what it is
	scan   func(*lexer)      // a lexer of its own, for what is no program

	kinds [256]kind
}

// quote is what is lexed up to its end: a text or a comment.
type quote struct {
	open, close string // close is "" where it ends with the line
	class       Class
	escape      bool // after a backslash the next character is of it
	many        bool // it goes on over lines
	nest        bool // one may be in another
	alone       bool // it begins only after a blank or at the beginning of a line
	one         bool // it is one character or one escape, or nothing
}

// lead is the beginning of a line: blank up to from, of the class up to end.
type lead struct {
	from, end int
	class     Class
}

// kind is what a byte may begin.
type kind uint8

const (
	other kind = iota
	name
	digit
	quoting
	sigil
)

func (l *Lang) prepare() {
	for c := range 256 {
		switch b := byte(c); {
		case b == '_', b >= utf8.RuneSelf, 'a' <= b|0x20 && b|0x20 <= 'z':
			l.kinds[c] = name
		case '0' <= b && b <= '9':
			l.kinds[c] = digit
		}
	}
	for c := range l.sigils {
		l.kinds[c] = sigil
	}
	for _, q := range l.quotes {
		l.kinds[q.open[0]] = quoting
	}
	if l.regexp {
		l.kinds['/'] = quoting
	}
}

// lexer goes through a line once.
type lexer struct {
	*Lang
	State
	s    string
	at   int
	keep bool // the spans
	out  []Span
	bare bool // "/" begins no regular expression any more: one was not closed
}

// take gives what comes before end a class.
func (x *lexer) take(end int, class Class) {
	if x.keep && end > x.at {
		if n := len(x.out); n > 0 && x.out[n-1].Class == class {
			x.out[n-1].End = end
		} else {
			x.out = append(x.out, Span{end, class})
		}
	}
	x.at = end
}

func (x *lexer) run() {
	if x.scan != nil {
		x.scan(x)
		return
	}
	if x.open > 0 {
		x.quote(int(x.open)-1, 0)
	} else if x.lead != nil {
		l := x.lead(x.s)
		x.take(l.from, "")
		x.take(l.end, l.class)
	}
	for x.at < len(x.s) {
		x.token()
	}
}

// token takes what comes next.
func (x *lexer) token() {
	c := x.s[x.at]
	switch k := x.kinds[c]; k {
	case quoting:
		if x.begins() {
			return
		}
		fallthrough
	case name, sigil:
		if class, ok := x.sigils[c]; ok && x.sigilled(class) {
			return
		}
		if x.word() {
			return
		}
		x.take(x.at+1, "")
	case digit:
		x.number()
	default:
		x.take(x.at+1, "")
	}
}

// sigilled takes a sigil and the name after it.
func (x *lexer) sigilled(class Class) bool {
	c := x.s[x.at]
	i := x.at + 1
	if i < len(x.s) && x.s[i] == '{' && c == '$' {
		i++
	}
	n := x.name(i)
	if n == i || x.at > 0 && (x.inName(x.s[x.at-1]) || x.s[x.at-1] == c) {
		return false
	}
	if x.s[i-1] == '{' && n < len(x.s) && x.s[n] == '}' {
		n++
	}
	x.take(n, class)
	return true
}

func (x *lexer) inName(c byte) bool {
	k := x.kinds[c]
	return k == name || k == digit || c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || x.names != "" && strings.IndexByte(x.names, c) >= 0
}

// name is where a name ends that begins at i.
func (x *lexer) name(i int) int {
	for i < len(x.s) && x.inName(x.s[i]) {
		i++
	}
	return i
}

// word takes a name, and reports whether there is one.
func (x *lexer) word() bool {
	end := x.name(x.at)
	if end == x.at {
		return false
	}
	word := x.s[x.at:end]
	if x.fold && len(word) < 32 {
		word = strings.ToLower(word)
	}
	class := x.words[word]
	if class == "" && x.calls && end < len(x.s) && x.s[end] == '(' {
		class = Function
	}
	x.take(end, class)
	return true
}

// number takes a number, with its unit.
func (x *lexer) number() {
	i := x.at + 1
	hex := strings.HasPrefix(x.s[x.at:], "0x")
	for i < len(x.s) {
		c := x.s[i]
		more := i+1 < len(x.s) && x.kinds[x.s[i+1]] == digit
		exponent := (c == '+' || c == '-') && x.s[i-1]|0x20 == 'e' && !hex && more
		point := c == '.' && (more || i+1 == len(x.s))
		if c != '_' && c != '%' && !point && !exponent && !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z') {
			break
		}
		i++
	}
	x.take(i, Number)
}
