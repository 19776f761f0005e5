// Package plan turns a patch and the contents of files into after-images. It does no I/O of its own and writes
// nothing; a Source hands it the files.
package plan

import (
	"context"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/patch"
)

// Memory is a Source that holds a tree in memory: slash-separated paths to contents.
type Memory map[string]string

// Plan is what a patch would do, settled. Steps are in patch order.
type Plan struct {
	Steps []Step
}

// Step is one section's effect on one file.
type Step struct {
	Op            patch.Op
	Path, To      string // relative to the workspace
	Before, After string // contents
}

// Source hands a plan the files it asks for.
type Source interface{}

// Build settles p under rules r. On refusal the error is a fail.List with every failing section and hunk.
func Build(ctx context.Context, p patch.Patch, r dialect.Rules, src Source) (*Plan, error) {
	panic("being written")
}
