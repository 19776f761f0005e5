package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
)

// EntryLine words an entry of the log on one line, without anything that controls a terminal.
func EntryLine(e *api.LogEntry) string {
	who := []string{cmp.Or(e.SessionID, "-"), cmp.Or(e.AgentName, "-"), cmp.Or(e.ToolName, "-")}
	out := fmt.Sprintf("%s  %s  %s  %s  %s", e.Timestamp.UTC().Format(time.RFC3339), e.Entry, strings.Join(who, "/"), StatusLetter(e), EntryPath(e))
	switch {
	case !e.OK:
		out += "  " + e.ErrorKind
	case e.UndoneBy != "":
		out += "  ok, undone by " + e.UndoneBy
	case len(e.UndoneParts) > 0:
		out += "  ok, partly undone by " + strings.Join(PartEntries(e.UndoneParts), ", ")
	default:
		out += "  ok"
	}
	if len(e.Marks) > 0 {
		out += "; " + strings.Join(e.Marks, "; ")
	}
	return Escape(strings.ReplaceAll(out, "\n", `\n`))
}

// PartEntries returns the entries of parts, each once.
func PartEntries(parts []api.UndonePart) (out []string) {
	for _, p := range parts {
		if !slices.Contains(out, p.Entry) {
			out = append(out, p.Entry)
		}
	}
	return out
}

// TakenHunks returns, by hunk, which undo took it back of a file; 0 is all that was done to the file. The parts are of the file, and the newest
// is the first.
func TakenHunks(parts []api.UndonePart) map[int]string {
	out := map[int]string{}
	for _, p := range slices.Backward(parts) {
		if p.Partly {
			continue
		}
		for _, n := range p.Hunks {
			out[n] = p.Entry
		}
		if _, whole := out[0]; !whole && (len(p.Hunks) == 0 || len(out) == p.Of) {
			out[0] = p.Entry
		}
	}
	return out
}

// PartWords says which parts of entries are meant.
func PartWords(parts []api.UndonePart) string {
	words := PartEntries(parts)
	for i, entry := range words {
		var of []string
		for _, p := range parts {
			if p.Entry == entry {
				of = append(of, p.Path+HunkWords(p.Hunks, p.Of))
			}
		}
		words[i] = entry + " (" + strings.Join(of, "; ") + ")"
	}
	return strings.Join(words, ", ")
}

// EntryPath returns the path of an entry, and of a move the new path too.
func EntryPath(e *api.LogEntry) string {
	if e.ToPath != "" {
		return e.Path + " -> " + e.ToPath
	}
	return cmp.Or(e.Path, "-")
}

// SeenText says that emend saw a change, and what is known of who made it.
func SeenText(s *api.Seen) string {
	out := "made outside emend"
	if s.Command != "" {
		out += ": " + s.Command
	}
	if s.Result != "" {
		out += " (" + s.Result + ")"
	}
	if len(s.Others) > 0 {
		out += "; or by " + strings.Join(s.Others, ", or by ")
	}
	return out
}

// StatusLetter says what an entry did: A added, M modified, D deleted, R moved, U taken back by an undo, P purged from the
// history, and ! for what came to nothing.
func StatusLetter(e *api.LogEntry) string {
	switch {
	case !e.OK:
		return "!"
	case len(e.Undoes)+len(e.UndoesParts) > 0:
		return "U"
	}
	return OpLetter(e)
}

// OpLetter returns the letter of an operation, whether it succeeded or not.
func OpLetter(e *api.LogEntry) string {
	switch e.Operation {
	case patch.Add.String(), "mkdir":
		return "A"
	case patch.Delete.String(), "rmdir":
		return "D"
	case patch.Move.String():
		return "R"
	case "purge":
		return "P"
	}
	return "M"
}
