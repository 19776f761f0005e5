package report

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/patch"
)

// TextResult is the result of the dialects whose results are text.
type TextResult struct {
	Ok     bool     `json:"ok"`
	Output string   `json:"output"`
	Error  *Failure `json:"error,omitempty"`
	Meta   *Meta    `json:"_meta,omitempty"`
}

// OK implements Result.
func (w *TextResult) OK() bool { return w.Ok }

// Text implements Result.
func (w *TextResult) Text() string { return w.Output }

// newTextResult uses only the dialect's words if every hunk matched exactly and at one place. Otherwise it adds
// notes.
func newTextResult(v View, p *plan.Plan, err error) *TextResult {
	words := v.Dialect.Words
	if err != nil {
		all := fail.All(err)
		out, x := make([]string, len(all)), excerpts{v.Reader, maxExcerpts}
		for i, e := range all {
			out[i] = words.Refusal(e, opOf(v.Patch, e)) + x.excerpt(e)
		}
		w := &TextResult{Output: strings.Join(out, "\n") + alreadyAppliedNote(all) + appliedBefore(v), Error: firstFailure(v, err), Meta: v.commitMeta()}
		if v.Partial != nil {
			w.Meta = newMeta(v, v.Partial)
		}
		return w
	}
	var out strings.Builder
	out.WriteString(words.Success(patchChanges(p)))
	for _, n := range slices.Concat(placementNotes(p), skippedNotes(p), v.notes()) {
		out.WriteString("\nNote: " + n)
	}
	return &TextResult{Ok: true, Output: out.String(), Meta: newMeta(v, p)}
}

// opOf returns the operation of the section in which e occurred, or 0.
func opOf(p patch.Patch, e *fail.Error) patch.Op {
	if e.Section < 1 || e.Section > len(p.Sections) {
		return 0
	}
	return p.Sections[e.Section-1].Op
}
