package diff

import (
	"strings"

	"github.com/emend-dev/emend/internal/explain"
)

// markWords returns the parts in which two similar lines differ. Marks with only blanks between them are joined. It marks
// nothing if the lines have hardly anything in common.
func markWords(a, b string) (x, y []explain.Part) {
	x, y = explain.Mark(a, b)
	x, y = joinMarks(x), joinMarks(y)
	if mostlyMarked(x) && mostlyMarked(y) {
		return nil, nil
	}
	return x, y
}

// joinMarks joins the marks that have only blanks between them.
func joinMarks(in []explain.Part) []explain.Part {
	out := in[:0]
	for i, p := range in {
		n := len(out)
		gap := !p.Differs && n > 0 && i+1 < len(in) && strings.Trim(p.Text, " \t") == ""
		if n > 0 && out[n-1].Differs && (p.Differs || gap) {
			out[n-1].Text += p.Text
			continue
		}
		out = append(out, p)
	}
	return out
}

// mostlyMarked reports whether less than a fifth of a line is unmarked.
func mostlyMarked(in []explain.Part) bool {
	differs, same := 0, 0
	for _, p := range in {
		if n := len(strings.TrimSpace(p.Text)); p.Differs {
			differs += n
		} else {
			same += n
		}
	}
	return differs > 0 && differs > 4*same
}
