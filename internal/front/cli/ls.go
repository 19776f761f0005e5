package cli

import (
	"bufio"
	"context"
	"fmt"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) ls() *cobra.Command {
	var r api.ListRequest
	var allow []string
	cmd := &cobra.Command{
		Use:   "ls [PATH]",
		Short: "List a directory",
		Long: `ls lists what is in PATH, or in the current directory: directories first, with a
slash. In a pipe it prints one name a line, on a terminal sizes and times beside
it. Names that begin with a dot are left out, and so is what .gitignore and
.ignore name; what is protected from reading is never listed.

With --recursive it prints paths, level by level.`,
		Example:    "  emend ls\n  emend ls --recursive --depth 2 src\n  emend ls --hidden --no-ignore",
		SuggestFor: []string{"list", "dir", "tree"},
		Args:       atMost(0, "one PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("depth") && r.MaxDepth < 1 {
				return usageErrorf("ls", "--depth: it is at least 1, got %d", r.MaxDepth)
			}
			r.Path = argument(args, 0, ".")
			r.Recursive = r.Recursive || r.MaxDepth > 1
			r.NamesOnly = a.namesOnly()
			return a.withWorkspace(cmd, "list_directory", allow, func(ctx context.Context, ws *emend.Workspace) error {
				answer, err := withProgress(a, ctx, func(ctx context.Context) (*api.Answer[api.ListData], error) { return ws.List(ctx, r) })
				if err != nil {
					return err
				}
				return a.printList(answer, r.Recursive)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&r.Recursive, "recursive", "R", false, "also what is in directories below")
	f.IntVar(&r.MaxDepth, "depth", 0, "with what is below, `N` levels deep (default 8 with --recursive)")
	f.BoolVarP(&r.IncludeHidden, "hidden", "a", false, "also names that begin with a dot")
	f.BoolVar(&r.IncludeIgnored, "no-ignore", false, "include what .gitignore and .ignore exclude")
	allowFlag(cmd.Flags(), &allow)
	return cmd
}

func (a *app) printList(answer *api.Answer[api.ListData], paths bool) error {
	list := answer.Data.Entries
	err := a.printListing(answer.Result, answer.Notes, len(list), func(i int) listingRow {
		e := &list[i]
		if paths {
			return listingRow{a.shown(e.RelativePath), e.Type, e.Size, e.MTime}
		}
		return listingRow{e.Name, e.Type, e.Size, e.MTime}
	})
	a.noteIf(answer.Data.Truncated, "more than %d names: list a subdirectory, or set --depth", len(list))
	return err
}

// namesOnly reports whether the output has only names, without sizes and times.
func (a *app) namesOnly() bool { return !a.json && !a.ttyOut }

// listingRow is one name in the output of ls or glob.
type listingRow struct {
	name, kind string
	size       int64
	modified   time.Time
}

// printListing prints n rows. It calls result only for --json, since making the result takes time.
func (a *app) printListing(result func() api.Result, notes []string, n int, at func(i int) listingRow) error {
	var r api.Result
	if a.json {
		r = result()
	}
	return a.printFound(r, notes, func(w *bufio.Writer) {
		for i := range n {
			a.printRow(w, at(i))
		}
	})
}

// printRow prints a name on a line. On a terminal its size and time stand before it.
func (a *app) printRow(w *bufio.Writer, r listingRow) {
	if a.ttyOut {
		size := ""
		if r.kind == "file" {
			size = formatColumnSize(r.size)
		}
		fmt.Fprintf(w, "%9s  %s  ", size, r.modified.Local().Format("2006-01-02 15:04"))
	}
	name, color := report.OneLine(r.name), ""
	switch r.kind {
	case "directory":
		name, color = name+"/", blue
	case "link":
		color = cyan
	}
	w.WriteString(a.colorize(color, name)) //nolint:errcheck // buffered returns it
	w.WriteByte('\n')                      //nolint:errcheck
}
