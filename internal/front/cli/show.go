package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) show() *cobra.Command {
	return &cobra.Command{
		Use:   "show ENTRY",
		Short: "Show one entry of the log, with its diff",
		Long: `show prints one entry of the log: who made it and when, under which policy, what was
done to each file, with hashes, which old versions are kept, what undid it, and the
diff, with the numbers of its hunks for emend undo --hunk. ENTRY is a name that emend
log lists, six or more characters of its beginning, or the number of a record (12, or
"#12" in quotes, since a shell takes # for a comment).`,
		Example: "  emend show 20260131-120102-abcdefghij\n  emend show 20260131-1201\n  emend show 12 --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageErrorf("show", "one ENTRY, got %d: emend log lists them; write the number of a record as 12 or \"#12\"", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.runShow(cmd.Context(), args[0]) },
	}
}

func (a *app) runShow(ctx context.Context, entry string) error {
	ws, err := a.open(emend.NoRecovery())
	if err != nil {
		return err
	}
	defer ws.Close()
	e, err := ws.Show(ctx, entry)
	if err != nil {
		return a.printError(err)
	}
	if a.json {
		return a.printJSON(e.Result())
	}
	a.printWarnings(e.Notes)
	if a.quiet {
		return nil
	}
	return a.withPager(func() { a.printEntry(&e.Data) })
}

// printEntry prints an entry: who and when, then each file, then the diffs.
func (a *app) printEntry(d *api.EntryData) {
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(a.out, "%s %s\n", a.colorize(bold, fmt.Sprintf("%-12s", name)), report.OneLine(text))
		}
	}
	row("entry", fmt.Sprintf("%s (%s, record %d)", d.Entry, d.Kind, d.Seq))
	row("time", formatTime(d.Timestamp))
	row("tool", d.ToolName)
	row("agent", d.AgentName)
	row("session", d.SessionID)
	row("turn", d.Turn)
	row("client", d.Client)
	row("call", d.Call)
	if s := d.Seen; s != nil {
		row("detected", "made outside emend, after "+formatTime(s.Since))
		row("command", s.Command)
		row("result", s.Result)
		row("or made by", strings.Join(s.Others, "; "))
	}
	row("outcome", describeOutcome(d))
	row("undoes", strings.Join(d.Undoes, ", "))
	row("undoes", prefixed("a part of ", report.PartWords(d.UndoesParts)))
	row("undone by", d.UndoneBy)
	if d.UndoneBy == "" {
		row("partly undone", prefixed("by ", report.PartWords(d.UndoneParts)))
	}
	row("key", d.IdempotencyKey)
	row("dialect", d.Dialect)
	row("request", d.RequestSha256)
	row("rules", d.PolicyHash)
	row("head", fmt.Sprintf("%d:%s", d.Seq, d.H))
	for _, k := range d.Kept {
		row("kept", fmt.Sprintf("%s  %s, %d bytes", k.ID, a.shown(k.Path), k.SizeBytes))
	}
	for i := range d.Files {
		a.printHashes(&d.Files[i])
	}
	if d.OK && d.Kind != "purge" {
		a.printDiffs(d.Files)
	}
}

// prefixed returns text behind a prefix, "" for none.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

func formatTime(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05.000 -0700") }

// describeOutcome says how an entry ended.
func describeOutcome(d *api.EntryData) string {
	out := map[string]string{"applied": "applied", "abort": "rolled back", "recovered": "recovered"}[d.End]
	switch {
	case !d.OK && d.End == "":
		out = "refused"
	case !d.OK:
		out = "rolled back"
	}
	if d.ErrorKind != "" {
		out += ": " + d.ErrorKind
	}
	if d.EndedAt != nil {
		out += ", " + formatTime(*d.EndedAt)
	}
	if d.Message != "" {
		out += " (" + d.Message + ")"
	}
	return cmp.Or(out, "done")
}

func (a *app) printHashes(e *api.LogEntry) {
	if e.Path == "" {
		return
	}
	e = a.shownEntry(e)
	fmt.Fprintf(a.out, "\n  %s %s\n", a.colorize(letterColors[report.OpLetter(e)], report.OpLetter(e)), a.colorize(bold, report.OneLine(report.EntryPath(e))))
	for _, h := range []struct{ name, sum string }{{"before", e.BeforeSha256}, {"after", e.AfterSha256}, {"kept as", e.TrashedTo},
		{"marked", strings.Join(e.Marks, "; ")}} {
		if h.sum != "" {
			fmt.Fprintf(a.out, "    %-8s %s\n", h.name, report.OneLine(h.sum))
		}
	}
}

func (a *app) printDiffs(files []api.LogEntry) {
	fmt.Fprintln(a.out)
	for i := range files {
		switch e := a.shownEntry(&files[i]); {
		case e.Diff != "":
			a.printDiff(a.out, numberHunks(e))
		case e.Message != "":
			fmt.Fprintf(a.out, "%s: %s\n", report.OneLine(report.EntryPath(e)), indentText(e.Message))
		default:
			fmt.Fprintf(a.out, "%s: the diff is not kept\n", report.OneLine(report.EntryPath(e)))
		}
	}
}
