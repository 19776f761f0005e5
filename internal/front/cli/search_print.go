package cli

import (
	"bufio"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
)

// lastLine is what the printing of matches remembers from one to the next.
type lastLine struct {
	path string
	line int
}

func (a *app) matches(w *bufio.Writer, list []emend.SearchMatch, re *regexp.Regexp) {
	groups := slices.ContainsFunc(list, func(m emend.SearchMatch) bool { return len(m.Before)+len(m.After) > 0 })
	var last lastLine
	for i := range list {
		m := &list[i]
		if m.Line == 0 {
			fmt.Fprintln(w, a.paint(magenta, report.OneLine(m.Path)))
			continue
		}
		before := m.Before
		if m.Path == last.path { // lines that the match before has shown
			before = before[min(max(last.line+1-(m.Line-len(before)), 0), len(before)):]
		}
		a.between(w, m, last, m.Line-len(before), groups)
		until := m.Line + len(m.After)
		if i+1 < len(list) && list[i+1].Path == m.Path { // a match is not context of the one before it
			until = min(until, list[i+1].Line-1)
		}
		for k, text := range before {
			a.line(w, m.Path, m.Line-len(before)+k, "-", report.OneLine(text))
		}
		a.line(w, m.Path, m.Line, ":", a.lit(m.Preview, re))
		for k, text := range m.After[:max(until-m.Line, 0)] {
			a.line(w, m.Path, m.Line+1+k, "-", report.OneLine(text))
		}
		last = lastLine{m.Path, max(until, m.Line)}
	}
}

// between prints what separates a match from the one before it: a new file's name on a terminal, or the mark of a gap.
func (a *app) between(w *bufio.Writer, m *emend.SearchMatch, last lastLine, from int, groups bool) {
	if a.tty && m.Path != last.path {
		if last.path != "" {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, a.paint(magenta, report.OneLine(m.Path)))
		return
	}
	if groups && last.path != "" && (m.Path != last.path || from > last.line+1) {
		fmt.Fprintln(w, "--")
	}
}

// line prints one line of a file; in a pipe with the file's name, for programs and for people who filter it.
func (a *app) line(w *bufio.Writer, path string, n int, sep, text string) {
	if a.tty {
		fmt.Fprintf(w, "%s%s%s\n", a.paint(green, fmt.Sprint(n)), sep, text)
		return
	}
	fmt.Fprintf(w, "%s%s%d%s%s\n", report.OneLine(path), sep, n, sep, text)
}

// lit is a line with its matches in colour, where there is colour.
func (a *app) lit(text string, re *regexp.Regexp) string {
	if re == nil || !a.color() {
		return report.OneLine(text)
	}
	var b strings.Builder
	at := 0
	for _, hit := range re.FindAllStringIndex(text, -1) {
		b.WriteString(report.OneLine(text[at:hit[0]]) + a.paint(boldRed, report.OneLine(text[hit[0]:hit[1]])))
		at = hit[1]
	}
	return b.String() + report.OneLine(text[at:])
}
