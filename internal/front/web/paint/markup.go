package paint

import "strings"

// What a line of markup leaves open.
const (
	inTag     = 1 + iota
	inComment // <!-- -->
	inDouble  // a value
	inSingle
)

// markup colours HTML and XML: tags, attributes, values, comments, entities.
func markup(x *lexer) {
	for x.at < len(x.s) {
		switch x.open {
		case inComment:
			x.until("-->", Comment, 0)
		case inDouble:
			x.until(`"`, Text, inTag)
		case inSingle:
			x.until("'", Text, inTag)
		case inTag:
			x.attribute()
		default:
			x.content()
		}
	}
}

// until takes what comes up to end, after which open is open.
func (x *lexer) until(end string, class Class, open uint8) {
	i := strings.Index(x.s[x.at:], end)
	if i < 0 {
		x.take(len(x.s), class)
		return
	}
	x.take(x.at+i+len(end), class)
	x.open = open
}

// content takes what is between tags, and the beginning of the next one.
func (x *lexer) content() {
	rest := x.s[x.at:]
	i := strings.IndexByte(rest, '<')
	if i < 0 {
		x.take(len(x.s), "")
		return
	}
	x.take(x.at+i, "")
	if rest = rest[i:]; strings.HasPrefix(rest, "<!--") {
		x.open = inComment
		x.take(x.at+4, Comment)
		return
	}
	n := 1
	for n < len(rest) && strings.IndexByte(" \t>/=\"'<", rest[n]) < 0 || n == 1 && n < len(rest) && rest[n] == '/' {
		n++
	}
	if n == 1 {
		x.take(x.at+1, "")
		return
	}
	x.open = inTag
	x.take(x.at+n, Keyword)
}

// attribute takes one piece of the inside of a tag.
func (x *lexer) attribute() {
	switch c := x.s[x.at]; c {
	case '>':
		x.open = 0
		x.take(x.at+1, Keyword)
	case '/', '?':
		x.take(x.at+1, Keyword)
	case '"':
		x.open = inDouble
		x.take(x.at+1, Text)
	case '\'':
		x.open = inSingle
		x.take(x.at+1, Text)
	case ' ', '\t', '=', '<':
		x.take(x.at+1, "")
	default:
		n := strings.IndexAny(x.s[x.at:], " \t=>/\"'<?")
		if n < 0 {
			n = len(x.s) - x.at
		}
		x.take(x.at+n, Attribute)
	}
}

// Inside of a fence the lines are text.
const inFence = 1

// markdown colours headings, code, quotes and the beginnings of list items.
func markdown(x *lexer) {
	i := indent(x.s)
	rest := x.s[i:]
	fence := strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "~~~")
	switch {
	case fence:
		x.open ^= inFence
		x.take(len(x.s), Meta)
	case x.open == inFence:
		x.take(len(x.s), Text)
	case strings.HasPrefix(rest, "#"):
		x.take(len(x.s), Meta)
	case strings.HasPrefix(rest, ">"):
		x.take(len(x.s), Comment)
	case strings.HasPrefix(rest, "- "), strings.HasPrefix(rest, "* "), strings.HasPrefix(rest, "+ "):
		x.take(i, "")
		x.take(i+1, Keyword)
	}
	for x.at < len(x.s) {
		x.prose()
	}
}

// prose takes plain text and the code after it.
func (x *lexer) prose() {
	rest := x.s[x.at:]
	i := strings.IndexByte(rest, '`')
	if i < 0 || strings.IndexByte(rest[i+1:], '`') < 0 {
		x.take(len(x.s), "")
		return
	}
	n := i + 1 + strings.IndexByte(rest[i+1:], '`') + 1
	x.take(x.at+i, "")
	x.take(x.at+n-i, Text)
}
