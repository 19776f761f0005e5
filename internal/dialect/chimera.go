package dialect

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// Chimera is the envelope DSL of Chimera's apply_patch.
var Chimera = &Dialect{
	Name: "chimera", Doc: "Chimera's apply_patch: hunks without @@, white space at line ends and indentation forgiven",
	Parse:     parseWith(&chimeraGrammar),
	Print:     chimeraGrammar.print,
	PrintHunk: chimeraGrammar.printHunk,
	Rules: func(o Options) Rules {
		return Rules{Place: Unique, Ladder: upTo(o.Tolerance, patch.Exact, patch.Trailing, patch.Whitespace, patch.Composed),
			MakeParents: true, Absolute: true, DeletesFiles: true}
	},
	Words: Words{Shape: Text, Success: chimeraSuccess, Refusal: chimeraRefusal},
}

var chimeraGrammar = grammar{
	name:   "chimera",
	around: ignored, trailing: true,
	path: bothTrimmed, lastNewline: never,
	hunksBegin: separates, heading: bareHeading, emptyHeading: ignored,
	endOfFile: ignored, noNewline: ignored, blank: honoured, addsAtEnd: true,
}

func chimeraSuccess(changes []patch.Change) string {
	verbs := map[patch.Op]string{patch.Add: "Created", patch.Update: "Updated", patch.Delete: "Deleted"}
	out := []string{updated}
	for _, c := range changes {
		out = append(out, verbs[c.Op]+" "+c.Writes)
	}
	return strings.Join(out, "\n")
}

func chimeraRefusal(e *fail.Error, op patch.Op) string {
	if e.Kind == fail.PatchParse {
		return chimeraParseError(e)
	}
	p := "apply_patch: "
	switch {
	case e.Disk:
		cause := e.Msg
		if e.Cause != nil {
			cause = e.Cause.Error()
		}
		return fmt.Sprintf(p+"filesystem error mid-apply on '%s': %s; rolled back %d prior change(s)", e.Path, cause, e.Undone)
	case e.Reason == fail.DuplicatePath:
		return fmt.Sprintf(p+"duplicate hunk for '%s'", e.Path)
	case e.Kind == fail.AlreadyExists && op == patch.Add:
		return fmt.Sprintf(p+"cannot add existing file '%s'", e.Path)
	case e.Reason == fail.SpecialFile:
		return fmt.Sprintf(p+"'%s' is not a regular file", e.Path)
	case missing(e) && (op == patch.Update || op == patch.Delete):
		return fmt.Sprintf(p+"cannot %s missing file '%s'", op, e.Path)
	case e.Hunk > 0:
		return fmt.Sprintf(p+"hunk conflict in '%s': hunk %d: %s", e.Path, e.Hunk, e.Msg)
	}
	return p + e.Error()
}

func chimeraParseError(e *fail.Error) string {
	switch e.Expected {
	case wantPatch:
		return "apply_patch: 'patch' must be a non-empty string"
	case wantSection:
		return "apply_patch: no file hunks parsed (empty envelope?)"
	case wantPath:
		return "apply_patch: empty file path in patch hunk"
	}
	return fmt.Sprintf("apply_patch parse error: line %d: %s", e.Line, e.Msg)
}
