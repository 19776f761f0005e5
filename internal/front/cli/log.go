package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/abbrev"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

type logFlags struct {
	api.HistoryRequest
	follow  bool
	oneLine bool
}

func (a *app) log() *cobra.Command {
	var f logFlags
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List what was changed and what was refused, by whom, the newest first",
		Long: `log lists the changes that went through emend, and the calls that were refused, the
newest first: one group for each entry, one line for each file. Letters are A added,
M modified, D deleted, R moved, P purged from the history, and ! for what was refused
or undone. A group begins with the name of the entry, which emend show and emend undo
take, and says which entries it undoes, or what undid it.

On a terminal the list goes through $EMEND_PAGER, $PAGER or less; with --json it is
the result of the history tool, and with --follow --json one entry a line, as they
come. A change that is undone after it was printed is printed again, as undone. Diffs of files that policy protects from reading are not shown.`,
		Example: `  emend log
  emend log --oneline -n 20
  emend log --path src --since 2h --diff
  emend log --session s-42 --json
  emend log --follow`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runLog(cmd.Context(), f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.Path, "path", "", "only what touched `PATH`, a file, or anything below a directory")
	fl.StringVar(&f.SessionID, "session", "", "only what session `S` did")
	fl.StringVar(&f.Tool, "tool", "", "only calls of tool `T`")
	fl.StringVar(&f.Since, "since", "", "only what is newer than `T`: a time (14:05, or RFC 3339), a date (UTC) or an age (90m, 2h, 7d)")
	fl.IntVarP(&f.Limit, "limit", "n", 50, "at most `N` entries, each with all its files; 0 for all")
	fl.BoolVarP(&f.Diff, "diff", "p", false, "with the diff of every file, where it is kept")
	fl.BoolVar(&f.oneLine, "oneline", false, "one line for each entry, which begins with its short name")
	cmd.AddCommand(a.logDrop())
	fl.BoolVarP(&f.follow, "follow", "f", false, "print new entries as they come, the oldest first, until Ctrl-C")
	return cmd
}

func (a *app) runLog(ctx context.Context, f logFlags) error {
	if f.Limit < 0 {
		return usageErrorf("log", "--limit takes a number of entries, or 0 for all")
	}
	if f.Limit == 0 {
		f.Limit = -1
	}
	if f.oneLine && f.Diff {
		return usageErrorf("log", "--oneline and --diff exclude each other")
	}
	var err error
	if f.Since, err = localTime(f.Since, time.Now()); err != nil {
		return err
	}
	f.ByCall = true
	ws, err := a.open(emend.NoRecovery())
	if err != nil {
		return err
	}
	defer ws.Close()
	if f.SessionID, err = sessionName(ctx, ws, f.SessionID); err != nil {
		return a.printError(err)
	}
	if f.follow {
		return a.followLog(ctx, ws, f)
	}
	h, err := ws.History(ctx, f.HistoryRequest)
	if err != nil {
		return a.printError(err)
	}
	if a.json {
		return a.printJSON(h.Result())
	}
	a.printWarnings(h.Notes)
	if a.quiet {
		return nil
	}
	return a.withPager(func() {
		a.printEntries(h.Data.Entries, f)
		if h.Data.Truncated {
			fmt.Fprintf(a.out, "\nThere are more: --limit 0 lists all.\n")
		}
		if len(h.Data.Entries) == 0 {
			fmt.Fprintln(a.out, "No entries.")
		}
	})
}

// printEntries prints entries in groups, one group for each record of the log.
func (a *app) printEntries(entries []api.LogEntry, f logFlags) {
	for i := 0; len(entries) > 0; i++ {
		n := slices.IndexFunc(entries, func(e api.LogEntry) bool { return e.Seq != entries[0].Seq })
		if n < 0 {
			n = len(entries)
		}
		switch {
		case f.oneLine:
			a.printGroupLine(entries[:n])
			entries = entries[n:]
			continue
		case i > 0:
			fmt.Fprintln(a.out)
		}
		a.printGroup(entries[:n], f.Diff)
		entries = entries[n:]
	}
}

func (a *app) printGroup(files []api.LogEntry, diff bool) {
	e := &files[0]
	fmt.Fprintf(a.out, "%s  %s%s\n", a.colorize(bold, report.OneLine(e.Entry)), e.Timestamp.Local().Format("2006-01-02 15:04:05 -0700"), report.OneLine(requester(e)))
	if s := e.Seen; s != nil {
		fmt.Fprintf(a.out, "  %s\n", a.colorize(cyan, report.OneLine(report.SeenText(s))))
	}
	if e.OK && e.Message != "" && report.OpLetter(e) != "P" {
		fmt.Fprintf(a.out, "  %s\n", a.colorize(cyan, report.OneLine(e.Message)))
	}
	if s := entryState(files); s != "" {
		fmt.Fprintf(a.out, "  %s\n", a.colorize(cyan, report.OneLine(s)))
	}
	for i := range files {
		a.printEntryFile(&files[i], diff)
	}
	if (!e.OK || report.OpLetter(e) == "P") && e.Message != "" {
		fmt.Fprintf(a.out, "  %s\n", indentText(e.Message))
	}
}

// printGroupLine prints a group on one line: the random part of the name, by which show and undo know the entry, the time, who, and the
// first files.
func (a *app) printGroupLine(files []api.LogEntry) {
	e := &files[0]
	var names []string
	for i := range files[:min(len(files), 3)] {
		if f := a.shownEntry(&files[i]); f.Path != "" {
			names = append(names, report.StatusLetter(f)+" "+report.EntryPath(f))
		}
	}
	what := strings.Join(names, ", ")
	if more := len(files) - 3; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	if s := entryState(files); s != "" {
		what += " (" + s + ")"
	}
	fmt.Fprintf(a.out, "%s %s  %s  %s\n", a.colorize(bold, fmt.Sprintf("%-10s", report.OneLine(abbrev.Random(e.Entry)))), e.Timestamp.Local().Format("2006-01-02 15:04"),
		report.OneLine(cmp.Or(what, "-")), a.colorize(cyan, report.OneLine(whose(e.Client, e.AgentName, e.SessionID))))
}

// sessionName returns the name of the session that a person may have abbreviated. "" stays as it is.
func sessionName(ctx context.Context, ws *emend.Workspace, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	return ws.Host().SessionName(ctx, given)
}

// requester describes who made the call: tool, agent, session, client.
func requester(e *api.LogEntry) string {
	out := "  " + cmp.Or(e.ToolName, "-")
	if e.AgentName != "" {
		out += ", agent " + e.AgentName
	}
	if e.SessionID != "" {
		out += ", session " + e.SessionID
	}
	if e.Turn != "" {
		out += ", turn " + e.Turn
	}
	if e.Client != "" {
		out += ", " + e.Client
	}
	return out
}

// entryState describes a refusal, an abort, or an undo. It returns "" for a change that stands.
func entryState(files []api.LogEntry) string {
	e := &files[0]
	var out []string
	var parts []api.UndonePart
	for i := range files {
		parts = append(parts, files[i].UndoneParts...)
	}
	switch {
	case e.OK:
	case strings.HasPrefix(e.Entry, "#"):
		out = append(out, "refused: "+e.ErrorKind)
	default:
		out = append(out, "rolled back: "+e.ErrorKind)
	}
	if len(e.Undoes) > 0 {
		out = append(out, "undoes "+strings.Join(e.Undoes, ", "))
	}
	if len(e.UndoesParts) > 0 {
		out = append(out, "undoes a part of "+report.PartWords(e.UndoesParts))
	}
	switch {
	case e.UndoneBy != "":
		out = append(out, "undone by "+e.UndoneBy)
	case len(parts) > 0:
		out = append(out, "partly undone by "+strings.Join(report.PartEntries(parts), ", "))
	}
	return strings.Join(out, "; ")
}

// letterColors maps the letter of an operation to its colour.
var letterColors = map[string]string{"A": green, "D": red, "!": red}

func (a *app) printEntryFile(e *api.LogEntry, diff bool) {
	if e.Path == "" {
		return
	}
	e = a.shownEntry(e)
	kept := ""
	if e.TrashedTo != "" {
		kept = "  (kept as " + e.TrashedTo + ")"
	}
	if len(e.Marks) > 0 {
		kept += "  " + report.OneLine(strings.Join(e.Marks, "; "))
	}
	letter := report.StatusLetter(e)
	if letter == "U" {
		letter = report.OpLetter(e)
	}
	fmt.Fprintf(a.out, "  %s %s%s\n", a.colorize(letterColors[letter], letter), report.OneLine(report.EntryPath(e)), kept)
	if !diff || !e.OK || letter == "P" {
		return
	}
	switch {
	case e.Diff != "":
		a.printDiff(a.out, e.Diff)
	case e.Message != "":
		fmt.Fprintf(a.out, "  (%s)\n", indentText(e.Message))
	default:
		fmt.Fprintln(a.out, "  (not kept)")
	}
}

func indentText(s string) string {
	return strings.ReplaceAll(report.Escape(strings.TrimSpace(s)), "\n", "\n    ")
}
