package cli

import (
	"bufio"
	"context"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/spf13/cobra"
)

func (a *app) glob() *cobra.Command {
	var r api.GlobRequest
	var allow []string
	cmd := &cobra.Command{
		Use:   "glob PATTERN [PATH]",
		Short: "List the paths that match a pattern",
		Long: `glob prints the paths below PATH, or below the current directory, that match
PATTERN: * and ? within a name, ** over directories, [a-z], {one,other}. Quote it,
or the shell expands it first. What .gitignore and .ignore name is left out, and
so are .git and node_modules; what is protected from reading is never listed.`,
		Example:    "  emend glob '**/*_test.go'\n  emend glob 'src/**/*.{ts,tsx}' --exclude '*.d.ts'",
		SuggestFor: []string{"find", "fd"},
		Args:       globArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkMaxResults(cmd, &r.MaxResults); err != nil {
				return err
			}
			r.Pattern, r.Root = args[0], argument(args, 1, ".")
			return a.withWorkspace(cmd, "glob", allow, func(ctx context.Context, ws *emend.Workspace) error {
				if a.namesOnly() && !a.quiet {
					return a.streamGlob(ctx, ws, r)
				}
				answer, err := withProgress(a, ctx, func(ctx context.Context) (*api.Answer[api.GlobData], error) { return ws.Glob(ctx, r) })
				if err != nil {
					return err
				}
				return a.printGlob(answer)
			})
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&r.ExcludeGlobs, "exclude", nil, "nothing that matches `GLOB` (repeatable)")
	f.IntVar(&r.MaxResults, "max-results", 0, "stop after `N` paths (default: no limit)")
	f.BoolVar(&r.IncludeIgnored, "no-ignore", false, "include what .gitignore and .ignore exclude")
	allowFlag(cmd.Flags(), &allow)
	cmd.ValidArgsFunction = completeFilesAfter(1)
	return cmd
}

// globArgs takes a pattern and a path. If there are more arguments, it names the likely cause: a shell that expanded
// the pattern.
func globArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 2 {
		return usageErrorf("glob", "glob takes one PATTERN and one PATH, got %d arguments; quote the pattern, or the shell expands it", len(args))
	}
	return atMost(1, "one PATTERN", "one PATH")(cmd, args)
}

// checkMaxResults turns a missing --max-results into no limit.
func checkMaxResults(cmd *cobra.Command, n *int) error {
	if !cmd.Flags().Changed("max-results") {
		*n = -1
	} else if *n < 1 {
		return usageErrorf(cmd.Name(), "--max-results: it is at least 1, got %d", *n)
	}
	return nil
}

// streamGlob prints paths while it finds them.
func (a *app) streamGlob(ctx context.Context, ws *emend.Workspace, r api.GlobRequest) error {
	w := bufio.NewWriterSize(a.out, 1<<16)
	defer w.Flush() //nolint:errcheck // a.out keeps the error
	answer, err := withProgress(a, ctx, func(ctx context.Context) (*api.Answer[api.GlobSum], error) {
		return ws.Host().GlobTo(ctx, r, a.shownPaths(w))
	})
	if err != nil {
		return err
	}
	a.printNotes(answer.Notes)
	a.noteIf(answer.Data.Truncated, morePathsNote, answer.Data.Written)
	return nil
}

func (a *app) printGlob(answer *api.Answer[api.GlobData]) error {
	list := answer.Data.Matches
	err := a.printListing(answer.Result, answer.Notes, len(list), func(i int) listingRow {
		return listingRow{a.shown(list[i].Path), list[i].Type, list[i].Size, list[i].MTime}
	})
	a.noteIf(answer.Data.Truncated, morePathsNote, len(list))
	return err
}

const morePathsNote = "more than %d paths: raise --max-results"
