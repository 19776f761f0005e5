// Package draft writes the patch that turns old contents into new ones.
package draft

import (
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/patch"
)

// Change is one file before and after.
type Change struct {
	Path           string
	Old, New       string
	HasOld, HasNew bool // false: the file does not exist on that side
}

// Between writes the patch for changes in dialect d, with at least context lines around each change and as many
// more as every hunk needs to have exactly one place. Applying it to the old contents gives the new ones, byte
// for byte; what d cannot say is refused, naming the file and the line.
func Between(d *dialect.Dialect, changes []Change, context int) (patch.Patch, error) {
	panic("being written")
}
