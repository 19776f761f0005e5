package change

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/patch"
)

type attemptKey struct{}

// withAttempt says what a call attempts, should it be refused. It is asked only then.
func withAttempt(ctx context.Context, of func() *api.Attempt) context.Context {
	return context.WithValue(ctx, attemptKey{}, of)
}

// attemptOf returns what a refused call attempted, as the store keeps it beside the log, or "". That of a call that touched what it
// may not is not kept.
func attemptOf(ctx context.Context, first *fail.Error) string {
	of, ok := ctx.Value(attemptKey{}).(func() *api.Attempt)
	if !ok || first.Kind == fail.PermissionDenied || first.Kind == fail.OutsideWorkspace {
		return ""
	}
	a := of()
	if a == nil {
		return ""
	}
	text, err := json.Marshal(a)
	if err != nil {
		return ""
	}
	return string(text)
}

// patchAttempt is the attempt of a patch.
func patchAttempt(p Patch) *api.Attempt {
	return &api.Attempt{Patch: p.Text, Dialect: p.Dialect, Lenient: p.Lenient, Base: p.Base, File: p.File}
}

// editAttempt is the attempt of text edits, as a patch with a hunk for each.
func editAttempt(r *api.EditRequest) *api.Attempt {
	s := patch.Section{Op: patch.Update, Path: r.Path}
	for _, e := range r.Edits {
		h := patch.Hunk{Lines: append(markedLines('-', e.OldText), markedLines('+', e.NewText)...)}
		if len(h.Lines) > 0 {
			s.Hunks = append(s.Hunks, h)
		}
	}
	d, ok := dialect.Named("emend")
	if !ok || len(s.Hunks) == 0 {
		return nil
	}
	text, err := d.Print(patch.Patch{Sections: []patch.Section{s}})
	if err != nil {
		return nil
	}
	return &api.Attempt{Patch: text, Dialect: d.Name}
}

// markedLines returns the lines of a text with a mark before each.
func markedLines(mark byte, text string) (out []patch.Line) {
	if text == "" {
		return nil
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		out = append(out, patch.Line(string(mark)+line))
	}
	return out
}
