package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) verify() *cobra.Command {
	var heads []string
	var since string
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that the log was not rewritten, and compare the files with it",
		Long: `verify checks every record of the log: its hash, its number, and that it continues the
record before. Whoever can write the store could also write a whole new log. To detect
that, keep a head elsewhere: every result has the newest (_meta.log), and with --head
verify proves that this record, and all before it, are still in the log.

--since checks that such a head is there and everything after it, but nothing before.
A nightly check then takes as long as one day's log.

verify also compares each file with the last change in the log, and lists files that
were changed without emend since. That is no damage.`,
		Example: "  emend verify\n  emend verify --head 12:<64 hex digits>\n  emend verify --since 12:<64 hex digits>\n  emend verify --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runVerify(cmd.Context(), since, heads) },
	}
	cmd.Flags().StringArrayVar(&heads, "head", nil, "a head that somebody kept, as `SEQ:HASH`, has to be in the log (repeatable)")
	cmd.Flags().StringVar(&since, "since", "", "check only what is behind a head that somebody kept, `SEQ:HASH`")
	return cmd
}

func (a *app) runVerify(ctx context.Context, sinceText string, texts []string) error {
	var heads []api.Head
	var since api.Head
	if sinceText != "" {
		var err error
		if since, err = emend.ParseHead(sinceText); err != nil {
			return &usageError{"verify", fmt.Errorf("--since: %w", err)}
		}
	}
	for _, text := range texts {
		h, err := emend.ParseHead(text)
		if err != nil {
			return &usageError{"verify", fmt.Errorf("--head: %w", err)}
		}
		heads = append(heads, h)
	}
	ws, err := a.open(emend.NoRecovery())
	if err != nil {
		return err
	}
	defer ws.Close()
	bar := a.newProgressBar()
	if bar != nil {
		ctx = emend.WithProgress(ctx, bar.update)
	}
	v, err := ws.Verify(ctx, api.VerifyRequest{Heads: heads, Since: since})
	bar.finish()
	if err != nil {
		return a.printError(err)
	}
	if a.json {
		err = a.printJSON(v)
	} else {
		a.printWarnings(v.Notes)
		if !a.quiet || !v.OK {
			asked := len(heads)
			if since.Seq > 0 && v.Since == nil {
				asked++ // everything was checked, and since counts as one more head
			}
			a.printVerified(v, asked)
		}
	}
	if err == nil && !v.OK {
		return errPrinted
	}
	return err
}

func (a *app) printVerified(v *api.VerifyReport, heads int) {
	row := func(name, format string, args ...any) {
		fmt.Fprintf(a.out, "%s %s\n", a.colorize(bold, fmt.Sprintf("%-8s", name)), report.OneLine(fmt.Sprintf(format, args...)))
	}
	if v.Store != "" {
		row("log", "%d record(s) in %d segment(s)%s", v.Records, v.Segments, countKinds(v.Kinds))
		if v.Since != nil {
			row("since", "record %s is there; what is before it was not checked, nor were files that changed before it only", v.Since)
		}
		if d := v.Dropped; d != nil {
			row("dropped", "the records up to %s, until %s: by rule (%s), on %s, as record %d says", d.Last, d.Until.Format(time.DateOnly), d.Rule, d.At.Format(time.DateOnly), d.Seq)
		}
		if len(v.Breaks) == 0 {
			row("chain", "whole")
		}
	}
	for _, b := range v.Breaks {
		row("chain", "BROKEN in segment %s, line %d, after record %d: %s", b.Segment, b.Line, b.After, b.Why)
	}
	if v.Torn > 0 {
		row("end", "%d bytes are no whole record: somebody is writing, or was cut short; the next change sets them aside", v.Torn)
	}
	if v.Void > 0 || v.Lost > 0 {
		row("end", "%d record(s) were declared void and %d lost with a disk that failed: the log says so itself", v.Void, v.Lost)
	}
	for _, h := range v.Missing {
		why := ""
		if v.Dropped != nil && h.Seq <= v.Dropped.Last.Seq {
			why = "; records of that age were dropped: keep a newer one"
		}
		row("missing", "head %s is not in the log%s", h, why)
	}
	if n := heads - len(v.Missing); n > 0 {
		row("heads", "%d found", n)
	}
	if v.Head.Seq > 0 {
		row("head", "%s", v.Head)
	}
	a.printStates(v, row)
}

func countKinds(n map[string]int) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(n)) {
		out = append(out, fmt.Sprintf("%d %s", n[k], k))
	}
	if len(out) == 0 {
		return ""
	}
	return ": " + strings.Join(out, ", ")
}

// stateTexts describes files that differ from the log.
var stateTexts = map[api.FileState]string{
	api.FileChanged: "changed since, without emend",
	api.FileGone:    "gone, without emend",
	api.FileBack:    "there again; the log has it deleted",
	api.FileUnknown: "cannot be read",
}

func (a *app) printStates(v *api.VerifyReport, row func(name, format string, args ...any)) {
	if v.Store == "" {
		return
	}
	unknown := 0
	for _, f := range v.Files {
		if f.State == api.FileUnknown {
			unknown++
		}
	}
	more := ""
	if unknown > 0 {
		more = fmt.Sprintf(", %d that could not be compared", unknown)
	}
	row("files", "%d as the log has them, %d not%s", v.Same, len(v.Files)-unknown, more)
	for _, f := range v.Files {
		text := stateTexts[f.State]
		if f.Why != "" {
			text += ": " + f.Why
		}
		fmt.Fprintf(a.out, "  %s  (%s; %s)\n", report.OneLine(a.shown(f.Path)), report.OneLine(text), report.OneLine(f.Entry))
	}
}
