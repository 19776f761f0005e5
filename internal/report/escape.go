package report

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape makes s safe to show to a person. It escapes control characters, directional marks and characters without
// width, and keeps tabs and newlines.
func Escape(s string) string {
	if !strings.ContainsFunc(s, hidden) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case !hidden(r):
			b.WriteRune(r)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		s = s[n:]
	}
	return b.String()
}

// OneLine is like [Escape] and escapes newlines too.
func OneLine(s string) string {
	if plain(s) {
		return s
	}
	return strings.ReplaceAll(Escape(s), "\n", `\n`)
}

// plain reports whether s is printable ASCII, as nearly all paths are.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// IsPlain reports whether s is ASCII without control characters other than tabs. [OneLine] leaves such a text as it
// is.
func IsPlain(s []byte) bool {
	if len(s) < 8 {
		return plainBytes(s)
	}
	odd := oddBytes(binary.LittleEndian.Uint64(s[len(s)-8:])) // the last eight bytes, some of which the loop reads again
	for ; len(s) > 8; s = s[8:] {
		odd |= oddBytes(binary.LittleEndian.Uint64(s))
	}
	return odd == 0
}

func plainBytes(s []byte) bool {
	for _, c := range s {
		if c != '\t' && (c < ' ' || c > '~') {
			return false
		}
	}
	return true
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	lows  = 0x7f * ones
)

// oddBytes returns a value other than 0 if one of eight bytes is not ASCII, or is a control character other than a
// tab.
func oddBytes(w uint64) uint64 {
	seven := w &^ highs
	other := (w^'\t'*ones)&^highs + lows // its high bits mark the bytes that are not tabs
	return (w | (seven + ones) | other&^(seven+(0x80-' ')*ones)) & highs
}

// hidden reports whether a terminal would obey r or not show it: C0, C1 and format characters, including the
// directional ones and those without width.
func hidden(r rune) bool {
	switch {
	case r == '\t', r == '\n', ' ' <= r && r <= '~':
		return false
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
		return true
	}
	return unicode.Is(unicode.Variation_Selector, r) || r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\u034f'
}
