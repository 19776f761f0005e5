package cli

import (
	"bufio"
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

type searchFlags struct {
	api.SearchRequest
	patterns             []string // of -e
	words                bool
	names, counts        bool // print only the names of files, or how many lines match in each
	before, after, lines int  // of context
	globs, types         []string
	anyCase              bool
	paths                []string
	allow                []string
}

var searchModes = []string{"text", "regex", "path"}

func (a *app) search() *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search QUERY [PATH]...",
		Short: "Search the files of the workspace",
		Long: `search prints the lines that contain QUERY, in files below each PATH or below the
current directory. QUERY is literal text, or with --mode regex a regular expression (RE2
syntax). With -e PATTERN, which can be repeated, all arguments are PATHs. With --mode
path search prints the paths that match QUERY as a glob or contain it.

In a pipe a match is path:line:text, a line of context is path-line-text, and -- stands
between groups; on a terminal matches are grouped by file. Long lines are cut around the
match. Files that .gitignore or .ignore exclude, .git, node_modules and binary files are
skipped. Files that are protected from reading are never searched.

-e, -w, -l, -c, -i, -A, -B, -C, -g and -t are those of ripgrep. To work in another
directory, write -C DIR before the verb, or --directory DIR.`,
		Example: `  emend search 'TODO(' src docs
  emend search -e '^func \w+Handler' -t go -C 2
  emend search -lw Parse
  emend search -i readme --mode path
  emend search -- --strange-flag`,
		SuggestFor: []string{"grep", "rg", "ag"},
		RunE:       func(cmd *cobra.Command, args []string) error { return a.runSearch(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.StringArrayVarP(&f.patterns, "regexp", "e", nil, "search for the regular expression `PATTERN` instead of QUERY (repeatable)")
	fl.StringVar(&f.Mode, "mode", "text", "what QUERY is, `MODE`: "+strings.Join(searchModes, ", "))
	fl.BoolP("line-number", "n", false, "print line numbers (always on)")
	fl.BoolVarP(&f.anyCase, "ignore-case", "i", false, "ignore upper and lower case")
	fl.BoolVarP(&f.words, "word-regexp", "w", false, "only whole words")
	fl.BoolVarP(&f.names, "files-with-matches", "l", false, "print only the names of files")
	fl.BoolVarP(&f.counts, "count", "c", false, "print only the number of matching lines in each file")
	fl.IntVarP(&f.after, "after-context", "A", 0, "show `N` lines after a match")
	fl.IntVarP(&f.before, "before-context", "B", 0, "show `N` lines before a match")
	fl.IntVarP(&f.lines, "context", "C", 0, "show `N` lines before and after a match")
	fl.StringArrayVarP(&f.globs, "glob", "g", nil, "only files that match `GLOB`; !GLOB excludes them (repeatable)")
	fl.StringArrayVarP(&f.types, "type", "t", nil, "only files of `TYPE` (repeatable): "+strings.Join(fileTypeNames(), ", "))
	fl.StringArrayVar(&f.IncludeGlobs, "include", nil, "only files that match `GLOB` (repeatable)")
	fl.StringArrayVar(&f.ExcludeGlobs, "exclude", nil, "no file or directory that matches `GLOB` (repeatable)")
	fl.IntVar(&f.MaxResults, "max-results", 0, "stop after `N` matches (default: no limit)")
	fl.BoolVar(&f.IncludeIgnored, "no-ignore", false, "include what .gitignore and .ignore exclude")
	// It hides the flag of every verb that has -C, so that -C is free here.
	fl.StringVar(&a.dir, "directory", "", "change to `DIR` before doing anything")
	fl.MarkHidden("directory") //nolint:errcheck // it was just defined
	allowFlag(cmd.Flags(), &f.allow)
	completeWords(cmd, "mode", searchModes)
	completeWords(cmd, "type", fileTypeNames())
	cmd.ValidArgsFunction = completeFilesAfter(1)
	return cmd
}

func (a *app) runSearch(cmd *cobra.Command, args []string, f searchFlags) error {
	if err := f.complete(cmd, args); err != nil {
		return err
	}
	if a.json && (f.names || f.counts) {
		return usageErrorf("search", "-l and -c print text: leave out --json")
	}
	return a.withWorkspace(cmd, "search_files", f.allow, func(ctx context.Context, ws *emend.Workspace) error {
		found, err := a.searchAndPrint(ctx, ws, &f)
		if err == nil && !found {
			err = errPrinted
		}
		return err
	})
}

// complete checks the flags, and makes the request of them.
func (f *searchFlags) complete(cmd *cobra.Command, args []string) error {
	if !slices.Contains(searchModes, f.Mode) {
		return usageErrorf("search", "--mode: %q is none of %s", f.Mode, strings.Join(searchModes, ", "))
	}
	switch {
	case len(f.patterns) == 0 && len(args) == 0:
		return usageErrorf("search", "search needs one QUERY")
	case len(f.patterns) == 0:
		f.patterns, args = args[:1], args[1:]
	case !cmd.Flags().Changed("mode"):
		f.Mode = "regex"
	case f.Mode == "path":
		return usageErrorf("search", "-e looks into files: with --mode path give a QUERY")
	}
	if f.paths = args; len(args) == 0 {
		f.paths = []string{"."}
	}
	for name, n := range map[string]*int{"after-context": &f.after, "before-context": &f.before, "context": &f.lines} {
		if *n < 0 {
			return usageErrorf("search", "--%s: it is at least 0, got %d", name, *n)
		}
	}
	if !cmd.Flags().Changed("after-context") {
		f.after = f.lines
	}
	if !cmd.Flags().Changed("before-context") {
		f.before = f.lines
	}
	if f.ContextLines = max(f.before, f.after); f.names || f.counts {
		f.ContextLines = 0
	}
	for _, g := range f.globs {
		if not, ok := strings.CutPrefix(g, "!"); ok {
			f.ExcludeGlobs = append(f.ExcludeGlobs, not)
		} else {
			f.IncludeGlobs = append(f.IncludeGlobs, g)
		}
	}
	for _, t := range f.types {
		globs := fileTypes[t]
		if globs == "" {
			return usageErrorf("search", "--type: %q is none of %s", t, strings.Join(fileTypeNames(), ", "))
		}
		f.IncludeGlobs = append(f.IncludeGlobs, strings.Fields(globs)...)
	}
	f.Query, f.Mode = f.query()
	exact := !f.anyCase
	f.CaseSensitive = &exact
	return checkMaxResults(cmd, &f.MaxResults)
}

// query returns one query for all patterns, and its mode. A text becomes an expression if there are several, or if only words count.
func (f *searchFlags) query() (query, mode string) {
	if f.Mode == "path" || len(f.patterns) == 1 && !f.words {
		return f.patterns[0], f.Mode
	}
	var parts []string
	for _, p := range f.patterns {
		switch {
		case f.Mode == "text":
			p = wordOf(p, f.words)
		case f.words:
			p = `\b(?:` + p + `)\b`
		default:
			p = "(?:" + p + ")"
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, "|"), "regex"
}

// wordOf returns an expression for a text; with words, for one that no letter of a word goes on.
func wordOf(text string, words bool) string {
	quoted := regexp.QuoteMeta(text)
	if !words || text == "" {
		return quoted
	}
	if isWordChar(text[0]) {
		quoted = `\b` + quoted
	}
	if isWordChar(text[len(text)-1]) {
		quoted += `\b`
	}
	return quoted
}

func isWordChar(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// searchAndPrint prints the matches below each path, and reports whether there are any.
func (a *app) searchAndPrint(ctx context.Context, ws *emend.Workspace, f *searchFlags) (found bool, err error) {
	stream := !a.ttyOut && !a.json && !a.quiet && f.ContextLines == 0 && !f.names && !f.counts
	var all api.SearchData
	var notes, texts []string
	var result api.Result
	written, limit := 0, f.MaxResults
	for i, path := range f.paths {
		r := f.SearchRequest
		r.Root = path
		if limit > 0 {
			if r.MaxResults = limit - written; r.MaxResults == 0 {
				all.Truncated = true
				break
			}
		}
		if stream {
			answer, err := withProgress(a, ctx, func(ctx context.Context) (*api.Answer[api.SearchSum], error) {
				return ws.Host().SearchTo(ctx, r, a.shownPaths(a.out))
			})
			if err != nil {
				return written > 0, err
			}
			notes, all.Truncated, written = append(notes, answer.Notes...), all.Truncated || answer.Data.Truncated, written+answer.Data.Written
			continue
		}
		answer, err := withProgress(a, ctx, func(ctx context.Context) (*api.Answer[api.SearchData], error) { return ws.Search(ctx, r) })
		if err != nil {
			return false, err
		}
		f.cutContext(answer.Data.Matches)
		if all.FilesScanned += answer.Data.FilesScanned; i == 0 {
			all.Matches = answer.Data.Matches
		} else {
			all.Matches = append(all.Matches, answer.Data.Matches...)
		}
		notes, all.Truncated, written = append(notes, answer.Notes...), all.Truncated || answer.Data.Truncated, len(all.Matches)
		if a.json {
			result = answer.Result()
			texts = append(texts, result.Text())
		}
	}
	if stream {
		a.printNotes(notes)
	} else {
		if len(f.paths) > 1 {
			result = &report.Object{Ok: true, Output: strings.Join(texts, "\n"), Data: all}
		}
		err = a.printFound(result, notes, func(w *bufio.Writer) { a.printMatchesAs(w, all.Matches, f) })
	}
	a.noteIf(all.Truncated, moreMatchesNote, written)
	return written > 0, err
}

const moreMatchesNote = "more than %d matches: raise --max-results"

// cutContext leaves as many lines around each match as were asked for. The engine gives as many before as after.
func (f *searchFlags) cutContext(list []api.SearchMatch) {
	for i := range list {
		m := &list[i]
		m.Before = m.Before[max(0, len(m.Before)-f.before):]
		m.After = m.After[:min(len(m.After), f.after)]
	}
}

// highlight returns a pattern that finds the match in a line, for colour only; nil for no colour.
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

// fileTypes maps the types of files to their globs.
var fileTypes = map[string]string{
	"c": "*.c *.h", "cpp": "*.cc *.cpp *.cxx *.c++ *.h *.hh *.hpp *.hxx *.inl", "cs": "*.cs", "css": "*.css *.scss", "dart": "*.dart",
	"docker": "Dockerfile* *.dockerfile", "elixir": "*.ex *.exs", "go": "*.go", "haskell": "*.hs *.lhs", "html": "*.htm *.html",
	"java": "*.java", "js": "*.js *.jsx *.cjs *.mjs *.vue", "json": "*.json", "kotlin": "*.kt *.kts", "lua": "*.lua",
	"make": "*.mk Makefile makefile GNUmakefile", "md": "*.md *.markdown *.mdx", "perl": "*.pl *.pm *.t", "php": "*.php", "protobuf": "*.proto",
	"py": "*.py *.pyi", "r": "*.R *.r *.Rmd", "ruby": "*.rb Gemfile Rakefile *.gemspec", "rust": "*.rs", "scala": "*.scala *.sbt",
	"sh": "*.sh *.bash *.zsh *.ksh", "sql": "*.sql", "svelte": "*.svelte", "swift": "*.swift", "tf": "*.tf *.tfvars", "toml": "*.toml",
	"ts": "*.ts *.tsx *.cts *.mts", "txt": "*.txt", "vue": "*.vue", "xml": "*.xml *.xsd *.xsl", "yaml": "*.yaml *.yml", "zig": "*.zig",
}

func fileTypeNames() []string {
	out := make([]string, 0, len(fileTypes))
	for name := range fileTypes {
		out = append(out, name)
	}
	slices.SortFunc(out, cmp.Compare[string])
	return out
}
