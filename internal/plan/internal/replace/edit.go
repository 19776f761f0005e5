package replace

import (
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Edit replaces every occurrence of a text by another. Count is how often it must occur; 0 means once. Or it names lines by their
// anchors ([text.Anchor]): New takes the place of the lines Line to EndLine, or is inserted below the line After. "" deletes lines.
type Edit struct {
	Old, New string
	Count    int

	Line, EndLine string // EndLine is "" for one line
	After         string // "0" for the top of the file
}

// Options are the settings of one call of Run.
type Options struct {
	// Tolerance is the last rung on which lines may match; 0 stands for [patch.Exact].
	Tolerance patch.Rung
}

// Result is a text with its edits made.
type Result struct {
	After   string
	Edits   []text.Change // how its lines came from those before
	Applied []Applied     // one for each edit that was asked for
}

// Applied is where one edit was made.
type Applied struct {
	Occurrences int
	Rung        patch.Rung
	Lines       []fail.Place // of the text before, one for each occurrence, in its order
}
