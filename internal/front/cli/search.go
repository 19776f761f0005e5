package cli

import (
	"bufio"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/spf13/cobra"
)

type searchFlags struct {
	api.SearchRequest
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
	allowFlag(cmd.Flags(), &f.allow)
	completeWords(cmd, "mode", searchModes)
	cmd.ValidArgsFunction = completeFilesAfter(1)
	return cmd
}

func (a *app) runSearch(cmd *cobra.Command, args []string, f searchFlags) error {
	if !slices.Contains(searchModes, f.Mode) {
		return usageErrorf("search", "--mode: %q is none of %s", f.Mode, strings.Join(searchModes, ", "))
	}
	if f.ContextLines < 0 {
		return usageErrorf("search", "--context: it is at least 0, got %d", f.ContextLines)
	}
	if err := checkMaxResults(cmd, &f.MaxResults); err != nil {
		return err
	}
	f.Query, f.Root = args[0], argument(args, 1, ".")
	exact := !f.anyCase
	f.CaseSensitive = &exact
	return a.withWorkspace(cmd, "search_files", f.allow, func(ctx context.Context, ws *emend.Workspace) error {
		found, err := a.searchAndPrint(ctx, ws, &f)
		if err == nil && !found {
			err = errPrinted
		}
		return err
	})
}

// searchAndPrint prints the matches, and reports whether there are any.
func (a *app) searchAndPrint(ctx context.Context, ws *emend.Workspace, f *searchFlags) (found bool, err error) {
	if !a.ttyOut && !a.json && !a.quiet && f.ContextLines == 0 {
		return a.streamMatches(ctx, ws, f)
	}
	answer, err := withProgress(a, ctx, func(ctx context.Context) (*api.Answer[api.SearchData], error) {
		return ws.Search(ctx, f.SearchRequest)
	})
	if err != nil {
		return false, err
	}
	err = a.printFound(answer.Result(), answer.Notes, func(w *bufio.Writer) { a.printMatches(w, answer.Data.Matches, f.highlight()) })
	a.noteIf(answer.Data.Truncated, moreMatchesNote, len(answer.Data.Matches))
	return len(answer.Data.Matches) > 0, err
}

const moreMatchesNote = "there are more than these %d matches: ask with a higher --max-results"

// streamMatches prints matches while it finds them, without context and without colours.
func (a *app) streamMatches(ctx context.Context, ws *emend.Workspace, f *searchFlags) (found bool, err error) {
	answer, err := withProgress(a, ctx, func(ctx context.Context) (*api.Answer[api.SearchSum], error) {
		return ws.Host().SearchTo(ctx, f.SearchRequest, a.out)
	})
	if err != nil {
		return false, err
	}
	a.printNotes(answer.Notes)
	a.noteIf(answer.Data.Truncated, moreMatchesNote, answer.Data.Written)
	return answer.Data.Written > 0, nil
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
