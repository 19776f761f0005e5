package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) trash() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trash",
		Short: "List, show, restore, export or clear what was deleted or overwritten",
		Long: `Deleted files, and files that a move or an added file overwrites, go to the trash,
with their mode and times. They stay there until a person clears it.`,
		Example: `  emend trash list
  emend trash show 20261121-131712-fzhwrn7lum.0
  emend trash restore 20261121-131712-fzhwrn7lum.0 old/a.txt
  emend trash clear --older-than 30d`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usageErrorf("trash", "say what to do with the trash: list, show, restore, export or clear")
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
				return a.printError(err)
			}
			return a.printAnswer(a.trashTable(all, time.Now()), map[string]any{"entries": all})
		},
	}
}

// trashTable lists files of the trash.
func (a *app) trashTable(all []api.Trashed, now time.Time) string {
	if len(all) == 0 {
		return "The trash is empty."
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, t := range all {
		name := a.shown(t.Path)
		if t.Link != "" {
			name += " -> " + t.Link
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", t.ID, formatAge(t.DeletedAt, now), formatBytes(t.SizeBytes), displacedBy[t.Operation], report.OneLine(name))
	}
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// displacedBy describes the operation that put a file into the trash.
var displacedBy = map[string]string{"delete": "deleted", "move": "overwritten by a move", "add": "overwritten"}

func (a *app) trashShow() *cobra.Command {
	return &cobra.Command{
		Use:               "show ID",
		Short:             "Show one file of the trash and what it says",
		Example:           "  emend trash show 20261121-131712-fzhwrn7lum.0",
		Args:              oneArgument("trash show", "one ID, as emend trash list prints it"),
		ValidArgsFunction: a.completeTrashIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			ws, err := a.open()
			if err != nil {
				return err
			}
			defer ws.Close()
			f, err := ws.Host().TrashShow(cmd.Context(), args[0])
			if err != nil {
				return a.printError(err)
			}
			return a.printAnswer(a.trashFileText(f, time.Now()), f)
		},
	}
}

// trashFileText describes one file of the trash, with its content.
func (a *app) trashFileText(f *api.TrashedFile, now time.Time) string {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", name, report.OneLine(fmt.Sprintf(format, args...)))
	}
	row("id", "%s", f.ID)
	row("path", "%s", a.shown(f.Path))
	row("here", "%s %s (%s)", displacedBy[f.Operation], formatAge(f.DeletedAt, now), f.DeletedAt.UTC().Format(time.RFC3339))
	if who := strings.TrimSpace(f.AgentName + " " + f.SessionID); who != "" {
		row("by", "%s", who)
	}
	row("size", "%s, mode %s, changed %s", formatBytes(f.SizeBytes), f.Mode, f.MTime.UTC().Format(time.RFC3339))
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
