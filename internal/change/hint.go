package change

import (
	"context"
	"errors"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
)

// maxHintBytes limits the size of a patch and its files, together, for which other options are tried.
const maxHintBytes = 4 << 20

// optionsHint tries a refused patch with one more option, and returns a hint that names the option that helps. It
// counts only a try without guesses: no line of the text is ignored, each hunk fits at one place, found by its own lines, and
// no file is replaced. Another dialect is not tried if a hunk has no place: its rules would only look less closely.
func optionsHint(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, src *source.Reader, refused fail.List) string {
	auto := o.Dialect == "" || o.Dialect == "auto"
	src.MaxBytes = maxHintBytes - len(text)
	if !auto || o.Lenient || src.BytesRead > src.MaxBytes || errors.Is(refused, fail.CommandFailed) || errors.Is(refused, fail.PermissionDenied) {
		return ""
	}
	lenient := o
	lenient.Lenient = true
	if wouldApply(ctx, w, text, lenient, src) {
		return "With ‹lenient› this patch would apply."
	}
	if slices.ContainsFunc(refused, func(e *fail.Error) bool { return e.Hunk > 0 }) {
		return ""
	}
	for _, name := range dialect.Reads(text, nil) {
		named := o
		named.Dialect = name
		if wouldApply(ctx, w, text, named, src) {
			return "With ‹dialect› " + name + " this patch would apply."
		}
	}
	return ""
}

// wouldApply reports whether the patch applies with these options, without a guess.
func wouldApply(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, src *source.Reader) bool {
	view, p, err := planPatch(ctx, w, text, o, src)
	if err != nil {
		return false
	}
	for i := range p.Steps {
		if p.Steps[i].Replaces != nil {
			return false
		}
		for k, h := range p.Steps[i].Hunks {
			said := &view.Patch.Sections[p.Steps[i].Section].Hunks[k]
			if h.Others > 0 || h.Doubles || said.AtEnd && len(said.Old()) == 0 {
				return false
			}
		}
	}
	return true
}

func joinHints(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}
