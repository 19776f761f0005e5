package paint

import (
	"strings"
	"unicode/utf8"
)

// begins takes a text or a comment, if one begins here.
func (x *lexer) begins() bool {
	rest := x.s[x.at:]
	for i := range x.quotes {
		q := &x.quotes[i]
		if !strings.HasPrefix(rest, q.open) || q.alone && x.at > 0 && x.s[x.at-1] > ' ' {
			continue
		}
		if q.one {
			if n := letterEnd(rest, q.close); n > 0 {
				x.take(x.at+n, q.class)
				return true
			}
			continue
		}
		x.quote(i, len(q.open))
		return true
	}
	return x.regexp && rest[0] == '/' && x.expression()
}

// quote takes the rest of a text or a comment, whose own beginning has lead bytes.
func (x *lexer) quote(i, lead int) {
	q := &x.quotes[i]
	if lead > 0 {
		x.depth = 0
	}
	end, closed := x.end(q, x.at+lead)
	class := q.class
	if closed && x.keys && class == Text && strings.HasPrefix(strings.TrimLeft(x.s[end:], " "), ":") {
		class = Attribute
	}
	x.take(end, class)
	x.open = 0
	if !closed && q.many {
		x.open = uint8(i + 1)
	}
}

// end is where q ends, of which the text goes on at byte i.
func (x *lexer) end(q *quote, i int) (end int, closed bool) {
	if q.close == "" {
		return len(x.s), false
	}
	for i < len(x.s) {
		switch {
		case q.escape && x.s[i] == '\\':
			i = min(i+2, len(x.s))
		case x.s[i] == q.close[0] && strings.HasPrefix(x.s[i:], q.close):
			i += len(q.close)
			if x.depth == 0 {
				return i, true
			}
			x.depth--
		case q.nest && x.s[i] == q.open[0] && strings.HasPrefix(x.s[i:], q.open) && x.depth < 255:
			x.depth++
			i += len(q.open)
		default:
			i++
		}
	}
	return len(x.s), false
}

// letterEnd is the length of one character in quotes, such as 'x' or '\u{1f600}'; 0 if s begins with none.
func letterEnd(s, close string) int {
	if len(s) < 3 {
		return 0
	}
	if s[1] == '\\' {
		if i := strings.Index(s[2:min(len(s), 16)], close); i >= 0 {
			if i == 0 && strings.HasPrefix(s[3:], close) {
				i++ // the character is the quote itself
			}
			return 2 + i + len(close)
		}
		return 0
	}
	_, n := utf8.DecodeRuneInString(s[1:])
	if strings.HasPrefix(s[1+n:], close) {
		return 1 + n + len(close)
	}
	return 0
}

// expression takes a regular expression, where a value may stand and it ends on the line.
func (x *lexer) expression() bool {
	before := strings.TrimRight(x.s[max(0, x.at-16):x.at], " \t")
	value := before == "" || strings.IndexByte("=(,:[!&|?{};+>", before[len(before)-1]) >= 0 || strings.HasSuffix(before, "return")
	if x.bare || !value {
		return false
	}
	set := false
	for i := x.at + 1; i < len(x.s); i++ {
		switch c := x.s[i]; {
		case c == '\\':
			i++
		case c == '[':
			set = true
		case c == ']':
			set = false
		case c == '/' && !set:
			for i++; i < len(x.s) && 'a' <= x.s[i] && x.s[i] <= 'z'; i++ {
			}
			x.take(i, Text)
			return true
		}
	}
	x.bare = true
	return false
}
