package logbook

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
)

// historyText words entries for a model.
func historyText(d api.HistoryData, notes []string) string {
	var b strings.Builder
	if len(d.Entries) == 0 {
		b.WriteString("No entries.")
	}
	for i, e := range d.Entries {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(report.EntryLine(&e))
		if e.TrashedTo != "" {
			b.WriteString("; in the trash as " + report.Escape(e.TrashedTo))
		}
	}
	if d.Truncated {
		b.WriteString("\nThere are more: raise limit, or ask with path, sessionId or since.")
	}
	for _, n := range notes {
		b.WriteString("\nNote: " + report.Escape(n))
	}
	return b.String()
}

// entryText words one entry for a model.
func entryText(d *api.EntryData, notes []string) string {
	out := make([]string, 0, len(d.Files)+len(notes)+1)
	out = append(out, report.Escape(fmt.Sprintf("%s: %s, record %d.", d.Entry, d.Kind, d.Seq)))
	if d.AskedBy != "" {
		out = append(out, "A person was asked, by "+report.Escape(d.AskedBy)+", and said yes.")
	}
	for i := range d.Files {
		out = append(out, report.EntryLine(&d.Files[i]))
	}
	for _, n := range notes {
		out = append(out, "Note: "+report.Escape(n))
	}
	return strings.Join(out, "\n")
}

// RefusalMessage words a refusal for the log. The log holds no content: where a message may quote a line of the patch or of
// a file, the quotes are left out.
func RefusalMessage(e *fail.Error) string {
	switch e.Kind {
	case fail.PatchParse, fail.PatchApply, fail.OldTextNotFound, fail.MultipleMatches, fail.Overlapping:
	case fail.CommandFailed:
		if e.Reason != fail.BadArguments {
			return report.Shorten(e.Error())
		}
	default:
		return report.Shorten(e.Error())
	}
	short := *e
	short.Msg = unquoted(e.Msg)
	return report.Shorten(short.Error())
}

var quotePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:[^"\\]|\\.){3,}"(?:… \(\d+ bytes\))?`)
})

// unquoted replaces the quotes in a message, which may be lines of a patch or of a file. It keeps quotes of one or two
// characters: these are marks, such as "+" or "@@".
func unquoted(message string) string { return quotePattern().ReplaceAllString(message, `"…"`) }
