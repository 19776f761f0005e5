package cli

import (
	"bufio"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

// lastPrinted is the last line that printMatches printed.
type lastPrinted struct {
	path string
	line int
}

// printMatchesAs prints matches, only the names of their files, or how many there are in each, as the flags say.
func (a *app) printMatchesAs(w *bufio.Writer, list []api.SearchMatch, f *searchFlags) {
	for i := range list {
		list[i].Path = a.shown(list[i].Path)
	}
	if !f.names && !f.counts {
		a.printMatches(w, list, f.highlight())
		return
	}
	for i := 0; i < len(list); {
		path, n := list[i].Path, 0
		for ; i < len(list) && list[i].Path == path; i++ {
			n++
		}
		w.WriteString(a.colorize(magenta, report.OneLine(path))) //nolint:errcheck // buffered returns it
		if f.counts && !f.names {
			fmt.Fprintf(w, ":%d", n)
		}
		w.WriteByte('\n') //nolint:errcheck
	}
}

func (a *app) printMatches(w *bufio.Writer, list []api.SearchMatch, re *regexp.Regexp) {
	groups := slices.ContainsFunc(list, func(m api.SearchMatch) bool { return len(m.Before)+len(m.After) > 0 })
	var last lastPrinted
	for i := range list {
		m := &list[i]
		if m.Line == 0 {
			fmt.Fprintln(w, a.colorize(magenta, report.OneLine(m.Path)))
			continue
		}
		before := m.Before
		if m.Path == last.path { // leave out lines that the match before printed
			before = before[min(max(last.line+1-(m.Line-len(before)), 0), len(before)):]
		}
		a.printSeparator(w, m, last, m.Line-len(before), groups)
		until := m.Line + len(m.After)
		if i+1 < len(list) && list[i+1].Path == m.Path { // the next match is no context of this one
			until = min(until, list[i+1].Line-1)
		}
		for k, text := range before {
			a.printLine(w, m.Path, m.Line-len(before)+k, "-", report.OneLine(text))
		}
		a.printLine(w, m.Path, m.Line, ":", a.highlightLine(m.Preview, re))
		for k, text := range m.After[:max(until-m.Line, 0)] {
			a.printLine(w, m.Path, m.Line+1+k, "-", report.OneLine(text))
		}
		last = lastPrinted{m.Path, max(until, m.Line)}
	}
}

// printSeparator prints what stands before a match: on a terminal the name of a new file, and -- where lines are left
// out.
func (a *app) printSeparator(w *bufio.Writer, m *api.SearchMatch, last lastPrinted, from int, groups bool) {
	if a.ttyOut && m.Path != last.path {
		if last.path != "" {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, a.colorize(magenta, report.OneLine(m.Path)))
		return
	}
	if groups && last.path != "" && (m.Path != last.path || from > last.line+1) {
		fmt.Fprintln(w, "--")
	}
}

// printLine prints one line of a file. In a pipe the file's name stands before it, for programs that filter lines.
func (a *app) printLine(w *bufio.Writer, path string, n int, sep, text string) {
	if a.ttyOut {
		fmt.Fprintf(w, "%s%s%s\n", a.colorize(green, fmt.Sprint(n)), sep, text)
		return
	}
	fmt.Fprintf(w, "%s%s%d%s%s\n", report.OneLine(path), sep, n, sep, text)
}

// highlightLine returns a line with its matches in colour.
func (a *app) highlightLine(text string, re *regexp.Regexp) string {
	if re == nil || !a.useColor() {
		return report.OneLine(text)
	}
	var b strings.Builder
	at := 0
	for _, hit := range re.FindAllStringIndex(text, -1) {
		b.WriteString(report.OneLine(text[at:hit[0]]) + a.colorize(boldRed, report.OneLine(text[hit[0]:hit[1]])))
		at = hit[1]
	}
	return b.String() + report.OneLine(text[at:])
}
