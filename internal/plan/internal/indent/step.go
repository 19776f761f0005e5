package indent

import (
	"strings"

	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// maxStep is the deepest step of indentation that is in use.
const maxStep = 8

// Step returns by how many spaces a file indents: the most frequent number of spaces by which a line stands further right than
// the one before it. It is 0 if no line does, or lines are indented by tabs more often.
func Step(file *text.Lines) int {
	var steps [maxStep + 1]int
	tabs, last := 0, 0
	for n := range file.Len() {
		line := file.Line(n)
		in, rest := Cut(line)
		if rest == "" {
			continue
		}
		if strings.Contains(in, "\t") {
			tabs++
			last = len(in)
			continue
		}
		if more := len(in) - last; more > 0 && more <= maxStep {
			steps[more]++
		}
		last = len(in)
	}
	best, most := 0, 0
	for step, n := range steps {
		if n > most {
			best, most = step, n
		}
	}
	if most < tabs {
		return 0
	}
	return best
}

// Fits reports whether s is proved by a tab width, or more than half of the added lines that s changes become indented by a multiple of step spaces, or as one
// of the lines of the file that s was made from.
func (s Shift) Fits(step int, lines []patch.Line) bool {
	if step < 2 || !s.prefix {
		return true
	}
	is := map[string]bool{}
	for _, to := range s.seen {
		is[to] = true
	}
	fits, odd := 0, 0
	for _, l := range lines {
		was, rest := Cut(l.Text())
		if l.Old() || rest == "" {
			continue
		}
		to, _ := Cut(s.Apply(l.Text()))
		switch {
		case to == was || strings.Trim(to, " ") != "":
		case len(to)%step == 0 || is[to]:
			fits++
		default:
			odd++
		}
	}
	return odd == 0 || fits > odd
}
