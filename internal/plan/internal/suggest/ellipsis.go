package suggest

import (
	"strings"

	"github.com/emend-dev/emend/patch"
)

// comments lists what opens and closes a comment in the languages of most patches.
var comments = [][2]string{{"{/*", "*/}"}, {"/*", "*/"}, {"<!--", "-->"}, {"//", ""}, {"#", ""}, {"--", ""}, {";", ""}, {"%", ""}}

// isEllipsis reports whether l is a line of context that only says that others are left out: dots, alone or in a
// comment, or dots and words for what is left out.
func isEllipsis(l patch.Line) bool {
	if l.Mark() != ' ' {
		return false
	}
	s := strings.TrimSpace(l.Text())
	for _, c := range comments {
		if rest, ok := strings.CutPrefix(s, c[0]); ok && strings.HasSuffix(rest, c[1]) {
			s = strings.TrimSpace(strings.TrimSuffix(rest, c[1]))
			break
		}
	}
	rest, ok := cutDots(s)
	if !ok || rest == "" {
		return ok
	}
	return rest[0] == ' ' && (strings.HasSuffix(rest, "...") || strings.HasSuffix(rest, "…") || namesOmission(rest))
}

func cutDots(s string) (string, bool) {
	rest, ok := strings.CutPrefix(s, "...")
	if !ok {
		rest, ok = strings.CutPrefix(s, "…")
	}
	return rest, ok
}

// namesOmission reports whether s is words for code that stays as it is.
func namesOmission(s string) bool {
	s = strings.ToLower(s)
	for _, word := range []string{"existing", "rest of", "unchanged", "remaining", "omitted", "same as"} {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}
