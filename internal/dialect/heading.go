package dialect

import (
	"strings"
	"unicode"
)

// containedHeading reads "@@ text" for a dialect whose text is looked for inside of lines: white space around it
// says nothing. The header of a unified diff, "@@ -1,2 +1,2 @@ text", reads as "@@ text": line numbers are not
// trusted.
func containedHeading(line string) (string, bool) {
	text, ok := strings.CutPrefix(line, "@@")
	if !ok {
		return "", false
	}
	return strings.TrimSpace(afterRanges(strings.TrimSpace(text))), true
}

// idleHeading reads "@@" for a dialect in which the rest of the line means nothing.
func idleHeading(line string) (string, bool) {
	return "", strings.HasPrefix(line, "@@")
}

// soughtHeading reads "@@" alone or "@@ text", where text is a whole line, as it is but for white space at its end.
func soughtHeading(line string) (string, bool) {
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

// afterRanges is what follows "-1,2 +1,2 @@" in text, or all of it when it does not begin so.
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

// cutRange takes "-12,3 " off text, for the sign "-".
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
