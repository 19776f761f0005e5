package diff

import (
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend/internal/explain"
	"github.com/emend-dev/emend/internal/front/web/paint"
	"github.com/emend-dev/emend/internal/report"
)

// MaxLineBytes is how many bytes of a line are shown. Longer ones are not marked.
const MaxLineBytes = 2000

// Cell is one line of a file.
type Cell struct {
	Kind      Kind // None, Same, Add or Del
	Number    int  // 0 where it is not known
	Runs      []Run
	Omitted   int  // characters that are not shown
	NoNewline bool // no newline ends it
}

// Run is a piece of a line of which all or nothing is marked.
type Run struct {
	Marked bool
	Parts  []Part
}

// Part is a piece of a line that is shown in one way. Its text has nothing that a browser would obey or not show.
type Part struct {
	Class string // of the page: one of package paint, [Blank], [Escaped], or ""
	Text  string
}

// Classes of parts beside those of package paint.
const (
	Blank   = "ws" // white space at the end of a line, or that differs
	Escaped = "e"  // an escape for what cannot be shown
)

// Sign is what stands before the line.
func (c *Cell) Sign() string {
	switch c.Kind {
	case Add:
		return "+"
	case Del:
		return "−"
	}
	return ""
}

// pageBytes is about how many bytes of a page the cell takes.
func (c *Cell) pageBytes() int {
	n := 100
	for _, r := range c.Runs {
		for _, p := range r.Parts {
			n += 24 + len(p.Text)
		}
	}
	return n
}

// fill gives a cell its text.
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

// partWriter cuts a line where what is shown changes: it goes through the line once.
type partWriter struct {
	line     string
	at       int
	trailing int // from here on it is blank
	spans    []paint.Span
}

// parts are the next n bytes.
func (w *partWriter) parts(n int, differs bool) []Part {
	end := w.at + n
	visible := differs && strings.Trim(w.line[w.at:end], " \t\r") == "" // nothing but blanks differs
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
		case visible || w.at >= w.trailing:
			class = Blank
		case stop > w.trailing:
			stop = w.trailing
		}
		out = appendEscaped(out, class, w.line[w.at:stop])
		w.at = stop
	}
	return out
}

// appendEscaped adds s, with what cannot be shown as parts of their own.
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

// firstChar is the size of the first character of s, and whether it is shown as an escape.
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
