package dialect

import (
	"slices"

	"github.com/emend-dev/emend/patch"
)

// fullLadder lists every rung except Composed, which stands in for the last.
var fullLadder = []patch.Rung{patch.Exact, patch.Trailing, patch.Whitespace, patch.Unicode}

// upTo cuts a ladder off after the rung that the caller allows; 0 leaves it whole.
func upTo(last patch.Rung, ladder ...patch.Rung) []patch.Rung {
	switch last {
	case 0:
		return slices.Clone(ladder)
	case patch.Composed: // only Unicode has a name on the command line
		last = patch.Unicode
	}
	var out []patch.Rung
	for _, r := range ladder {
		if r <= last {
			out = append(out, r)
		}
	}
	return out
}
