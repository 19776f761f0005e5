package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/abbrev"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

// severalVerb is a verb that takes one operand or several. Several become one change.
type severalVerb struct {
	tool string
	one  *cobra.Command // what does it for one
	// alone returns the operands for that command; nil if there are several.
	alone func(args []string) []string
	call  func(ctx context.Context, ws *emend.Workspace, args []string, key string) (*emend.Report, error)
	line  func(f emend.File, trashed string) string // what is said of each file
}

// command returns the command of the verb.
func (v severalVerb) command(a *app) *cobra.Command {
	single := v.one.RunE
	v.one.RunE = func(cmd *cobra.Command, args []string) error {
		if alone := v.alone(args); alone != nil {
			return single(cmd, alone)
		}
		if f := cmd.Flags().Lookup("expect"); f != nil && f.Changed {
			return usageErrorf(cmd.Name(), "--expect is for one file, got %d", len(args))
		}
		allow, err := cmd.Flags().GetStringArray("allow-protected")
		if err != nil {
			return err
		}
		key, err := cmd.Flags().GetString("idempotency-key")
		if err != nil {
			return err
		}
		return a.withWorkspace(cmd, v.tool, allow, func(ctx context.Context, ws *emend.Workspace) error {
			rep, err := v.call(ctx, ws, args, key)
			if err != nil || rep == nil {
				return err
			}
			a.done = true
			return a.buffered(func(w *bufio.Writer) { a.printSeveral(w, rep, v.line) })
		})
	}
	return v.one
}

// printSeveral prints a line for each file, and how to take all of it back.
func (a *app) printSeveral(w *bufio.Writer, rep *emend.Report, line func(emend.File, string) string) {
	switch {
	case a.json:
		newEncoder(w).Encode(rep.Result()) //nolint:errcheck // buffered returns it
		return
	case a.quiet:
		return
	case rep.Repeated:
		fmt.Fprintln(w, report.Escape(rep.Result().Text()))
		return
	}
	trashed := rep.Trashed()
	for i, f := range rep.Files() {
		id := ""
		if i < len(trashed) {
			id = trashed[i]
		}
		fmt.Fprintln(w, line(f, id))
	}
	for _, n := range rep.Notes {
		fmt.Fprintln(w, "Note: "+report.Escape(n))
	}
	fmt.Fprintf(w, "To undo: emend undo %s\n", report.OneLine(rep.Tx))
}

// diskPath returns where an operand is on the disk.
func (a *app) diskPath(operand string) string {
	root, base, err := a.rootAndBase()
	if err != nil || filepath.IsAbs(operand) {
		return operand
	}
	return filepath.Join(root, filepath.FromSlash(base), filepath.FromSlash(operand))
}

// rootPath returns an operand as a path from the root; "" if it is outside.
func (a *app) rootPath(ws *emend.Workspace, operand string) string {
	out := path.Join(a.base, filepath.ToSlash(operand))
	if filepath.IsAbs(operand) {
		rel, err := filepath.Rel(ws.Root(), operand)
		if err != nil {
			return ""
		}
		out = filepath.ToSlash(rel)
	}
	if !filepath.IsLocal(filepath.FromSlash(out)) {
		return ""
	}
	return out
}

// isDir reports whether an operand is meant as a directory: it ends in a slash, or is one.
func (a *app) isDir(operand string) bool {
	if strings.HasSuffix(operand, "/") {
		return true
	}
	is, err := os.Stat(a.diskPath(operand))
	return err == nil && is.IsDir()
}

// inTrash returns the id of what an operand names in the trash: the newest file with that path, or the file whose id it is or
// abbreviates. found is false if there is none.
func (a *app) inTrash(ctx context.Context, ws *emend.Workspace, operand string) (id string, found bool, err error) {
	all, err := ws.Trash(ctx)
	if err != nil {
		return "", false, err
	}
	where := a.rootPath(ws, operand)
	if i := slices.IndexFunc(all, func(t api.Trashed) bool { return t.Path == where }); i >= 0 {
		return all[i].ID, true, nil
	}
	return operand, slices.ContainsFunc(all, func(t api.Trashed) bool { return abbrev.Fits(t.ID, operand) }), nil
}
