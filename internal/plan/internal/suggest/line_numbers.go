package suggest

import (
	"strconv"
	"strings"

	"github.com/emend-dev/emend/patch"
)

// numberSeparators lists what stands between a line and its number in listings of files.
var numberSeparators = []string{"\t", "→", " | ", "| ", "|", ": ", ":"}

// withoutNumbers takes the line numbers off the lines of a hunk. All its old lines must have one, in one form and
// counting up by one. Added lines lose theirs if all of them have one in that form, and stay as they are if none has one
// in any form.
func withoutNumbers(lines []patch.Line) ([]patch.Line, bool) {
	mixed := false
	for _, all := range []bool{true, false} {
		for _, sep := range numberSeparators {
			out, adds, ok := stripNumbers(lines, sep)
			mixed = mixed || adds > 0
			if ok && (adds == countAdded(lines)) == all && (all || !mixed) {
				return out, true
			}
		}
	}
	return nil, false
}

func countAdded(lines []patch.Line) (n int) {
	for _, l := range lines {
		if !l.Old() {
			n++
		}
	}
	return n
}

// stripNumbers takes the numbers before sep off the old lines, and off the added lines if all of them have one. adds
// counts the added lines that do.
func stripNumbers(lines []patch.Line, sep string) (out []patch.Line, adds int, ok bool) {
	out = make([]patch.Line, len(lines))
	last, whole := -1, true
	for i, l := range lines {
		n, rest, numbered := cutNumber(l.Text(), sep)
		switch {
		case !l.Old() && numbered:
			adds++
		case l.Old():
			whole = whole && numbered && (last < 0 || n == last+1)
			last = n
		}
		out[i] = l[:1] + patch.Line(rest)
	}
	if adds < countAdded(lines) {
		for i, l := range lines {
			if !l.Old() {
				out[i] = l
			}
		}
	}
	return out, adds, whole && last >= 0
}

// cutNumber cuts a line after its number, which may have an L before it, and sep. sep may have lost its trailing white space if nothing follows it.
func cutNumber(line, sep string) (n int, rest string, ok bool) {
	line = strings.TrimPrefix(strings.TrimLeft(line, " "), "L")
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	n, err := strconv.Atoi(line[:digits])
	if err != nil {
		return 0, "", false
	}
	if rest, ok = strings.CutPrefix(line[digits:], sep); ok {
		return n, rest, true
	}
	return n, "", line[digits:] == strings.TrimRight(sep, " \t")
}
