package dialect

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// Codex is the grammar and the placement of Codex's apply_patch.
var Codex = &Dialect{
	Name: "codex", Doc: "Codex's apply_patch: the first place from the last hunk on, white space and typography forgiven",
	Parse:     parseWith(&codexGrammar),
	Print:     codexGrammar.print,
	PrintHunk: codexGrammar.printHunk,
	Rules: func(o Options) Rules {
		return Rules{Place: Cursor, Ladder: upTo(o.Tolerance, fullLadder...),
			RepeatPaths: true, AddReplaces: true, MoveReplaces: true, MoveInPlace: true,
			MakeParents: true, Absolute: true, FinalNewline: true, BlankFallback: true}
	},
	Words: Words{Shape: Text, Success: codexSuccess, Refusal: codexRefusal},
}

var codexGrammar = grammar{
	name:   "codex",
	padded: true, heredoc: true,
	moveTo: true, environment: true, path: endTrimmed, lastNewline: always,
	heading: lineHeading, how: patch.Seek, keepsText: true,
	endOfFile: honoured, blank: honoured, addsAtEnd: true,
}

// updated is the first line of a success, in two dialects.
const updated = "Success. Updated the following files:"

// codexSuccess lists what was added, then what was modified, then what was deleted. A moved file counts as modified at
// its new path.
func codexSuccess(changes []patch.Change) string {
	var added, modified, deleted []string
	for _, c := range changes {
		switch c.Op {
		case patch.Add:
			added = append(added, "A "+c.Writes)
		case patch.Delete:
			deleted = append(deleted, "D "+c.Writes)
		default:
			modified = append(modified, "M "+c.Writes)
		}
	}
	return strings.Join(append(append(append([]string{updated}, added...), modified...), deleted...), "\n")
}

// expected joins the first of the lines that a hunk looked for. The model has them, and the nearest lines of the file follow.
func expected(lines []string) string {
	const most, bytes = 8, 300
	n, size := 0, 0
	for n < min(len(lines), most) && size < bytes {
		size += len(lines[n])
		n++
	}
	if n < len(lines) {
		return strings.Join(lines[:n], "\n") + fmt.Sprintf("\n(and %d more)", len(lines)-n)
	}
	return strings.Join(lines, "\n")
}

func codexRefusal(e *fail.Error, _ patch.Op) string {
	switch {
	case e.Kind == fail.PatchParse && e.Expected == wantSection:
		return "No files were modified."
	case e.Kind == fail.PatchParse && e.Expected == beginPatch:
		return "Invalid patch: The first line of the patch must be '" + beginPatch + "'"
	case e.Kind == fail.PatchParse && strings.HasSuffix(e.Expected, endPatch):
		return "Invalid patch: The last line of the patch must be '" + endPatch + "'"
	case e.Kind == fail.PatchParse && e.Expected == wantHunk:
		return fmt.Sprintf("Invalid patch hunk on line %d: Update file hunk for path '%s' is empty", e.Line, e.Path)
	case e.Kind == fail.PatchParse && (e.Expected == wantPatch || e.Expected == wantText):
		return "Invalid patch: " + e.Msg
	case e.Kind == fail.PatchParse:
		return fmt.Sprintf("Invalid patch hunk on line %d: %s", e.Line, e.Msg)
	case e.Reason == fail.ContextNotFound && len(e.Old) > 0:
		return fmt.Sprintf("Failed to find expected lines in %s:\n%s", e.Path, expected(e.Old))
	case e.Reason == fail.ContextNotFound && e.Anchor != "":
		return fmt.Sprintf("Failed to find context '%s' in %s", e.Anchor, e.Path)
	}
	return e.Error()
}
