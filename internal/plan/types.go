package plan

import (
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/plan/internal/replace"
)

// The types of the parts that a caller of this package meets.
type (
	// Placed is where a hunk landed.
	Placed = api.Placed
	// HunkPlace is where a hunk goes, or why it goes nowhere.
	HunkPlace = place.HunkPlace
	// TextEdit replaces a text by another wherever it occurs.
	TextEdit = replace.Edit
	// ReplaceOptions are the settings of one Replace.
	ReplaceOptions = replace.Options
	// Replaced is a text with its edits made.
	Replaced = replace.Result
	// Applied is where one edit was made.
	Applied = replace.Applied
)

// Replace makes every edit in before, or none: see [replace.Run].
func Replace(before string, edits []TextEdit, o ReplaceOptions) (*Replaced, error) {
	return replace.Run(before, edits, o)
}
