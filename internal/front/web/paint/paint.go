// Package paint colours source code line by line for the pages: comments, texts, numbers, keywords. A table says for each
// language how comments and texts begin and end, and which words are keywords. One lexer reads it.
//
// It parses nothing, and guesses where only a parser would know:
//   - a name before "(" is a function that is called
//   - a line that ends in "*/" closes a comment that began above the first line shown
//   - "/" after an operator begins a regular expression
//   - everything inside a text is text, ${x} too
//
// A wrong guess paints a wrong colour. It never changes a character.
package paint

import (
	"iter"
	"path"
	"strings"
	"sync"
)

// Class says what a piece of a line is. Pages use it as the name of a CSS class.
type Class string

// The classes. Pieces without colour have the class "".
const (
	Keyword   Class = "k"
	Type      Class = "t" // built-in types, functions and constants
	Text      Class = "s"
	Comment   Class = "c"
	Number    Class = "n"
	Function  Class = "f"
	Attribute Class = "a" // keys, attributes and variables
	Meta      Class = "m" // compiler directives, annotations and headings
)

// Span is a piece of a line. It begins where the span before it ends.
type Span struct {
	End   int // the byte after it
	Class Class
}

// State says what is still open at the end of a line: a comment or a text that goes on in the next line. The zero State
// means that nothing is.
type State struct {
	open  uint8 // 1 + the index in Lang.quotes; languages with a scan function of their own have their own numbers
	depth uint8 // how many comments are nested in it
}

// For returns the language of a file by its name, or nil if there is none in the table.
func For(name string) *Lang {
	base := strings.ToLower(path.Base(name))
	all := languages()
	if l := all[base]; l != nil {
		return l
	}
	for _, prefix := range []string{"dockerfile.", "makefile."} {
		if strings.HasPrefix(base, prefix) {
			return all[strings.TrimSuffix(prefix, ".")]
		}
	}
	if ext := path.Ext(base); len(ext) > 1 {
		return all[ext]
	}
	return nil
}

// languages maps file names and extensions to languages. The table is built when the first page needs it.
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

// Line colours a line that begins in the given state. The spans cover the line from its first byte to its last. It also
// returns the state in which the next line begins.
func (l *Lang) Line(s string, before State) ([]Span, State) {
	x := lexer{Lang: l, State: before, s: s}
	x.run()
	return x.out, x.State
}

// maxBegin limits the lines that Begin looks at.
const maxBegin = 100

// Begin guesses the state in which lines from the middle of a file begin. It is inside a comment if a line without quotes
// closes one that no line before it opened.
func (l *Lang) Begin(lines iter.Seq[string]) State {
	i, q := l.blockComment()
	if q == nil {
		return State{}
	}
	n := 0
	for s := range lines {
		if n++; n > maxBegin || strings.Contains(s, q.open) || strings.Contains(s, "//") {
			break
		}
		if strings.HasSuffix(strings.TrimSpace(s), q.close) && !strings.ContainsAny(s, "\"'`") {
			return State{open: uint8(i + 1)}
		}
	}
	return State{}
}

// blockComment returns the multi-line comment of a language and its index, or nil if there is none, or if its two ends look
// alike.
func (l *Lang) blockComment() (int, *quote) {
	for i := range l.quotes {
		if q := &l.quotes[i]; q.class == Comment && q.multiline && q.open != q.close {
			return i, q
		}
	}
	return 0, nil
}
