// Package paint colours source texts, line by line, as one reads them in a diff: comments, texts, numbers, keywords. A table
// has for each language how comments and texts begin and end, and its words; one small lexer reads it. It parses nothing, and
// guesses where only a parser would know: that a name before "(" is called; that a line "*/" closes a comment that began above
// the first line shown; that "/" after an operator begins a regular expression. What is in a text, such as ${x}, is text.
// Where a guess is wrong a colour is wrong, and never a character.
package paint

import (
	"iter"
	"path"
	"strings"
	"sync"
)

// Class is what a piece of a line is. It is a class of the page.
type Class string

// The classes; "" is what has no colour.
const (
	Keyword   Class = "k"
	Type      Class = "t" // of the language, and its constants
	Text      Class = "s"
	Comment   Class = "c"
	Number    Class = "n"
	Function  Class = "f"
	Attribute Class = "a" // a key, an attribute, a variable
	Meta      Class = "m" // what is said to the compiler; a heading
)

// Span is a piece of a line, up to byte End.
type Span struct {
	End   int
	Class Class
}

// State is what a line leaves open for the next one. The zero State leaves nothing open.
type State struct {
	open  uint8 // the number of what is open
	depth uint8 // how often, where it nests
}

// For is the language of a file, by its name; nil where it is not known.
func For(name string) *Lang {
	base := strings.ToLower(path.Base(name))
	all := languages()
	if l := all[base]; l != nil {
		return l
	}
	for _, lead := range []string{"dockerfile.", "makefile."} {
		if strings.HasPrefix(base, lead) {
			return all[strings.TrimSuffix(lead, ".")]
		}
	}
	if ext := path.Ext(base); len(ext) > 1 {
		return all[ext]
	}
	return nil
}

// languages is every language by the names and the ends of names of its files. They are made when the first is asked for.
var languages = sync.OnceValue(func() map[string]*Lang {
	out := map[string]*Lang{}
	for _, l := range table() {
		l.prepare()
		for name := range strings.FieldsSeq(l.files) {
			out[name] = l
		}
	}
	return out
})

// Line colours a line, which at is open before. The spans are the line, from its first byte to its last.
func (l *Lang) Line(s string, at State) ([]Span, State) {
	x := lexer{Lang: l, s: s, State: at, keep: true}
	x.run()
	return x.out, x.State
}

// Skip is what a line leaves open.
func (l *Lang) Skip(s string, at State) State {
	x := lexer{Lang: l, s: s, State: at}
	x.run()
	return x.State
}

// atMost is how many lines Begin looks at.
const atMost = 100

// Begin guesses what is open before lines from somewhere in a file: a comment, if it is closed by a line that has no
// quotes, and none was opened before that.
func (l *Lang) Begin(lines iter.Seq[string]) State {
	i, q := l.block()
	if q == nil {
		return State{}
	}
	n := 0
	for s := range lines {
		if n++; n > atMost || strings.Contains(s, q.open) || strings.Contains(s, "//") {
			break
		}
		if strings.HasSuffix(strings.TrimSpace(s), q.close) && !strings.ContainsAny(s, "\"'`") {
			return State{open: uint8(i + 1)}
		}
	}
	return State{}
}

// block is the comment over many lines, if the language has one whose ends can be told apart.
func (l *Lang) block() (int, *quote) {
	for i := range l.quotes {
		if q := &l.quotes[i]; q.class == Comment && q.many && q.open != q.close {
			return i, q
		}
	}
	return 0, nil
}
