package tool

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// errNotFound is the kind of a refusal of a path that is not there.
const errNotFound = fail.NotFound

// editorWords words the refusals of the two tools: as Anthropic's documentation has them, where it has any, and what the file has
// there, which the report adds.
func editorWords(t *Tool, v *value, failures fail.List) (fail.List, dialect.Words) {
	words := textEditorWords
	if t == memoryTool {
		words = memoryWords
	}
	return inEditorsTerms(failures), dialect.Words{Shape: dialect.Text, Refusal: func(e *fail.Error, _ patch.Op) string {
		if says := words(v, e); says != "" {
			return report.Escape(says)
		}
		if e.Reason == fail.BadArguments {
			return report.Escape("Error: " + e.Error() + ". " + e.Hint)
		}
		return report.Escape("Error: " + e.Error()) // hints name tools that only other profiles have
	}}
}

// textNames puts the names of the texts of an edit in a hint.
var textNames = strings.NewReplacer(" oldText", " old_str", " newText", " new_str")

// inEditorsTerms replaces the names that the texts of an edit have elsewhere.
func inEditorsTerms(list fail.List) fail.List {
	out := make(fail.List, len(list))
	for i, e := range list {
		said := *e
		if rest, ok := strings.CutPrefix(e.Msg, "oldText "); ok {
			said.Msg = "old_str " + rest
		}
		said.Hint = textNames.Replace(e.Hint)
		if e.Nearest != nil {
			near := *e.Nearest
			near.Differs = slices.Clone(near.Differs)
			for k, d := range near.Differs {
				if rest, ok := strings.CutPrefix(d, "oldText"); ok {
					d = "old_str" + rest
				}
				near.Differs[k] = strings.Replace(d, `, oldText "`, `, old_str "`, 1)
			}
			said.Nearest = &near
		}
		out[i] = &said
	}
	return out
}

// didYouMean returns the hint of a refusal if it names a file that may have been meant.
func didYouMean(e *fail.Error) string {
	if strings.HasPrefix(e.Hint, "Did you mean") {
		return " " + e.Hint
	}
	return ""
}

func textEditorWords(v *value, e *fail.Error) string {
	switch e.Kind {
	case fail.NotFound:
		return "Error: File not found. " + e.Error() + "." + didYouMean(e)
	case fail.AlreadyExists:
		return "Error: " + e.Error() + ". str_replace and insert change a file; create makes a new one."
	case fail.OldTextNotFound:
		return "Error: No match found for replacement. Please check your text and try again."
	case fail.MultipleMatches:
		return fmt.Sprintf("Error: Found %d matches for replacement text. Please provide more context to make a unique match.", e.Total)
	case fail.PermissionDenied, fail.OutsideWorkspace:
		says := "Error: Permission denied. "
		if v.word("command") != "view" {
			says += "Cannot write to file. "
		}
		return says + e.Error() + "."
	}
	return ""
}

func memoryWords(v *value, e *fail.Error) string {
	path, command := v.word("path"), v.word("command")
	switch {
	case e.Kind == fail.AlreadyExists && command == "create":
		return "Error: File " + path + " already exists"
	case e.Kind == fail.AlreadyExists && command == "rename":
		return "Error: The destination " + v.word("new_path") + " already exists"
	case e.Kind == fail.NotFound && command == "view":
		return "The path " + path + " does not exist. Please provide a valid path." + didYouMean(e)
	case e.Kind == fail.NotFound && command == "str_replace":
		return "Error: The path " + path + " does not exist. Please provide a valid path."
	case e.Kind == fail.NotFound && command == "insert", e.Kind == fail.NotFound && command == "delete":
		return "Error: The path " + path + " does not exist"
	case e.Kind == fail.NotFound && command == "rename":
		return "Error: The path " + v.word("old_path") + " does not exist"
	case e.Kind == fail.OldTextNotFound:
		return fmt.Sprintf("No replacement was performed, old_str `%s` did not appear verbatim in %s.", v.word("old_str"), path)
	case e.Kind == fail.MultipleMatches:
		return fmt.Sprintf("No replacement was performed. Multiple occurrences of old_str `%s` in lines: %s. Please ensure it is unique",
			v.word("old_str"), placeLines(e))
	case command == "insert" && e.Expected != "":
		return fmt.Sprintf("Error: Invalid `insert_line` parameter: %d. It should be within the range of lines of the file: %s", e.Line, e.Expected)
	}
	return ""
}

// placeLines lists the lines at which the places of a refusal begin.
func placeLines(e *fail.Error) string {
	var out []string
	for _, p := range e.Places {
		out = append(out, fmt.Sprint(p.First))
	}
	if more := e.Total - len(e.Places); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}
