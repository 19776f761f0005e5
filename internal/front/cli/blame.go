package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) blame() *cobra.Command {
	var lines string
	var agentTrace bool
	cmd := &cobra.Command{
		Use:   "blame FILE",
		Short: "Show which session, turn, agent or person each line of a file is from",
		Long: `blame prints FILE, and before each line the entry of the log that added it (the
beginning of its name, which emend show takes), who made it (agent or client, session
and turn), and when. It follows renames. Lines that came back with an undo or a
restore keep their first origin.

Some lines have one of these instead of a caller:

  not through emend   somebody changed the file between two entries, or since the last
  before the log      the line is older than the first entry of the file
  not known           an older version would tell, and is not kept any more
  between calls       emend saw the change and knows of no call that made it
  NAME?               emend saw the change, and somebody else may have made it

With --json the result has whole names. --agent-trace prints a trace record of Agent
Trace 0.1.0, an open format that editors read: lines, whether an agent or a person
wrote them as far as the log knows, and sessions, turns and entries under "related".`,
		Example: `  emend blame src/main.go
  emend blame --lines 10,20 src/main.go
  emend blame --agent-trace src/main.go >trace.json`,
		SuggestFor: []string{"annotate", "praise"},
		Args:       exactly("one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := api.BlameRequest{Path: args[0]}
			if err := parseLines(lines, cmd.Flags().Changed("lines"), &r); err != nil {
				return err
			}
			return a.runBlame(cmd.Context(), r, agentTrace)
		},
	}
	cmd.Flags().StringVar(&lines, "lines", "", "only these lines: `FIRST,LAST`, counted from 1, or one number")
	cmd.Flags().BoolVar(&agentTrace, "agent-trace", false, "print a trace record of Agent Trace, as JSON")
	completeNothing(cmd, "lines")
	return cmd
}

// parseLines reads FIRST,LAST or a number into r.
func parseLines(text string, given bool, r *api.BlameRequest) error {
	if !given {
		return nil
	}
	first, last, two := strings.Cut(text, ",")
	if !two {
		last = first
	}
	from, err := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if err != nil || err2 != nil || from < 1 || to < from {
		return usageErrorf("blame", "--lines: %q is no range of lines: write 10,20 or 10", text)
	}
	r.StartLine, r.EndLine = from, to
	return nil
}

func (a *app) runBlame(ctx context.Context, r api.BlameRequest, agentTrace bool) error {
	ws, err := a.open(emend.NoRecovery())
	if err != nil {
		return err
	}
	defer ws.Close()
	if agentTrace {
		record, err := ws.Host().AgentTrace(ctx, r)
		if err != nil {
			return a.printError(err)
		}
		return a.printJSON(record)
	}
	b, err := ws.Blame(ctx, r)
	if err != nil {
		return a.printError(err)
	}
	if a.json {
		return a.printJSON(b.Result())
	}
	a.printWarnings(b.Notes)
	if a.quiet {
		return nil
	}
	return a.withPager(func() { a.printBlame(&b.Data) })
}

// printBlame prints each line with its origin before it, in columns.
func (a *app) printBlame(b *api.Blame) {
	entries := shortEntries(b.Origins)
	callers, width := make([]string, len(b.Origins)), 0
	for i := range b.Origins {
		callers[i] = report.OneLine(describeOrigin(&b.Origins[i]))
		width = max(width, utf8.RuneCountInString(callers[i]))
	}
	digits := len(strconv.Itoa(b.LineCount))
	for _, r := range b.Ranges {
		o := &b.Origins[r.Origin]
		lead := fmt.Sprintf("%s  %-*s  %-16s", a.colorize(cyan, entries[r.Origin]), width, callers[r.Origin], originTime(o))
		for i, line := range r.Text {
			fmt.Fprintf(a.out, "%s %*d) %s\n", lead, digits, r.StartLine+i, report.OneLine(line))
		}
	}
}

// shortEntries returns for each origin the beginning of its entry, with as many characters as tell the entries of this file
// apart; a dash for an origin without one.
func shortEntries(origins []api.LineOrigin) []string {
	length := len("20060102-150405-ab")
	for known := map[string]string{}; ; length, known = length+1, map[string]string{} {
		out, apart, longest := make([]string, len(origins)), true, 1
		for i := range origins {
			if out[i] = "-"; origins[i].By == nil {
				continue
			}
			entry := origins[i].By.Entry
			out[i] = entry[:min(length, len(entry))]
			longest = max(longest, len(out[i]))
			apart = apart && cmp.Or(known[out[i]], entry) == entry
			known[out[i]] = entry
		}
		if apart {
			for i := range out {
				out[i] = fmt.Sprintf("%-*s", longest, out[i])
			}
			return out
		}
	}
}

// describeOrigin says who brought lines into the file, or what the log does not know.
func describeOrigin(o *api.LineOrigin) string {
	switch o.Source {
	case api.FromOutside:
		return "not through emend"
	case api.FromBeforeLog:
		return "before the log"
	case api.FromUnknown:
		return "not known"
	}
	out := shorten(cmp.Or(o.By.AgentName, o.By.Client, o.By.ToolName), 24)
	if o.By.Seen != nil && o.Uncertain && len(o.By.Seen.Others) == 0 {
		return o.By.ToolName // between calls
	}
	if o.By.SessionID != "" {
		out += " " + shorten(o.By.SessionID, 13)
	}
	if o.By.Turn != "" {
		out += " turn " + shorten(o.By.Turn, 13)
	}
	if o.Uncertain {
		out += "?"
	}
	return out
}

// originTime returns when lines came into the file, "" if that is not known.
func originTime(o *api.LineOrigin) string {
	at := time.Time{}
	if o.By != nil {
		at = o.By.Timestamp
	} else if o.ModifiedAt != nil {
		at = *o.ModifiedAt
	}
	if at.IsZero() {
		return ""
	}
	return at.Local().Format("2006-01-02 15:04")
}

// shorten cuts a text to so many characters.
func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}
