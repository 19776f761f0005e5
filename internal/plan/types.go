package plan

import (
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/plan/internal/replace"
	"github.com/emend-dev/emend/internal/text"
)

// The types of the parts that a caller of this package meets.
type (
	// Placed is where a hunk landed.
	Placed = api.Placed
	// HunkPlace is where a hunk stands: in its place, or why not.
	HunkPlace = place.HunkPlace
	// Edit says that lines A0 up to A1 of the old text became lines B0 up to B1 of the new one, from 0.
	Edit = text.Change

	// TextEdit replaces a text by another wherever it occurs.
	TextEdit = replace.Edit
	// ReplaceOptions are what a caller asks of one Replace.
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

// Sum is the sha256 of data, in lower-case hex.
func Sum(data string) string { return text.Sum(data) }

// Between lists the line edits that make after of before: see [text.Between].
func Between(before, after string) []Edit { return text.Between(before, after) }
