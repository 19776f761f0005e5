package decode

import (
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/patch"
)

// separators lists what stands between a line and its number in listings of files.
var separators = []string{"\t", "→", " | ", "| ", "|", ": ", ":"}

// Numbers takes the line numbers off the lines of a hunk. All its old lines must have one, in one form and counting up by
// one. Added lines lose theirs if all of them have one in that form, and stay as they are if none has one in any form.
func Numbers(lines []patch.Line) ([]patch.Line, bool) {
	mixed := false
	for _, all := range []bool{true, false} {
		for _, sep := range separators {
			out, adds, ok := stripNumbers(lines, sep)
			mixed = mixed || adds > 0
			if ok && (adds == countAdded(lines)) == all && (all || !mixed) {
				return out, true
			}
		}
	}
	return nil, false
}

// withoutNumbers takes the numbers off the lines of all hunks that have them behind their marks.
func (d *document) withoutNumbers(sep string) (string, bool) {
	out := slices.Clone(d.lines)
	numbered, with, without := false, 0, 0 // and how many added lines have numbers, and have not
	for _, h := range d.hunks {
		lines, ok := d.of(h)
		if !ok {
			return "", false
		}
		stripped, adds, ok := stripNumbers(lines, sep)
		switch bare := countAdded(lines) - adds; {
		case !ok && slices.ContainsFunc(lines, func(l patch.Line) bool { return anyNumber(l.Text()) }), adds > 0 && bare > 0:
			return "", false
		case !ok:
			continue
		default:
			with, without = with+adds, without+bare
		}
		if adds == 0 && slices.ContainsFunc(lines, func(l patch.Line) bool { return !l.Old() && anyNumber(l.Text()) }) {
			return "", false
		}
		numbered = true
		for i, l := range stripped {
			h.put(out, i, l)
		}
	}
	return strings.Join(out, "\n"), numbered && !(with > 0 && without > 0) && !d.addsNumbers()
}

// withoutNumbersBeforeMarks takes off the numbers that all lines of all hunks have before their marks.
func (d *document) withoutNumbersBeforeMarks(sep string) (string, bool) {
	out := slices.Clone(d.lines)
	for _, h := range d.hunks {
		last := -1
		if h.marks != "" {
			return "", false
		}
		for _, i := range h.at {
			n, rest, ok := cutNumber(d.lines[i], sep)
			if rest == "" {
				rest = " "
			}
			if !ok || strings.IndexByte(" +-", rest[0]) < 0 || rest[0] != '+' && last >= 0 && n != last+1 {
				return "", false
			}
			if rest[0] != '+' {
				last = n
			}
			out[i] = rest
		}
		if last < 0 {
			return "", false
		}
	}
	return strings.Join(out, "\n"), len(d.hunks) > 0 && !d.addsNumbers()
}

// addsNumbers reports whether a file that is added has a line with a number.
func (d *document) addsNumbers() bool {
	return slices.ContainsFunc(d.contents, func(i int) bool { return anyNumber(strings.TrimPrefix(d.lines[i], "+")) })
}

func anyNumber(line string) bool {
	return slices.ContainsFunc(separators, func(sep string) bool {
		_, _, ok := cutNumber(line, sep)
		return ok
	})
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
// counts the added lines that do. The number of an added line counts on from the line above, or is that of the line which it replaces; any other
// belongs to the line.
func stripNumbers(lines []patch.Line, sep string) (out []patch.Line, adds int, ok bool) {
	out = make([]patch.Line, len(lines))
	last, run, whole := -1, 0, true // run: how many changed lines stand above, one below the other
	for i, l := range lines {
		if run++; l.Mark() == ' ' {
			run = 0
		}
		n, rest, numbered := cutNumber(l.Text(), sep)
		switch {
		case !l.Old() && numbered && (last < 0 || n > last-run && n <= last+run):
			adds++
		case l.Old():
			whole = whole && numbered && (last < 0 || n == last+1)
			last = n
		}
		if numbered && holdsNumbered(rest, sep) {
			return nil, 0, false
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

// holdsNumbered reports whether a line holds another one with its number, behind a backslash and an n. Where such a line ends, and
// whether the number goes with it, is not known.
func holdsNumbered(line, sep string) bool {
	for {
		_, next, ok := strings.Cut(line, `\n`)
		if !ok {
			return false
		}
		if _, _, ok := cutNumber(strings.TrimLeft(next, "+- "), sep); ok {
			return true
		}
		line = next
	}
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
