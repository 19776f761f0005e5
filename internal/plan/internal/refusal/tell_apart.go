package refusal

import (
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
)

// The search for lines that tell places apart looks at so many lines on either side, and at so many bytes of each.
const (
	maxApart = 20
	maxLine  = 200
)

// TellApart adds to e the nearest line above and below each of its places that none of the others has at that distance:
// the context that a caller can add to mean one of them. It begins from so many lines away; 0 is the first and the last
// line of the place itself.
func TellApart(e *fail.Error, file *text.Lines, from int) {
	if len(e.Places) < 2 {
		return
	}
	e.Around = make([]fail.Around, len(e.Places))
	for away := from; away <= maxApart; away++ {
		above, below := map[string]int{}, map[string]int{}
		for _, p := range e.Places {
			above[lineAt(file, p.First-away)]++
			below[lineAt(file, p.Last+away)]++
		}
		for i, p := range e.Places {
			a := &e.Around[i]
			if l := lineAt(file, p.First-away); a.Above == nil && l != "" && above[l] == 1 {
				a.Above = &fail.Line{Number: p.First - away, Text: l}
			}
			if l := lineAt(file, p.Last+away); a.Below == nil && l != "" && below[l] == 1 && p.Last+away > p.First {
				a.Below = &fail.Line{Number: p.Last + away, Text: l}
			}
		}
	}
}

// lineAt returns line n of file, from 1, or the beginning of a long one; "" if there is none.
func lineAt(file *text.Lines, n int) string {
	if n < 1 || n > file.Len() {
		return ""
	}
	l := file.Line(n - 1)
	return l[:min(len(l), maxLine)]
}
