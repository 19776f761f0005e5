package change

import (
	"context"
	"errors"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
)

// maxHintBytes is how many bytes of patch and files a refused patch may have for the other ways of reading it to
// be tried for a hint.
const maxHintBytes = 4 << 20

// optionsHint looks whether the text would work with one switch more, and says which. Only a way that needs no
// guess counts: every hunk with a single place that its own lines give it, and nothing replaced.
func optionsHint(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, src *source.Reader, refused fail.List) string {
	auto := o.Dialect == "" || o.Dialect == "auto"
	src.MaxBytes = maxHintBytes - len(text)
	if !auto || o.Lenient || src.BytesRead > src.MaxBytes || errors.Is(refused, fail.CommandFailed) || errors.Is(refused, fail.PermissionDenied) {
		return ""
	}
	lenient := o
	lenient.Lenient = true
	if wouldApply(ctx, w, text, lenient, src) {
		return "With --lenient (lenient: true) this patch would apply."
	}
	for _, d := range dialect.All {
		named := o
		named.Dialect = d.Name
		if wouldApply(ctx, w, text, named, src) {
			return "With --dialect " + d.Name + " this patch would apply."
		}
	}
	return ""
}

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
			if h.Others > 0 || said.AtEnd && len(said.Old()) == 0 {
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
