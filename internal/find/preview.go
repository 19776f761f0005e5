package find

import (
	"strings"
	"unicode/utf8"
)

// previewBytes is how much of a line is shown.
const previewBytes = 200

// preview returns what is shown of a line: all of it or, if it is long, the part around the match.
func preview(line []byte, at int) string {
	from, to := 0, len(line)
	if to > previewBytes {
		from = max(0, min(at-previewBytes/4, to-previewBytes))
		to = from + previewBytes
	}
	for from > 0 && from < to && !utf8.RuneStart(line[from]) {
		from++
	}
	for to < len(line) && to > from && !utf8.RuneStart(line[to]) {
		to--
	}
	text := strings.ToValidUTF8(string(line[from:to]), "\ufffd")
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}
