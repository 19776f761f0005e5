// Package refusal words what the refusals of all parts of plan have in common: counts, lists of lines, excerpts of a file,
// and how many of them there are.
//
// It decides nothing: each part makes its own refusals.
package refusal

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
)

// Limits that keep refusals short, and what is looked up for them about as cheap as the work that was refused.
const (
	MaxListed    = 20 // refusals of one file that list their places, each at the cost of a walk through the file
	MaxExplained = 50 // refusals of one file that say what is there instead
)

// Joined is the next step where an added line seems to hold two.
const Joined = "Send each line as a line of its own‹lenient:; if the letters are meant, send the patch without {}›."

// Count returns n with the noun for one thing in the singular or plural: "1 place", "3 places".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// AddLines appends to the message of e on which lines its places begin, if it has any.
func AddLines(e *fail.Error) {
	const most = 10
	if len(e.Places) == 0 {
		return
	}
	var b strings.Builder
	b.WriteString(" (line")
	if e.Total > 1 {
		b.WriteString("s")
	}
	for i, p := range e.Places[:min(len(e.Places), most)] {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, " %d", p.First)
	}
	if e.Total > most {
		fmt.Fprintf(&b, " and %d more", e.Total-most)
	}
	b.WriteString(")")
	e.Msg += b.String()
}

// Nearest shows lines from up to but not including to of file, from 0, and says what differs there.
func Nearest(file *text.Lines, from, to int, differs ...string) *fail.Nearest {
	lines := file.Strings(from, to)
	for i, l := range lines {
		lines[i] = fail.Short(l)
	}
	return &fail.Nearest{Place: fail.Place{First: from + 1, Last: to}, Lines: lines, Differs: differs}
}
