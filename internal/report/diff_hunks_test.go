package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// TestUnifiedInHalves checks that hunks written in parallel are those that one pass writes.
func TestUnifiedInHalves(t *testing.T) {
	for _, gap := range []int{1, 7, 40} {
		s := &plan.Step{Op: patch.Update, Path: "f"}
		var a, b strings.Builder
		line := 0
		for i := range 3000 {
			fmt.Fprintf(&a, "old %d\n", i)
			fmt.Fprintf(&b, "%s", strings.Repeat("new\n", i%3))
			s.Bytes = append(s.Bytes, text.Change{A0: a.Len() - len(fmt.Sprintf("old %d\n", i)), A1: a.Len(), B0: b.Len() - i%3*4, B1: b.Len()})
			s.Edits = append(s.Edits, text.Change{A0: line, A1: line + 1})
			line += 1 + gap
			a.WriteString(strings.Repeat("same\n", gap))
			b.WriteString(strings.Repeat("same\n", gap))
		}
		s.Before, s.After = a.String(), b.String()
		var whole, halves strings.Builder
		writeSpans(&whole, s.Before, s.After, changedSpans(s), position{line: 1})
		writeHunks(&halves, s.Before, s.After, changedSpans(s))
		if whole.String() != halves.String() {
			t.Errorf("gap %d: halves differ from the whole", gap)
		}
		if parts := splitPoint(s.Before, changedSpans(s)) < len(changedSpans(s)); parts != (gap > 6) {
			t.Errorf("gap %d: in halves: %t", gap, parts)
		}
	}
}
