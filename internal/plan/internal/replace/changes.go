package replace

import "github.com/emend-dev/emend/internal/text"

// change says that bytes a0 up to a1 of the old text became b0 up to b1 of the new one.
type change struct{ a0, a1, b0, b1 int }

// lineChanges returns the changes, which are in order, as changes of lines, with an unchanged line between any two. What
// lies between two changes is the same on both sides.
func lineChanges(before, after *text.Lines, changes []change) []text.Change {
	var out []text.Change
	for len(changes) > 0 {
		var e text.Change
		e.A0, e.B0 = firstLines(before, after, changes[0])
		n := 0
		for {
			var ok bool
			if e.A1, e.B1, ok = lastLines(before, after, changes[n], changes[n+1:]); ok {
				break
			}
			n++
		}
		for _, e := range e.Narrow(before, after) {
			if k := len(out) - 1; k >= 0 && out[k].A1 == e.A0 && out[k].B1 == e.B0 {
				out[k].A1, out[k].B1 = e.A1, e.B1
			} else {
				out = append(out, e)
			}
		}
		changes = changes[n+1:]
	}
	return out
}

// firstLines returns the lines with which change c begins on both sides.
func firstLines(before, after *text.Lines, c change) (a, b int) {
	for a = lineAt(before, c.a0); a >= 0 && before.Len() > 0; a-- {
		at := before.Offset(a) - c.a0 + c.b0
		if b = lineFrom(after, at); after.Offset(b) == at {
			return a, b
		}
	}
	return 0, 0
}

// lastLines returns the lines after change c on both sides. It reports false if the next change begins before them.
func lastLines(before, after *text.Lines, c change, next []change) (a, b int, ok bool) {
	a = lineFrom(before, c.a1)
	for ; a < before.Len(); a++ {
		if len(next) > 0 && before.Offset(a) > next[0].a0 {
			return 0, 0, false
		}
		at := before.Offset(a) - c.a1 + c.b1
		if b = lineFrom(after, at); after.Offset(b) == at {
			return a, b, true
		}
	}
	return before.Len(), after.Len(), len(next) == 0
}
