package suggest

import (
	"strings"

	"github.com/emend-dev/emend/internal/plan/internal/indent"
)

// gram is the number of bytes that are compared at once to find the line that has most of a text.
const gram = 4

// window returns the part of line that want seems to mean: from where want begins to where it ends, if both ends of want
// are there, once each and not too far apart. White space around want extends it.
func window(line, want string) (string, bool) {
	if strings.TrimSpace(line) == strings.TrimSpace(want) {
		return line, true
	}
	l, w := lower(line), lower(strings.TrimSpace(want))
	if len(w) < 2*gram {
		return "", false
	}
	head, tail := w[:gram], w[len(w)-gram:]
	from, to := strings.Index(l, head), strings.LastIndex(l, tail)+gram
	if from < 0 || to < from+2*gram || from != strings.LastIndex(l, head) || to-gram != strings.Index(l, tail) || to-from > 2*len(w) {
		return "", false
	}
	if strings.TrimLeft(want, " \t") != want { // with its indent
		in, _ := indent.Cut(line[:from])
		if in != line[:from] {
			return "", false
		}
		from = 0
	}
	return line[from:to], true
}

// lower returns s with ASCII letters in lower case. Unlike strings.ToLower it keeps the length.
func lower(s string) string {
	if strings.IndexFunc(s, func(c rune) bool { return c >= 'A' && c <= 'Z' }) < 0 {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
