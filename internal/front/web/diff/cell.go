package diff

import (
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend/internal/explain"
	"github.com/emend-dev/emend/internal/front/web/paint"
	"github.com/emend-dev/emend/internal/report"
)

// MaxLineBytes limits the shown part of a line. In longer lines no words are marked.
const MaxLineBytes = 2000

// Cell is one line of a file.
type Cell struct {
	Kind      Kind // None, Same, Add or Del
	Number    int  // 0 if not known
	Runs      []Run
	Omitted   int  // how many characters are not shown
	NoNewline bool // no newline ends the line
}

// Run is a piece of a line that is marked or not.
type Run struct {
	Marked bool
	Parts  []Part
}

// Part is a piece of a line with one style. Its text has no control characters and nothing invisible.
type Part struct {
	Class string // a CSS class: one of package paint, [Blank], [Escaped], or ""
	Text  string
}

// Further classes of parts.
const (
	Blank   = "ws" // trailing blanks, or blanks that differ
	Escaped = "e"  // the escape of characters that cannot be shown
)

// Sign returns the sign before the line.
func (c *Cell) Sign() string {
	switch c.Kind {
	case Add:
		return "+"
	case Del:
		return "−"
	}
	return ""
}

// pageBytes is about how many bytes of HTML the cell makes.
func (c *Cell) pageBytes() int {
	n := 100
	for _, r := range c.Runs {
		for _, p := range r.Parts {
			n += 24 + len(p.Text)
		}
	}
	return n
}

// fill sets the text of a cell.
func (c *Cell) fill(s string, spans []paint.Span, marks []explain.Part) {
	if len(s) > MaxLineBytes {
		n := MaxLineBytes
		for n > MaxLineBytes-utf8.UTFMax && !utf8.RuneStart(s[n]) {
			n--
		}
		c.Omitted, s, marks = utf8.RuneCountInString(s[n:]), s[:n], nil
	}
	if s == "" {
		return
	}
	if marks == nil {
		marks = []explain.Part{{Text: s}}
	}
	w := partWriter{line: s, trailing: len(strings.TrimRight(s, " \t\r")), spans: spans}
	for _, m := range marks {
		c.Runs = append(c.Runs, Run{m.Differs, w.parts(len(m.Text), m.Differs)})
	}
}

// partWriter cuts a line into parts, in one pass.
type partWriter struct {
	line     string
	at       int
	trailing int // where the blanks at the end begin
	spans    []paint.Span
}

// parts returns the parts of the next n bytes.
func (w *partWriter) parts(n int, differs bool) []Part {
	end := w.at + n
	onlyBlanks := differs && strings.Trim(w.line[w.at:end], " \t\r") == ""
	var out []Part
	for w.at < end {
		for len(w.spans) > 0 && w.spans[0].End <= w.at {
			w.spans = w.spans[1:]
		}
		stop, class := end, ""
		if len(w.spans) > 0 {
			stop, class = min(end, w.spans[0].End), string(w.spans[0].Class)
		}
		switch {
		case onlyBlanks || w.at >= w.trailing:
			class = Blank
		case stop > w.trailing:
			stop = w.trailing
		}
		out = appendEscaped(out, class, w.line[w.at:stop])
		w.at = stop
	}
	return out
}

// appendEscaped appends s to out. Characters that cannot be shown become parts with escapes.
func appendEscaped(out []Part, class, s string) []Part {
	for s != "" {
		n := 0
		for n < len(s) {
			size, hidden := firstChar(s[n:])
			if hidden {
				break
			}
			n += size
		}
		if n > 0 {
			out = appendPart(out, class, s[:n])
		}
		m := n
		for m < len(s) {
			size, hidden := firstChar(s[m:])
			if !hidden {
				break
			}
			m += size
		}
		if m > n {
			out = appendPart(out, Escaped, report.OneLine(s[n:m]))
		}
		s = s[m:]
	}
	return out
}

// firstChar returns the size of the first character of s, and whether it is shown as an escape.
func firstChar(s string) (size int, hidden bool) {
	if c := s[0]; ' ' <= c && c <= '~' || c == '\t' {
		return 1, false
	}
	_, n := utf8.DecodeRuneInString(s)
	return n, report.OneLine(s[:n]) != s[:n]
}

func appendPart(out []Part, class, text string) []Part {
	if n := len(out); n > 0 && out[n-1].Class == class {
		out[n-1].Text += text
		return out
	}
	return append(out, Part{class, text})
}
