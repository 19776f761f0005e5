package credential

import (
	"fmt"
	"strings"
)

// maxNoted limits the lines that a note names.
const maxNoted = 3

// Note words hits, of which there is at least one.
func Note(hits []Hit) string {
	var out []string
	for _, h := range hits[:min(len(hits), maxNoted)] {
		out = append(out, fmt.Sprintf("line %d looks like a key (%s)", h.Line, h.Kind))
	}
	if more := len(hits) - maxNoted; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}
