package main

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/emend-dev/emend/bench/accuracy/damage"
)

// answer is the machine-readable part of a result. A client knows nothing else.
type answer struct {
	OK    bool     `json:"ok"`
	Error *failure `json:"error"`
}

type failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Next    string `json:"suggestedNextAction"`
	Details struct {
		Expected       string    `json:"expected"`
		Section        int       `json:"sectionIndex"`
		Hunk           *int      `json:"hunkIndex"`
		Edit           *int      `json:"editIndex"`
		Actual         string    `json:"actualSha256"`
		AlreadyApplied bool      `json:"alreadyApplied"`
		Nearest        *nearest  `json:"nearest"`
		Failures       []failure `json:"failures"`
	} `json:"details"`
}

type nearest struct {
	Corrected string  `json:"correctedHunk"`
	OldText   string  `json:"correctedOldText"`
	NewText   *string `json:"correctedNewText"`
}

// nothing is the text of a client that was told to leave out everything.
const nothing = ""

// nextText returns what a mechanical client sends next: it does what the refusal says, without thinking. It reports false if that
// is not possible for at least one failure.
func nextText(way damage.Way, text string, a answer) (string, bool) {
	if a.Error == nil || way == damage.AsCalls {
		return "", false
	}
	if way == damage.AsEdits || way == damage.AsLines {
		return nextEdits(text, *a.Error)
	}
	if way == damage.InEnvelope {
		if next, ok := unwrap(text, *a.Error); ok {
			return next, true
		}
	}
	hunks := map[[2]int]string{}
	for _, f := range a.Error.Details.Failures {
		d := f.Details
		switch {
		case d.Hunk == nil:
			return "", false
		case d.AlreadyApplied:
			hunks[[2]int{d.Section, *d.Hunk}] = ""
		case d.Nearest != nil && d.Nearest.Corrected != "":
			hunks[[2]int{d.Section, *d.Hunk}] = d.Nearest.Corrected
		default:
			return "", false
		}
	}
	if inner, ok := inJSON(text); ok { // the engine read the object, and its hunks are those of the patch inside
		text = inner
	}
	if way != damage.InEnvelope {
		return replaceHunks(way, text, hunks), len(hunks) > 0
	}
	return replace(text, hunks), len(hunks) > 0
}

// replaceHunks is replace for a text of one file.
func replaceHunks(way damage.Way, text string, hunks map[[2]int]string) string {
	begins := "@@"
	if way == damage.InBlocks {
		begins = "<<<<<<< SEARCH"
	}
	var out strings.Builder
	at, kept, skipping := -1, 0, false
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		if strings.HasPrefix(line, begins) {
			at++
			now, changed := hunks[[2]int{0, at}]
			out.WriteString(now)
			skipping = changed
			kept += one(!changed || now != "")
		}
		if !skipping {
			out.WriteString(line)
		}
	}
	if at >= 0 && kept == 0 {
		return nothing
	}
	return out.String()
}

// nextEdits sends the hash that the file has now, or the texts that the refusal shows in place of those of an edit, and leaves out edits
// that are made already.
func nextEdits(text string, f failure) (string, bool) {
	var edits damage.Edits
	if err := json.Unmarshal([]byte(text), &edits); err != nil {
		return "", false
	}
	if f.Details.Actual != "" && f.Details.Actual != edits.Sha256 {
		return strings.Replace(text, edits.Sha256, f.Details.Actual, 1), true
	}
	all := f.Details.Failures
	if len(all) == 0 {
		all = []failure{f}
	}
	gone := map[int]bool{}
	for _, f := range all {
		d, at := f.Details, 0
		if d.Edit == nil && len(edits.Edits) > 1 {
			return "", false
		}
		if d.Edit != nil {
			at = *d.Edit
		}
		switch {
		case d.AlreadyApplied:
			gone[at] = true
		case d.Nearest != nil && d.Nearest.NewText != nil:
			edits.Edits[at].Old, edits.Edits[at].New = d.Nearest.OldText, *d.Nearest.NewText
		default:
			return "", false
		}
	}
	var left []damage.Edit
	for i, e := range edits.Edits {
		if !gone[i] {
			left = append(left, e)
		}
	}
	if edits.Edits = left; len(left) == 0 {
		return nothing, true
	}
	return quoted(edits), true
}

// quoted returns a value as JSON, with the characters that a model writes.
func quoted(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n")
}

// inJSON returns the patch in a JSON object.
func inJSON(text string) (string, bool) {
	var outer map[string]string
	err := json.Unmarshal([]byte(text), &outer)
	return outer["patch"], err == nil && outer["patch"] != ""
}

const begin, end = "*** Begin Patch", "*** End Patch"

// unwrap applies what a refusal says about the text as a whole.
func unwrap(text string, f failure) (string, bool) {
	switch {
	case f.Kind != "patch_parse_error":
		return "", false
	case f.Details.Expected == end:
		return strings.TrimSuffix(text, "\n") + "\n" + end + "\n", true
	case strings.HasPrefix(f.Next, "Send the patch itself, unescaped"):
		return inJSON(text)
	case strings.HasPrefix(f.Next, "Send nothing before"):
		lines := strings.SplitAfter(text, "\n")
		is := func(marker string) func(string) bool {
			return func(l string) bool { return strings.TrimRight(l, "\r\n") == marker }
		}
		from, to := slices.IndexFunc(lines, is(begin)), slices.IndexFunc(lines, is(end))
		if from < 0 || to < from {
			return "", false
		}
		return strings.Join(lines[from:to+1], ""), true
	}
	return "", false
}

// replace replaces hunks of text, by the number of the section and of the hunk. An empty replacement removes the hunk, and a
// section without hunks.
func replace(text string, hunks map[[2]int]string) string {
	if strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	var out, section strings.Builder
	header, sections, at, kept, skipping := "", -1, -1, 0, false
	flush := func() {
		if kept > 0 {
			out.WriteString(header + section.String())
		}
		section.Reset()
	}
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "*** Begin"), strings.HasPrefix(line, end):
			flush()
			kept, skipping = 0, false
			out.WriteString(line)
			continue
		case strings.HasPrefix(line, "*** "):
			flush()
			header, sections, at, kept, skipping = line, sections+1, -1, 0, false
			continue
		case strings.HasPrefix(line, "@@"):
			at++
			now, changed := hunks[[2]int{sections, at}]
			if skipping = changed; changed {
				section.WriteString(now)
				if now != "" {
					kept++
				}
				continue
			}
			kept++
		}
		if !skipping {
			section.WriteString(line)
		}
	}
	flush()
	if sections >= 0 && !strings.Contains(out.String(), "*** Update") {
		return nothing
	}
	return out.String()
}
