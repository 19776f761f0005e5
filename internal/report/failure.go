package report

import (
	"fmt"
	"maps"
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

// firstFailure returns the first refusal of err, with all of them in its details. What the file has stands once, in
// that list.
func firstFailure(v View, err error) *Failure {
	all := fail.All(err)
	list := make([]Failure, len(all))
	for i, e := range all {
		list[i] = *newFailure(v, e)
	}
	short := *all[0]
	short.Nearest, short.Around, short.Sides = nil, nil, nil
	first := newFailure(v, &short)
	if first.Details == nil {
		first.Details = map[string]any{}
	}
	first.Details["failures"] = list
	return first
}

func newFailure(v View, e *fail.Error) *Failure {
	return &Failure{Kind: e.Kind, Message: e.Error(), Recoverable: e.Kind.Recoverable(), Path: e.Path,
		Details: details(e), SuggestedNextAction: v.Reader.Say(e.Hint)}
}

// shown returns a copy of f without what the text of its result shows: the other failures, and what files have instead.
func (f *Failure) shown() *Failure {
	if f == nil {
		return nil
	}
	out := *f
	out.Details = maps.Clone(f.Details)
	delete(out.Details, "failures")
	delete(out.Details, "places")
	return &out
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
		d["path"] = e.Path
		if e.Want != e.Have { // else it is an anchor that is stale
			d["expectedSha256"], d["actualSha256"] = e.Want, e.Have
		}
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
	if e.Sides != nil {
		d["sides"] = e.Sides
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

// place is one of several places, with the lines that tell it from the others.
type place struct {
	fail.Place
	fail.Around
}

func places(e *fail.Error) []place {
	out := make([]place, len(e.Places))
	for i, p := range e.Places {
		out[i].Place = p
		if i < len(e.Around) {
			out[i].Around = e.Around[i]
		}
	}
	return out
}

// RefusalText words a refusal for a model or a person: every failure, what the file has instead, and the next step.
// For a call whose sections are applied one by one, it lists those that were applied and stay.
func RefusalText(v View, all fail.List) string { return refusalText(v, all, maxExcerpts) }

// refusalText is RefusalText with at most so many bytes of files.
func refusalText(v View, all fail.List, mostExcerpts int) string {
	var b strings.Builder
	b.WriteString(verdict(v, all))
	if len(all) > 1 {
		fmt.Fprintf(&b, " %d failures:", len(all))
	}
	x := excerpts{v.Reader, mostExcerpts}
	for i, e := range all {
		words := fmt.Sprintf("\n%s: %s", e.Kind, x.failure(e))
		if i > 0 && v.Reader.IsAgent() && b.Len()+len(words) > maxTold {
			fmt.Fprintf(&b, "\nand %d more, shown when these are fixed.", len(all)-i)
			break
		}
		b.WriteString(words)
	}
	return b.String() + appliedBefore(v)
}

// verdict says what state a refusal leaves the files in.
func verdict(v View, all fail.List) string {
	switch {
	case v.ReadOnly:
		return "Cannot do this."
	case all[0].Reason == fail.Indeterminate:
		return v.Reader.Say("Undecided: ‹run recover›.")
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

// ErrorText words one failure for a person, on several lines: the message, what the file has, the hint.
func ErrorText(e *fail.Error) string {
	x := excerpts{left: maxExcerpts}
	return x.failure(e)
}
