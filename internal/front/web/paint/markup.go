package paint

import (
	"regexp"
	"strings"
	"sync"
)

// The states of markup.
const (
	inTag = 1 + iota
	inComment
	inDoubleQuotes // an attribute's value
	inSingleQuotes
)

var tagStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<!--|</[^ \t>/="'<]*|<[^ \t>/="'<]+`) })

// markup colours HTML and XML: tags, attributes, values and comments.
func markup(x *lexer) {
	for x.at < len(x.s) {
		switch x.open {
		case inComment:
			x.takeUntil("-->", Comment, 0)
		case inDoubleQuotes:
			x.takeUntil(`"`, Text, inTag)
		case inSingleQuotes:
			x.takeUntil("'", Text, inTag)
		case inTag:
			x.attribute()
		default:
			x.nextTag()
		}
	}
}

// takeUntil takes what comes up to end. If end is in the line, the state after it is next.
func (x *lexer) takeUntil(end string, class Class, next uint8) {
	i := strings.Index(x.s[x.at:], end)
	if i < 0 {
		x.take(len(x.s), class)
		return
	}
	x.take(x.at+i+len(end), class)
	x.open = next
}

// nextTag takes the text before a tag or a comment, and how that begins.
func (x *lexer) nextTag() {
	m := tagStart().FindStringIndex(x.s[x.at:])
	if m == nil {
		x.take(len(x.s), "")
		return
	}
	begin, end := x.at+m[0], x.at+m[1]
	x.take(begin, "")
	if x.s[begin:end] == "<!--" {
		x.open = inComment
		x.take(end, Comment)
		return
	}
	x.open = inTag
	x.take(end, Keyword)
}

// attribute takes one piece of the inside of a tag.
func (x *lexer) attribute() {
	switch c := x.s[x.at]; c {
	case '>', '/', '?':
		if c == '>' {
			x.open = 0
		}
		x.take(x.at+1, Keyword)
	case '"', '\'':
		x.open = map[byte]uint8{'"': inDoubleQuotes, '\'': inSingleQuotes}[c]
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

// inFence is the state of markdown inside of a fenced block of code.
const inFence = 1

var (
	fence      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[ \t]*(?:```|~~~)") })
	inlineCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`[^`]*`") })
)

// markdown colours headings, code, quotations and the signs of list items.
func markdown(x *lexer) {
	switch {
	case fence().MatchString(x.s):
		x.open ^= inFence
		x.take(len(x.s), Meta)
	case x.open == inFence:
		x.take(len(x.s), Text)
	default:
		x.takeLead()
		from := x.at
		for _, m := range inlineCode().FindAllStringIndex(x.s[from:], -1) {
			x.take(from+m[0], "")
			x.take(from+m[1], Text)
		}
		x.take(len(x.s), "")
	}
}
