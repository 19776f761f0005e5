package report

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// Failure is a refusal for programs.
type Failure struct {
	Kind                fail.Kind      `json:"kind"`
	Message             string         `json:"message"`
	Recoverable         bool           `json:"recoverable"`
	Path                string         `json:"path,omitempty"`
	Details             map[string]any `json:"details,omitempty"`
	SuggestedNextAction string         `json:"suggestedNextAction,omitempty"`
}

// firstFailure returns the first refusal of err, with all of them in its details.
func firstFailure(err error) *Failure {
	all := fail.All(err)
	first := newFailure(all[0])
	list := make([]Failure, len(all))
	for i, e := range all {
		list[i] = *newFailure(e)
	}
	if first.Details == nil {
		first.Details = map[string]any{}
	}
	first.Details["failures"] = list
	return first
}

func newFailure(e *fail.Error) *Failure {
	return &Failure{Kind: e.Kind, Message: e.Error(), Recoverable: e.Kind.Recoverable(), Path: e.Path,
		Details: details(e), SuggestedNextAction: e.Hint}
}

// details returns the facts of a refusal under their documented names.
func details(e *fail.Error) map[string]any {
	d := map[string]any{}
	switch e.Kind {
	case fail.PatchParse:
		d["line"], d["expected"] = e.Line, e.Expected
	case fail.PatchApply:
		d["path"], d["reason"] = e.Path, e.Reason
	case fail.Stale:
		d["path"], d["expectedSha256"], d["actualSha256"] = e.Path, e.Want, e.Have
	case fail.MultipleMatches:
		d["path"], d["places"], d["total"] = e.Path, places(e), e.Total
	case fail.Overlapping:
		if len(e.Pairs) > 0 {
			d["pairs"], d["places"] = pairIndexes(e), places(e)
		}
	case fail.CommandFailed:
		d["reason"] = e.Reason
	}
	if e.Hunk > 0 {
		d["hunkIndex"] = e.Hunk - 1
	}
	if e.Edit > 0 {
		d["editIndex"] = e.Edit - 1
	}
	if e.Section > 0 {
		d["sectionIndex"] = e.Section - 1
	}
	if e.Already {
		d["alreadyApplied"] = true
	}
	if len(e.Notes) > 0 {
		d["notes"] = e.Notes
	}
	if e.Nearest != nil {
		d["nearest"] = e.Nearest
	}
	if len(d) == 0 {
		return nil
	}
	return d
}

// pairIndexes returns the indexes of the edits from 0, as callers count them.
func pairIndexes(e *fail.Error) [][2]int {
	out := make([][2]int, len(e.Pairs))
	for i, p := range e.Pairs {
		out[i] = [2]int{p[0] - 1, p[1] - 1}
	}
	return out
}

func places(e *fail.Error) []fail.Place {
	if e.Places == nil {
		return []fail.Place{}
	}
	return e.Places
}

// RefusalText words a refusal for a model or a person: every failure, what the file has instead, and the next step.
// For a call whose sections are applied one by one, it lists those that were applied and stay.
func RefusalText(v View, all fail.List) string {
	var b strings.Builder
	b.WriteString(verdict(v, all))
	if len(all) > 1 {
		fmt.Fprintf(&b, " %d failures:", len(all))
	}
	for _, e := range all {
		fmt.Fprintf(&b, "\n%s: %s", e.Kind, ErrorText(e))
	}
	return b.String() + appliedBefore(v)
}

// verdict says what state a refusal leaves the files in.
func verdict(v View, all fail.List) string {
	switch {
	case v.ReadOnly:
		return "Cannot do this."
	case all[0].Reason == fail.Indeterminate:
		return "Undecided: run emend recover."
	case v.Partial != nil && len(v.Partial.Steps) > 0:
		return "Stopped: the sections before this one were applied and stay."
	}
	return "Refused: nothing was changed."
}

// appliedBefore lists what was applied before a refusal.
func appliedBefore(v View) string {
	if v.Partial == nil || len(v.Partial.Steps) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nApplied before it, and still there:")
	for i := range v.Partial.Steps {
		b.WriteString("\n  " + stepLine(&v.Partial.Steps[i]))
	}
	return b.String()
}

// ErrorText words one failure on several lines: the message, the nearest place, the hint.
func ErrorText(e *fail.Error) string {
	var b strings.Builder
	b.WriteString(Escape(e.Error()))
	if n := e.Nearest; n != nil {
		nearest(&b, n)
	}
	for _, n := range e.Notes {
		b.WriteString("\n  note: " + Escape(n))
	}
	if e.Hint != "" {
		b.WriteString("\n  next: " + Escape(indent(e.Hint)))
	}
	return b.String()
}

// maxShown bounds the lines of a file, or the differences, that a text shows.
const maxShown = 12

func nearest(b *strings.Builder, n *fail.Nearest) {
	fmt.Fprintf(b, "\n  nearest: lines %d-%d", n.First, n.Last)
	for i, l := range n.Lines[:min(len(n.Lines), maxShown)] {
		fmt.Fprintf(b, "\n  %6d  %s", n.First+i, Escape(Shorten(l)))
	}
	if more := len(n.Lines) - maxShown; more > 0 {
		fmt.Fprintf(b, "\n          (%d more lines)", more)
	}
	for _, d := range n.Differs[:min(len(n.Differs), maxShown)] {
		b.WriteString("\n  differs: " + Escape(d))
	}
	if more := len(n.Differs) - maxShown; more > 0 {
		fmt.Fprintf(b, "\n  differs: on %d more lines", more)
	}
	if n.Corrected != "" {
		b.WriteString("\n  this hunk would apply:\n    " + Escape(indent(strings.TrimSuffix(n.Corrected, "\n"))))
	}
	if n.OldText != "" {
		b.WriteString("\n  this oldText is there:\n    " + Escape(indent(strings.TrimSuffix(n.OldText, "\n"))))
	}
}

func indent(s string) string { return strings.ReplaceAll(s, "\n", "\n    ") }

// Shorten shortens a long line for people.
func Shorten(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return s[:most] + fmt.Sprintf("… (%d bytes)", len(s))
}
