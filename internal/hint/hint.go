// Package hint says the next step of a refusal in the words of its reader: flags and verbs at a terminal, arguments and
// tools to an agent.
//
// A hint is worded once. What its readers call by different names stands in it as a marker: ‹lenient› is --lenient at a
// terminal and "lenient: true" to an agent. Words that make sense only to a reader who has the option stand in the marker,
// after a colon, with {} for its name:
//
//	Leave the hunk out‹idempotent:, or send the patch with {}, which skips it›.
//
// A reader who has no such option does not see them. What only a person can do has markers too: ‹run doctor› and
// ‹option max-file›.
package hint

import "strings"

// way is something that a caller can do, and how to say it.
type way struct {
	terminal string // a flag or a verb
	tool     string // the tool that an agent needs; "" for the one that it called
	argument string // the argument that this tool must have; "" for none
	agent    string
}

// ways are the markers. Those of tools and of flags for values have the name that agents know.
var ways = map[string]way{
	"lenient":                 {"--lenient", "", "lenient", "lenient: true"},
	"idempotent":              {"--idempotent", "", "idempotent", "idempotent: true"},
	"dialect":                 {"--dialect", "", "dialect", "dialect:"},
	"createParentDirectories": {"--parents", "", "createParentDirectories", "createParentDirectories: true"},
	"recursive":               {"--recursive", "", "recursive", "recursive: true"},
	"dryRun":                  {"--dry-run", "", "dryRun", "dryRun: true"},
	"paths":                   {"--paths", "", "paths", "paths:"},
	"overwrite":               {"--overwrite", "", "overwrite", "overwrite: true"},
	"after":                   {"--after", "", "after", "after"},
	"anchors":                 {"--anchors", "", "anchors", "anchors: true"},
	"line":                    {"--line", "", "line", "line"},
	"allowBinary":             {"--binary", "", "allowBinary", "allowBinary: true"},
	"expectedSha256":          {"--expect", "", "expectedSha256", "expectedSha256"},
	"expectedOccurrences":     {"--count", "", "expectedOccurrences", "expectedOccurrences"},
	"expectedSha256ByPath":    {"--expect", "", "expectedSha256ByPath", "expectedSha256ByPath"},
	"excludeGlobs":            {"--exclude", "", "excludeGlobs", "excludeGlobs"},
	"targetPath":              {"a second argument", "", "targetPath", "targetPath"},
	"oldText":                 {"--old", "", "oldText", "oldText"},
	"newText":                 {"--new", "", "newText", "newText"},
	"maxBytes":                {"--max-bytes", "", "maxBytes", "maxBytes"},
	"startLine":               {"--start", "", "startLine", "startLine"},
	"endLine":                 {"--end", "", "endLine", "endLine"},

	"read_file":      {"emend read", "read_file", "", "read_file"},
	"list_directory": {"emend ls", "list_directory", "", "list_directory"},
	"write_file":     {"emend write", "write_file", "", "write_file"},
	"edit_cell":      {"emend call edit_cell", "edit_cell", "", "edit_cell"},
	"edit_file":      {"emend edit", "edit_file", "", "edit_file"},
	"delete_file":    {"emend rm", "delete_file", "", "delete_file"},
	"apply_patch":    {"emend apply", "apply_patch", "", "apply_patch"},
	"history":        {"emend log", "history", "", "history"},
	"undo":           {"emend undo", "undo", "", "undo"},
	"create_file":    {"emend create", "create_file", "", "create_file"},
	"trash":          {"emend trash list", "history", "trash", "history and trash: true"},

	"here": {"the directory that emend runs in", "", "", "the workspace"},
}

// Reader is who reads a hint. The zero value is a person at a terminal.
type Reader struct {
	offers func(tool, argument string) bool
	names  map[string]string
}

// Agent is a reader that calls tools. offers reports whether it has a tool with an argument; no tool means the one that it
// called, and no argument asks for the tool.
func Agent(offers func(tool, argument string) bool) Reader { return Reader{offers: offers} }

// Naming returns r as a reader that has other names for some arguments.
func (r Reader) Naming(names map[string]string) Reader {
	r.names = names
	return r
}

// IsAgent reports whether the reader calls tools.
func (r Reader) IsAgent() bool { return r.offers != nil }

// The runes around a marker.
const (
	opens  = "‹"
	closes = "›"
)

// Say words a hint for the reader. What looks like a marker and is none stays as it is.
func (r Reader) Say(hint string) string {
	if !strings.Contains(hint, opens) {
		return hint
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(hint, opens)
		marker, after, closed := strings.Cut(rest, closes)
		out.WriteString(before)
		if !found {
			return strings.TrimSpace(out.String())
		}
		words, known := r.marker(marker)
		if !closed || !known {
			out.WriteString(opens)
			hint = rest
			continue
		}
		out.WriteString(words)
		hint = after
	}
}

// marker words a marker. It is not known if there is no such marker.
func (r Reader) marker(marker string) (words string, known bool) {
	if verb, ok := strings.CutPrefix(marker, "run "); ok {
		return r.person("run emend "+verb, "ask a person to run emend "+verb), true
	}
	if verb, ok := strings.CutPrefix(marker, "Run "); ok {
		return r.person("Run emend "+verb, "Ask a person to run emend "+verb), true
	}
	if flag, ok := strings.CutPrefix(marker, "option "); ok {
		return r.person("--"+flag, "emend's option "+flag), true
	}
	name, phrase, conditional := strings.Cut(marker, ":")
	w, ok := ways[name]
	switch {
	case !ok:
		return "", false
	case !conditional && r.IsAgent() && r.names[name] != "":
		return r.names[name], true
	case !conditional:
		return r.person(w.terminal, w.agent), true
	case r.IsAgent() && !r.offers(w.tool, w.argument):
		return "", true
	}
	return strings.ReplaceAll(phrase, "{}", r.person(w.terminal, w.agent)), true
}

// person returns the words of the two that are for the reader.
func (r Reader) person(terminal, agent string) string {
	if r.IsAgent() {
		return agent
	}
	return terminal
}
