package web

import (
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// sentence says what a call did, without its subject: "edited", "src/app.go", "", "and 2 more". To is the target of a move.
type sentence struct{ Did, Path, To, Rest string }

// sentenceOf says what a call did, or what it tried to do and why it could not.
func sentenceOf(c *api.LoggedCall) sentence {
	d := sentence{Did: verbOf(c)}
	if len(c.Files) > 0 {
		d.Path = c.Files[0].Path
		d.To = c.Files[0].ToPath
	}
	switch {
	case d.Path == "":
		d.Did, d.Path = verbWithoutFile(c), c.ToolName
	case c.Kind == "undo" && c.FileCount > 1:
		d = sentence{Did: d.Did + " " + plural(c.FileCount, "file")}
	}
	if c.FileCount > 1 && d.Path != "" {
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
	if d.To == "" {
		return d.Did + " " + d.Path + d.Rest
	}
	return d.Did + " " + d.Path + " to " + d.To + d.Rest
}

// operationVerbs has two verbs for each operation: done, and attempted.
var operationVerbs = map[string][2]string{
	"add":      {"created", "create"},
	"update":   {"edited", "edit"},
	"delete":   {"deleted", "delete"},
	"move":     {"moved", "move"},
	"purge":    {"purged the history of", "purge the history of"},
	"restored": {"restored", "restore"},
	"back":     {"restored", "restore"},
	"undo":     {"reverted", "revert"},
	"mixed":    {"changed", "change"},
}

func verbOf(c *api.LoggedCall) string {
	v := operationVerbs[operationOf(c)]
	switch c.Outcome {
	case api.Refused:
		return "tried to " + v[1]
	case api.Aborted, api.Reverted:
		return "began to " + v[1]
	}
	return v[0]
}

// operationOf returns what a call did to its files, or "mixed" if it did different things to them.
func operationOf(c *api.LoggedCall) string {
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
func verbWithoutFile(c *api.LoggedCall) string {
	switch {
	case c.Kind == "purge":
		return "purged the history"
	case c.Outcome == api.Refused && c.ToolName != "":
		return "tried to use"
	case c.ToolName != "":
		return "used"
	}
	return verbOf(c) + " files"
}

// outcomeClause says how a call ended, unless it was simply done.
func outcomeClause(c *api.LoggedCall) string {
	switch c.Outcome {
	case api.Refused:
		return ": " + refusalReason(fail.Kind(c.ErrorKind))
	case api.Aborted:
		return ", rolled back"
	case api.Recovered:
		return ", finished after a crash"
	case api.Reverted:
		return ", rolled back after a crash"
	}
	return ""
}

// refusalReasons words the kinds of refusals.
var refusalReasons = map[fail.Kind]string{
	fail.NotFound:         "no such file",
	fail.AlreadyExists:    "the file exists",
	fail.PermissionDenied: "not allowed",
	fail.OutsideWorkspace: "outside the workspace",
	fail.BinaryFile:       "binary file",
	fail.FileTooLarge:     "too large",
	fail.Stale:            "the file changed since it was read",
	fail.OldTextNotFound:  "the old text was not found",
	fail.MultipleMatches:  "the old text occurs more than once",
	fail.Overlapping:      "edits overlap",
	fail.PatchParse:       "invalid patch",
	fail.PatchApply:       "the patch does not apply",
	fail.CommandFailed:    "it failed",
	fail.Timeout:          "timed out",
	fail.Unknown:          "a defect in emend",
}

func refusalReason(k fail.Kind) string {
	if w := refusalReasons[k]; w != "" {
		return w
	}
	return "refused"
}

// outcomes lists the outcomes of calls, each with a sign, so that they can be told apart without colour.
var outcomes = []struct {
	Outcome api.Outcome
	Sign    string
	Meaning string
}{
	{api.Done, "✓", "Done"},
	{api.Refused, "✕", "Refused: nothing was changed"},
	{api.Aborted, "!", "Failed, and was rolled back"},
	{api.Recovered, "✓", "Finished after a crash"},
	{api.Reverted, "!", "Rolled back after a crash"},
	{api.Undone, "↶", "Undone since"},
}

func outcomeSign(o api.Outcome) string {
	for _, known := range outcomes {
		if known.Outcome == o {
			return known.Sign
		}
	}
	return ""
}

func outcomeMeaning(o api.Outcome) string {
	for _, known := range outcomes {
		if known.Outcome == o {
			return known.Meaning
		}
	}
	return ""
}
