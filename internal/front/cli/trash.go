package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
)

func (a *app) trash() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trash",
		Short: "List, show, bring back, export or clear what was deleted or overwritten",
		Long: `Whatever a patch or a call deletes, and what a move or an added file overwrites,
goes to the trash: the file itself, with its mode and times, under an id. It stays
there until a person clears it.`,
		Example: `  emend trash list
  emend trash show 20261121-131712-fzhwrn7lum.0
  emend trash restore 20261121-131712-fzhwrn7lum.0 old/a.txt
  emend trash clear --older-than 30d`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return badUse("trash", "say what to do with the trash: list, show, restore, export or clear")
		},
	}
	cmd.AddCommand(a.trashList(), a.trashShow(), a.trashRestore(), a.trashExport(), a.trashClear())
	return cmd
}

func (a *app) trashList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List what is in the trash, the newest first",
		Example: "  emend trash list\n  emend trash list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ws, err := a.open()
			if err != nil {
				return err
			}
			defer ws.Close()
			all, err := ws.Trash(cmd.Context())
			if err != nil {
				return a.said(err)
			}
			return a.answer(trashTable(all, time.Now()), map[string]any{"entries": all})
		},
	}
}

// trashTable is the trash for people.
func trashTable(all []emend.Trashed, now time.Time) string {
	if len(all) == 0 {
		return "The trash is empty."
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, t := range all {
		name := t.Path
		if t.Link != "" {
			name += " -> " + t.Link
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", t.ID, ago(t.DeletedAt, now), amount(t.SizeBytes), tookIt[t.Operation], report.OneLine(name))
	}
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// tookIt says of an operation what it did to the file that is in the trash.
var tookIt = map[string]string{"delete": "deleted", "move": "overwritten by a move", "add": "overwritten"}

func (a *app) trashShow() *cobra.Command {
	return &cobra.Command{
		Use:               "show ID",
		Short:             "Show one file of the trash and what it says",
		Example:           "  emend trash show 20261121-131712-fzhwrn7lum.0",
		Args:              takes("trash show", 1, "one ID, as emend trash list prints it"),
		ValidArgsFunction: a.trashIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			ws, err := a.open()
			if err != nil {
				return err
			}
			defer ws.Close()
			f, err := ws.TrashShow(cmd.Context(), args[0])
			if err != nil {
				return a.said(err)
			}
			return a.answer(trashedFile(f, time.Now()), f)
		},
	}
}

// trashedFile is one file of the trash for people.
func trashedFile(f *emend.TrashedFile, now time.Time) string {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", name, report.OneLine(fmt.Sprintf(format, args...)))
	}
	row("id", "%s", f.ID)
	row("path", "%s", f.Path)
	row("here", "%s %s (%s)", tookIt[f.Operation], ago(f.DeletedAt, now), f.DeletedAt.UTC().Format(time.RFC3339))
	if who := strings.TrimSpace(f.AgentName + " " + f.SessionID); who != "" {
		row("by", "%s", who)
	}
	row("size", "%s, mode %s, changed %s", amount(f.SizeBytes), f.Mode, f.MTime.UTC().Format(time.RFC3339))
	row("sha256", "%s", f.Sha256)
	switch {
	case f.Link != "":
		row("link to", "%s", f.Link)
	case f.Binary:
		b.WriteString("\nIt is binary; emend trash export gives it whole.\n")
	case f.Content == "":
		b.WriteString("\nIt is empty.\n")
	default:
		b.WriteString("\n" + report.Escape(f.Content))
	}
	if f.Truncated && !f.Binary {
		b.WriteString("\n(cut here; emend trash export gives it whole)\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (a *app) trashRestore() *cobra.Command {
	cmd := withExits(a.restore(), changeExits)
	cmd.Example = "  emend trash restore 20261121-131712-fzhwrn7lum.0\n  emend trash restore 20261121-131712-fzhwrn7lum.0 old/a.txt"
	return cmd
}

type clearFlags struct {
	older string
	yes   bool
}

func (a *app) trashClear() *cobra.Command {
	var f clearFlags
	cmd := &cobra.Command{
		Use:   "clear [ID...]",
		Short: "Remove files from the trash for good",
		Long: `clear removes the files with these ids from the trash, or all files, for good: they
can not be restored, and the transactions that put them there not be undone whole.
That it was done stays in the log, and what the files said stays in the diffs of
the history, which emend purge removes. On a terminal it asks first; in a script
it needs --yes.`,
		Example:           "  emend trash clear --older-than 30d\n  emend trash clear --yes 20261121-131712-fzhwrn7lum.0",
		ValidArgsFunction: a.trashIDs,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runClear(cmd, args, f) },
	}
	cmd.Flags().StringVar(&f.older, "older-than", "", "only what was deleted longer than `AGE` ago: 90m, 12h, 30d, 2w")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	return cmd
}

func (a *app) runClear(cmd *cobra.Command, ids []string, f clearFlags) error {
	r := emend.ClearRequest{IDs: ids}
	var err error
	if r.Before, err = before(f.older, time.Now()); err != nil {
		return badUse("trash clear", "--older-than: %v", err)
	}
	ask, err := a.asking("trash clear", f.yes)
	if err != nil {
		return err
	}
	ws, err := a.open()
	if err != nil {
		return err
	}
	defer ws.Close()
	if ask != nil {
		going, err := ws.TrashClearable(cmd.Context(), r)
		if err != nil {
			return a.said(err)
		}
		if len(going) == 0 || !ask(trashTable(going, time.Now()), fmt.Sprintf("Remove %s from the trash for good?", count(len(going), "file"))) {
			return a.answer("Nothing was removed.", &emend.Cleared{Entries: []emend.Trashed{}})
		}
		r.IDs = nil // what came into the trash meanwhile was not asked about
		for _, t := range going {
			r.IDs = append(r.IDs, t.ID)
		}
	}
	c, err := ws.TrashClear(cmd.Context(), r)
	if err != nil {
		return a.said(err)
	}
	a.did = true
	if len(c.Entries) == 0 {
		return a.answer("Nothing was removed: there is nothing of it in the trash.", c)
	}
	return a.answer(fmt.Sprintf("Removed %s (%s) from the trash.", count(len(c.Entries), "file"), amount(c.SizeBytes)), c)
}

// asking returns the way to ask a person, nil when nothing is to be asked. In a script nobody can be asked: then the
// wish has to be plain from the start.
func (a *app) asking(verb string, yes bool) (ask func(what, question string) bool, err error) {
	if yes {
		return nil, nil
	}
	if !a.ttyIn {
		return nil, badUse(verb, "there is no terminal to ask on: say --yes to remove for good")
	}
	return func(what, question string) bool {
		fmt.Fprintf(a.err, "%s\n%s [y/N] ", what, question)
		line, _ := bufio.NewReader(a.in).ReadString('\n')
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes"
	}, nil
}

func (a *app) trashExport() *cobra.Command {
	var output string
	var force bool
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Write a file of the trash to an archive of its own",
		Long: `export writes a tar.gz with a file metadata.json, which says where the file was and
who deleted it, and the file itself at its path. emend restore reads it back. It
goes to the file that --output names, which only its owner can read, or to
standard output when that is no terminal.`,
		Example:           "  emend trash export 20261121-131712-fzhwrn7lum.0 --output a.tar.gz\n  emend restore a.tar.gz",
		Args:              takes("trash export", 1, "one ID, as emend trash list prints it"),
		ValidArgsFunction: a.trashIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" && a.tty {
				return badUse("trash export", "an archive is not for a terminal: name a file with --output, or send it into a pipe")
			}
			ws, err := a.open()
			if err != nil {
				return err
			}
			defer ws.Close()
			write := func(w io.Writer) error { return ws.TrashExport(cmd.Context(), args[0], w) }
			if output == "" {
				return a.said(write(a.out))
			}
			if err := replaceFile(output, force, write); err != nil {
				return a.said(err)
			}
			a.did = true
			return a.answer("Wrote "+report.OneLine(output)+".", map[string]string{"id": args[0], "output": output})
		},
	}
	cmd.Flags().StringVar(&output, "output", "", "write to `FILE`")
	cmd.Flags().BoolVar(&force, "force", false, "replace FILE if it exists")
	return cmd
}

// answer prints what was found or done: words, or the result struct around data.
func (a *app) answer(words string, data any) error {
	return a.print(&report.Object{Ok: true, Output: words, Data: data})
}

// said prints a refusal, and returns any other error as it is.
func (a *app) said(err error) error {
	if r, ok := errors.AsType[*emend.Refusal](err); ok {
		return a.refused(r)
	}
	e, ok := errors.AsType[*emend.Error](err)
	if !ok {
		return err
	}
	r := report.Of(report.View{Reads: true}, nil, e)
	if a.json {
		a.printJSON(r) //nolint:errcheck // a.out remembers
	} else {
		fmt.Fprintf(a.err, "emend: %s\n", report.Escape(r.Text()))
	}
	return errors.Join(errSaid, e)
}

func takes(verb string, n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return badUse(verb, "%s; got %d", what, len(args))
		}
		return nil
	}
}

// before is the time that lies an age back; zero for "".
func before(age string, now time.Time) (time.Time, error) {
	if age == "" {
		return time.Time{}, nil
	}
	d, err := tool.Age(age)
	return now.Add(-d), err
}

// ago says how long ago t was.
func ago(t, now time.Time) string {
	d := now.Sub(t)
	for _, u := range []struct {
		name string
		long time.Duration
	}{{"year", 365 * 24 * time.Hour}, {"month", 30 * 24 * time.Hour}, {"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := int(d / u.long); n > 0 {
			return count(n, u.name) + " ago"
		}
	}
	return "just now"
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// amount is a number of bytes as a person reads it.
func amount(n int64) string {
	if n < 1<<10 {
		return count(int(n), "byte")
	}
	x, units := float64(n)/(1<<10), "KMGTPE"
	for x >= 1023.95 && len(units) > 1 {
		x, units = x/(1<<10), units[1:]
	}
	return fmt.Sprintf("%.1f %ciB", x, units[0])
}
