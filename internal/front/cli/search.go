package cli

import (
	"bufio"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
)

type searchFlags struct {
	emend.SearchRequest
	anyCase bool
	allow   []string
}

var searchModes = []string{"text", "regex", "path"}

func (a *app) search() *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search QUERY [PATH]",
		Short: "Search the files of the workspace",
		Long: `search prints the lines below PATH, or below the current directory, that have QUERY
in them: as it is written, or with --mode regex as a regular expression (RE2
syntax). With --mode path it prints the paths that match QUERY, a glob, or that
have it in their name.

In a pipe a match is path:line:text and a line of context path-line-text, with --
between what does not follow; on a terminal matches are grouped by file. Paths
are relative to the workspace's root. Long lines are cut around the match. What
.gitignore and .ignore name is left out, and so are .git, node_modules and binary
files; what is protected from reading is never searched.`,
		Example: `  emend search 'TODO(' src
  emend search --mode regex '^func \w+Handler' --include '*.go' --context 2
  emend search -i readme --mode path
  emend search -- --strange-flag`,
		SuggestFor: []string{"grep", "rg", "ag"},
		Args:       atMost(1, "one QUERY", "one PATH"),
		RunE:       func(cmd *cobra.Command, args []string) error { return a.runSearch(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.Mode, "mode", "text", "how QUERY is meant, `MODE`: "+strings.Join(searchModes, ", "))
	fl.BoolVarP(&f.anyCase, "ignore-case", "i", false, "upper and lower case are the same")
	fl.StringArrayVar(&f.IncludeGlobs, "include", nil, "only files that match `GLOB` (repeatable)")
	fl.StringArrayVar(&f.ExcludeGlobs, "exclude", nil, "no file or directory that matches `GLOB` (repeatable)")
	fl.IntVar(&f.ContextLines, "context", 0, "show `N` lines before and after a match")
	fl.IntVar(&f.MaxResults, "max-results", 0, "stop after `N` matches (default: no limit)")
	fl.BoolVar(&f.IncludeIgnored, "no-ignore", false, "also what .gitignore and .ignore leave out")
	allowFlag(cmd, &f.allow)
	complete(cmd, "mode", searchModes)
	cmd.ValidArgsFunction = filesAfter(1)
	return cmd
}

func (a *app) runSearch(cmd *cobra.Command, args []string, f searchFlags) error {
	if !slices.Contains(searchModes, f.Mode) {
		return badUse("search", "--mode: %q is none of %s", f.Mode, strings.Join(searchModes, ", "))
	}
	if f.ContextLines < 0 {
		return badUse("search", "--context: it is at least 0, got %d", f.ContextLines)
	}
	if err := results(cmd, &f.MaxResults); err != nil {
		return err
	}
	f.Query, f.Root = args[0], second(args, ".")
	exact := !f.anyCase
	f.CaseSensitive = &exact
	return a.work(cmd, "search_files", f.allow, func(ctx context.Context, ws *emend.Workspace) error {
		some, err := a.ask(ctx, ws, &f)
		if err == nil && !some {
			err = errSaid
		}
		return err
	})
}

// ask searches and prints, and reports whether there is anything.
func (a *app) ask(ctx context.Context, ws *emend.Workspace, f *searchFlags) (some bool, err error) {
	if !a.tty && !a.json && !a.quiet && f.ContextLines == 0 {
		return a.stream(ctx, ws, f)
	}
	is, err := waited(a, ctx, func(ctx context.Context) (*emend.Answer[emend.SearchData], error) {
		return ws.Search(ctx, f.SearchRequest)
	})
	if err != nil {
		return false, err
	}
	err = a.found(is.Result(), is.Notes, func(w *bufio.Writer) { a.matches(w, is.Data.Matches, f.highlight()) })
	a.more(is.Data.Truncated, moreMatches, len(is.Data.Matches))
	return len(is.Data.Matches) > 0, err
}

const moreMatches = "there are more than these %d matches: ask with a higher --max-results"

// stream prints while it searches. Nothing but lines that match is printed, and nobody looks at them who would like colours.
func (a *app) stream(ctx context.Context, ws *emend.Workspace, f *searchFlags) (some bool, err error) {
	is, err := waited(a, ctx, func(ctx context.Context) (*emend.Answer[emend.SearchSum], error) {
		return ws.SearchTo(ctx, f.SearchRequest, a.out)
	})
	if err != nil {
		return false, err
	}
	a.notes(is.Notes)
	a.more(is.Data.Truncated, moreMatches, is.Data.Written)
	return is.Data.Written > 0, nil
}

// highlight finds in a line what matched, for colour only; nil finds nothing.
func (f *searchFlags) highlight() *regexp.Regexp {
	query := f.Query
	if f.Mode == "text" {
		query = regexp.QuoteMeta(query)
	}
	if f.anyCase {
		query = "(?i:" + query + ")"
	}
	re, err := regexp.Compile(query)
	if err != nil || f.Mode == "path" {
		return nil
	}
	return re
}

// The colours of a match on a terminal.
const (
	magenta = "\x1b[35m"
	boldRed = "\x1b[1;31m"
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
