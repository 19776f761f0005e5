package web

import (
	"github.com/emend-dev/emend"
)

// sentence says what a call did, without its subject: "edited", "src/app.go", "and 2 more".
type sentence struct{ Did, Path, Rest string }

// sentenceOf says what a call did, or what it tried to do and why it could not.
func sentenceOf(c *emend.LoggedCall) sentence {
	d := sentence{Did: verbOf(c)}
	if len(c.Files) > 0 {
		d.Path = c.Files[0].Path
		if to := c.Files[0].ToPath; to != "" {
			d.Rest = " to " + to
		}
	}
	if d.Path == "" {
		d.Did, d.Path = verbWithoutFile(c), c.ToolName
	}
	if c.FileCount > 1 {
		d.Rest += " and " + grouped(c.FileCount-1) + " more"
	}
	d.Rest += outcomeClause(c)
	return d
}

// String returns the sentence.
func (d sentence) String() string {
	if d.Path == "" {
		return d.Did + d.Rest
	}
	return d.Did + " " + d.Path + d.Rest
}

// operationVerbs are what is done to files: as done, and as attempted.
var operationVerbs = map[string][2]string{
	"add":      {"created", "create"},
	"update":   {"edited", "edit"},
	"delete":   {"deleted", "delete"},
	"move":     {"moved", "move"},
	"purge":    {"forgot what was kept of", "forget what is kept of"},
	"restored": {"restored", "restore"},
	"back":     {"put back", "put back"},
	"undo":     {"took back changes of", "take back changes of"},
	"mixed":    {"changed", "change"},
}

func verbOf(c *emend.LoggedCall) string {
	v := operationVerbs[operationOf(c)]
	switch c.Outcome {
	case emend.Refused:
		return "tried to " + v[1]
	case emend.Aborted, emend.Reverted:
		return "began to " + v[1]
	}
	return v[0]
}

// operationOf returns what a call did to its files, or "mixed" if it did different things to them.
func operationOf(c *emend.LoggedCall) string {
	switch {
	case c.Kind == "undo":
		return "undo"
	case c.Kind == "purge":
		return "purge"
	case c.ToolName == "restore_file":
		return "restored"
	case c.ToolName == "put_back":
		return "back"
	case len(c.Files) == 0:
		return "mixed"
	}
	first := c.Files[0].Operation
	for _, f := range c.Files {
		if f.Operation != first {
			return "mixed"
		}
	}
	if _, ok := operationVerbs[first]; !ok {
		return "mixed"
	}
	return first
}

// verbWithoutFile says what a call did that named no file.
func verbWithoutFile(c *emend.LoggedCall) string {
	switch {
	case c.Kind == "purge":
		return "removed contents from the history"
	case c.Outcome == emend.Refused && c.ToolName != "":
		return "tried to use"
	case c.ToolName != "":
		return "used"
	}
	return verbOf(c) + " files"
}

// outcomeClause says how a call ended, unless it was simply done.
func outcomeClause(c *emend.LoggedCall) string {
	switch c.Outcome {
	case emend.Refused:
		return ": " + refusalReason(emend.Kind(c.ErrorKind))
	case emend.Aborted:
		return ", and took it back"
	case emend.Recovered:
		return ", finished after a crash"
	case emend.Reverted:
		return ", taken back after a crash"
	}
	return ""
}

// refusalReasons words the kinds of refusals.
var refusalReasons = map[emend.Kind]string{
	emend.NotFound:         "it is not there",
	emend.AlreadyExists:    "something is there already",
	emend.PermissionDenied: "that is not allowed",
	emend.OutsideWorkspace: "it is outside of the workspace",
	emend.BinaryFile:       "it is not text",
	emend.FileTooLarge:     "it is too large",
	emend.Stale:            "it has changed since it was read",
	emend.OldTextNotFound:  "the old text was not found",
	emend.MultipleMatches:  "the old text is there more than once",
	emend.Overlapping:      "its edits overlap",
	emend.PatchParse:       "the patch could not be read",
	emend.PatchApply:       "the patch does not fit",
	emend.CommandFailed:    "it could not be done",
	emend.Timeout:          "it took too long",
	emend.Unknown:          "a defect in emend",
}

func refusalReason(k emend.Kind) string {
	if w := refusalReasons[k]; w != "" {
		return w
	}
	return "it was refused"
}

// outcomes are how calls end, each with a sign, so that they can be told apart without colour.
var outcomes = []struct {
	Outcome emend.Outcome
	Sign    string
	Meaning string
}{
	{emend.Done, "✓", "it was done"},
	{emend.Refused, "✕", "it was refused before it changed anything"},
	{emend.Aborted, "!", "it began, and was taken back at once"},
	{emend.Recovered, "✓", "a crash interrupted it, and it was finished afterwards"},
	{emend.Reverted, "!", "a crash interrupted it, and it was taken back afterwards"},
	{emend.Undone, "↶", "it was done, and has been taken back since"},
}

func outcomeSign(o emend.Outcome) string {
	for _, known := range outcomes {
		if known.Outcome == o {
			return known.Sign
		}
	}
	return ""
}

func outcomeMeaning(o emend.Outcome) string {
	for _, known := range outcomes {
		if known.Outcome == o {
			return known.Meaning
		}
	}
	return ""
}
