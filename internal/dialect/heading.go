package dialect

import (
	"strings"
	"unicode"
)

// containedHeading reads "@@ text" for a dialect that looks for the text inside of lines, so that white space around it
// does not matter. It reads the header of a unified diff, "@@ -1,2 +1,2 @@ text", as "@@ text": line numbers are not
// trusted.
func containedHeading(line string) (string, bool) {
	text, ok := strings.CutPrefix(line, "@@")
	if !ok {
		return "", false
	}
	return strings.TrimSpace(afterRanges(strings.TrimSpace(text))), true
}

// bareHeading reads "@@" for a dialect that ignores the rest of the line.
func bareHeading(line string) (string, bool) {
	return "", strings.HasPrefix(line, "@@")
}

// lineHeading reads "@@" alone or "@@ text", where text is a whole line without white space at its end.
func lineHeading(line string) (string, bool) {
	line = trimEnd(line)
	if line == "@@" {
		return "", true
	}
	return strings.CutPrefix(line, "@@ ")
}

// adjoiningHeading reads "@@ text" or "@@ text @@". No anchor ends in " @@" or is "@@".
func adjoiningHeading(line string) (string, bool) {
	text, ok := strings.CutPrefix(line, "@@")
	if !ok {
		return "", false
	}
	text = trimEnd(text)
	for strings.HasSuffix(text, " @@") || text == "@@" {
		text = trimEnd(strings.TrimSuffix(text, "@@"))
	}
	return strings.TrimPrefix(text, " "), true
}

// afterRanges returns what follows "-1,2 +1,2 @@" in text, or all of it if it begins otherwise.
func afterRanges(text string) string {
	rest, ok := cutRange(text, "-")
	if !ok {
		return text
	}
	if rest, ok = cutRange(rest, "+"); !ok {
		return text
	}
	if rest, ok = strings.CutPrefix(rest, "@@"); !ok {
		return text
	}
	return rest
}

// cutRange cuts "-12,3 " off text, for the sign "-".
func cutRange(text, sign string) (string, bool) {
	text, ok := strings.CutPrefix(text, sign)
	if !ok {
		return "", false
	}
	rest := trimDigits(text)
	if len(rest) == len(text) {
		return "", false
	}
	if more, ok := strings.CutPrefix(rest, ","); ok {
		if rest = trimDigits(more); len(rest) == len(more) {
			return "", false
		}
	}
	return strings.CutPrefix(rest, " ")
}

func trimDigits(s string) string { return strings.TrimLeft(s, "0123456789") }

func trimEnd(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }
