package cli

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
)

func (a *app) ls() *cobra.Command {
	var r emend.ListRequest
	var allow []string
	cmd := &cobra.Command{
		Use:   "ls [PATH]",
		Short: "List a directory",
		Long: `ls lists what is in PATH, or in the current directory: directories first, with a
slash. In a pipe it prints one name a line, on a terminal sizes and times beside
it. Names that begin with a dot are left out, and so is what .gitignore and
.ignore name; what is protected from reading is never listed.

With --recursive it prints paths, relative to the workspace's root, level by level.`,
		Example:    "  emend ls\n  emend ls --recursive --depth 2 src\n  emend ls --hidden --no-ignore",
		SuggestFor: []string{"list", "dir", "tree"},
		Args:       atMost(0, "one PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("depth") && r.MaxDepth < 1 {
				return badUse("ls", "--depth: it is at least 1, got %d", r.MaxDepth)
			}
			r.Path = first(args, ".")
			r.Recursive = r.Recursive || r.MaxDepth > 1
			r.NamesOnly = a.namesOnly()
			return a.work(cmd, "list_directory", allow, func(ctx context.Context, ws *emend.Workspace) error {
				is, err := waited(a, ctx, func(ctx context.Context) (*emend.Answer[emend.ListData], error) { return ws.List(ctx, r) })
				if err != nil {
					return err
				}
				return a.showList(is, r.Recursive)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&r.Recursive, "recursive", "R", false, "also what is in directories below")
	f.IntVar(&r.MaxDepth, "depth", 0, "with what is below, `N` levels deep (default 8 with --recursive)")
	f.BoolVarP(&r.IncludeHidden, "hidden", "a", false, "also names that begin with a dot")
	f.BoolVar(&r.IncludeIgnored, "no-ignore", false, "also what .gitignore and .ignore leave out")
	allowFlag(cmd, &allow)
	return cmd
}

func first(args []string, without string) string {
	if len(args) > 0 {
		return args[0]
	}
	return without
}

// namesOnly reports whether nobody will see sizes and times.
func (a *app) namesOnly() bool { return !a.json && !a.tty }

// streamGlob prints while it looks.
func (a *app) streamGlob(ctx context.Context, ws *emend.Workspace, r emend.GlobRequest) error {
	w := bufio.NewWriterSize(a.out, 1<<16)
	defer w.Flush() //nolint:errcheck // a.out keeps it
	is, err := waited(a, ctx, func(ctx context.Context) (*emend.Answer[emend.GlobSum], error) { return ws.GlobTo(ctx, r, w) })
	if err != nil {
		return err
	}
	a.notes(is.Notes)
	a.more(is.Data.Truncated, morePaths, is.Data.Written)
	return nil
}

const morePaths = "there is more than these %d paths: ask with a higher --max-results"

func (a *app) showList(is *emend.Answer[emend.ListData], paths bool) error {
	list := is.Data.Entries
	err := a.listed(is.Result, is.Notes, len(list), func(i int) row {
		e := &list[i]
		if paths {
			return row{e.RelativePath, e.Type, e.Size, e.MTime}
		}
		return row{e.Name, e.Type, e.Size, e.MTime}
	})
	a.more(is.Data.Truncated, "there is more than these %d names: list a directory below, or with --depth", len(list))
	return err
}

// more says on standard error what a person has to know of a result, if it is so: that it was cut, for example.
func (a *app) more(is bool, format string, args ...any) {
	if is && !a.json && !a.quiet {
		fmt.Fprintf(a.err, "emend: "+format+"\n", args...)
	}
}

func (a *app) glob() *cobra.Command {
	var r emend.GlobRequest
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
		Args:       quoted,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := results(cmd, &r.MaxResults); err != nil {
				return err
			}
			r.Pattern, r.Root = args[0], second(args, ".")
			return a.work(cmd, "glob", allow, func(ctx context.Context, ws *emend.Workspace) error {
				if a.namesOnly() && !a.quiet {
					return a.streamGlob(ctx, ws, r)
				}
				is, err := waited(a, ctx, func(ctx context.Context) (*emend.Answer[emend.GlobData], error) { return ws.Glob(ctx, r) })
				if err != nil {
					return err
				}
				return a.showGlob(is)
			})
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&r.ExcludeGlobs, "exclude", nil, "nothing that matches `GLOB` (repeatable)")
	f.IntVar(&r.MaxResults, "max-results", 0, "stop after `N` paths (default: no limit)")
	f.BoolVar(&r.IncludeIgnored, "no-ignore", false, "also what .gitignore and .ignore leave out")
	allowFlag(cmd, &allow)
	cmd.ValidArgsFunction = filesAfter(1)
	return cmd
}

// quoted refuses more than a pattern and a path, and says what is the likely cause.
func quoted(cmd *cobra.Command, args []string) error {
	if len(args) > 2 {
		return badUse("glob", "glob takes one PATTERN and one PATH, got %d arguments; quote the pattern, or the shell expands it", len(args))
	}
	return atMost(1, "one PATTERN", "one PATH")(cmd, args)
}

// results makes no --max-results mean no limit.
func results(cmd *cobra.Command, n *int) error {
	if !cmd.Flags().Changed("max-results") {
		*n = -1
	} else if *n < 1 {
		return badUse(cmd.Name(), "--max-results: it is at least 1, got %d", *n)
	}
	return nil
}

func (a *app) showGlob(is *emend.Answer[emend.GlobData]) error {
	list := is.Data.Matches
	err := a.listed(is.Result, is.Notes, len(list), func(i int) row {
		return row{list[i].Path, list[i].Type, list[i].Size, list[i].MTime}
	})
	a.more(is.Data.Truncated, morePaths, len(list))
	return err
}

// row is one name of a listing.
type row struct {
	name, kind string
	size       int64
	at         time.Time
}

// listed prints a listing of n rows; the result in the shape that agents get is made only to be printed.
func (a *app) listed(result func() emend.Result, notes []string, n int, at func(i int) row) error {
	var r emend.Result
	if a.json {
		r = result()
	}
	return a.found(r, notes, func(w *bufio.Writer) {
		for i := range n {
			a.row(w, at(i))
		}
	})
}

// row prints a name on a line; on a terminal with size and time, for a person.
func (a *app) row(w *bufio.Writer, r row) {
	if a.tty {
		size := ""
		if r.kind == "file" {
			size = inUnits(r.size)
		}
		fmt.Fprintf(w, "%9s  %s  ", size, r.at.Local().Format("2006-01-02 15:04"))
	}
	name, color := report.OneLine(r.name), ""
	switch r.kind {
	case "directory":
		name, color = name+"/", blue
	case "link":
		color = cyan
	}
	w.WriteString(a.paint(color, name)) //nolint:errcheck // pour sees it
	w.WriteByte('\n')                   //nolint:errcheck
}

// blue is the colour of a directory.
const blue = "\x1b[1;34m"

// inUnits is a size in at most nine columns: 999, 1.5 KiB, 12 MiB.
func inUnits(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10)
	}
	f, unit := float64(n), ""
	for _, unit = range []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"} {
		if f /= 1024; f < 1023.95 {
			break
		}
	}
	if f < 9.95 {
		return fmt.Sprintf("%.1f %s", f, unit)
	}
	return fmt.Sprintf("%.0f %s", f, unit)
}
