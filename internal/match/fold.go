package match

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/emend-dev/emend/patch"
)

// Fold returns line as rung r sees it: two lines are equal on r if their folds are equal bytes. Bytes that are not UTF-8
// fold to themselves.
func Fold(r patch.Rung, line string) string {
	switch r {
	case patch.Trailing:
		return strings.TrimRightFunc(line, unicode.IsSpace)
	case patch.Whitespace:
		return strings.TrimSpace(line)
	case patch.Composed:
		return norm.NFC.String(strings.TrimSpace(line))
	case patch.Unicode:
		return foldTypography(line)
	}
	return line
}

// Same reports whether two lines are equal on rung r.
func Same(r patch.Rung, a, b string) bool { return a == b || Fold(r, a) == Fold(r, b) }

// foldTypography replaces dashes, quotes and spaces by their ASCII equivalents, and the rest by its normal form C.
func foldTypography(line string) string {
	line = strings.TrimSpace(line)
	if ascii(line) {
		return line
	}
	var b strings.Builder
	b.Grow(len(line))
	for line = norm.NFC.String(line); line != ""; {
		if line[0] < utf8.RuneSelf {
			b.WriteByte(line[0])
			line = line[1:]
			continue
		}
		r, n := utf8.DecodeRuneInString(line)
		if r == utf8.RuneError { // strings.Map would make every bad byte the same
			b.WriteString(line[:n])
		} else {
			b.WriteRune(typography(r))
		}
		line = line[n:]
	}
	return strings.TrimSpace(b.String())
}

func ascii(s string) bool {
	for ; len(s) >= 8; s = s[8:] {
		if (s[0]|s[1]|s[2]|s[3]|s[4]|s[5]|s[6]|s[7])&utf8.RuneSelf != 0 {
			return false
		}
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Plain replaces the typography of a line that stands for one of the ASCII characters in which, and leaves everything else.
func Plain(line, which string) string {
	if which == "" || ascii(line) {
		return line
	}
	var b strings.Builder
	for line != "" {
		r, n := utf8.DecodeRuneInString(line)
		if to := typography(r); to != r && strings.ContainsRune(which, to) {
			b.WriteRune(to)
		} else {
			b.WriteString(line[:n])
		}
		line = line[n:]
	}
	return b.String()
}

// Typography lists the characters of a line that stand for ASCII ones, and the ASCII character for each.
func Typography(line string) iter.Seq2[rune, byte] {
	return func(yield func(rune, byte) bool) {
		if ascii(line) {
			return
		}
		for _, r := range line {
			if to := typography(r); to != r && !yield(r, byte(to)) {
				return
			}
		}
	}
}

func typography(r rune) rune {
	switch {
	case r >= '\u2010' && r <= '\u2015', r == '\u2212':
		return '-'
	case r >= '\u2018' && r <= '\u201B':
		return '\''
	case r >= '\u201C' && r <= '\u201F':
		return '"'
	case r == '\u00A0', r >= '\u2000' && r <= '\u200A', r == '\u202F', r == '\u205F', r == '\u3000':
		return ' '
	}
	return r
}
