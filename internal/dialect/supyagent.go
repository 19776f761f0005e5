package dialect

import (
	"fmt"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// Supyagent is the V4A-style format of Supyagent's patch tool.
var Supyagent = &Dialect{
	Name: "supyagent", Doc: "Supyagent's patch tool: every hunk under an @@ line that it adjoins, no envelope needed",
	Parse:     parseWith(&supyagentGrammar),
	Print:     supyagentGrammar.print,
	PrintHunk: supyagentGrammar.printHunk,
	Claims:    claimsSections,
	Rules: func(o Options) Rules {
		return Rules{Place: Unique, Ladder: upTo(o.Tolerance, patch.Exact, patch.Whitespace), MakeParents: true, Absolute: true}
	},
	Words: Words{Shape: Results, Refusal: supyagentRefusal, Each: supyagentEach},
}

var supyagentGrammar = grammar{
	name: "supyagent",
	bare: true, around: ignored, trailing: true,
	path: bothTrimmed, lastNewline: always, emptyUpdate: true,
	hunksBegin: mustOpen, heading: adjoiningHeading, how: patch.Adjoin, keepsText: true, emptyHeading: ignored,
	endOfFile: ignored, noNewline: ignored, blank: ignored,
}

// supyagentRefusal words the "error" of the whole result.
func supyagentRefusal(e *fail.Error, op patch.Op) string {
	switch {
	case e.Kind == fail.PatchParse && (e.Expected == wantSection || e.Expected == wantPatch):
		return "No operations found in patch"
	case e.Kind == fail.PatchParse && e.Path != "":
		return "Validation failed: no hunks for update: " + e.Path
	case e.Kind == fail.AlreadyExists && op == patch.Add:
		return "Validation failed: file already exists: " + e.Path
	case missing(e) && (op == patch.Delete || op == patch.Update):
		return fmt.Sprintf("Validation failed: file not found for %s: %s", op, e.Path)
	case e.Hunk > 0 && e.Reason == fail.ContextNotFound:
		return fmt.Sprintf("Validation failed in %s hunk %d: context '%s' not found or lines don't match", e.Path, e.Hunk, short(e.Anchor))
	case e.Hunk > 0:
		return fmt.Sprintf("Validation failed in %s hunk %d: %s", e.Path, e.Hunk, e.Msg)
	}
	if e.Disk || e.Reason == fail.StoreUnwritable || e.Reason == fail.Indeterminate {
		return "Apply failed: " + e.Error()
	}
	return "Validation failed: " + e.Error()
}

// supyagentEach words the "error" of one file's result.
func supyagentEach(e *fail.Error, op patch.Op) string {
	switch {
	case e.Kind == fail.PatchParse && e.Path != "":
		return "No hunks in update operation"
	case e.Kind == fail.AlreadyExists && op == patch.Add:
		return "File already exists: " + e.Path
	case missing(e) && (op == patch.Delete || op == patch.Update):
		return "File not found: " + e.Path
	case e.Hunk > 0 && e.Reason == fail.ContextNotFound:
		return fmt.Sprintf("Hunk %d failed: context '%s' not found or remove lines don't match", e.Hunk, short(e.Anchor))
	case e.Hunk > 0:
		return fmt.Sprintf("Hunk %d failed: %s", e.Hunk, e.Msg)
	}
	return e.Msg
}

// missing reports whether e says that there is no file, rather than that it is something else.
func missing(e *fail.Error) bool { return e.Kind == fail.NotFound && e.Reason == "" }

// short cuts an anchor at 60 characters.
func short(s string) string {
	n := 0
	for i := range s {
		if n == 60 {
			return s[:i]
		}
		n++
	}
	return s
}
