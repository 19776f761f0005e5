package change

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
)

// WhatElse is what is to be known beside the sections: what a commit would ask first, or which switch would help.
func WhatElse(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, src *source.Reader, refused fail.List) []string {
	if len(refused) == 0 {
		return consent.PlanNotes(src.Asks.List())
	}
	src.Asks = nil // nobody is asked about what is only looked at for a hint
	if hint := elsewhere(ctx, w, text, o, src, refused); hint != "" {
		return []string{hint}
	}
	return nil
}
