package explain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/emend-dev/emend/internal/report"
)

// glyph is one character as it is shown.
type glyph struct {
	text    string
	width   int // in columns
	differs bool
}

// tabs is how wide a tab is shown.
const tabs = 4

// glyphs are the characters of a line as a terminal shows them. Where it differs, what cannot be seen is made visible.
func glyphs(in []Part) []glyph {
	var out []glyph
	col := 0
	for _, p := range short(in) {
		for s := p.Text; s != ""; {
			r, n := utf8.DecodeRuneInString(s)
			g := glyph{shown(r, s[:n], p.Differs), 0, p.Differs}
			if r == '\t' {
				gap := tabs - col%tabs
				g.text, g.width = strings.TrimSuffix(g.text, "\t")+strings.Repeat(" ", gap-columns(strings.TrimSuffix(g.text, "\t"))), gap
			} else {
				g.width = columns(g.text)
			}
			out, col, s = append(out, g), col+g.width, s[n:]
		}
	}
	return out
}

// shown is a character as a person may see it: what a terminal would obey as an escape; and where it differs, white space
// and what combines with the character before it as something to look at. A tab stays one.
func shown(r rune, s string, differs bool) string {
	switch {
	case r == '\n': // a line has none, but for a lone one in a name
		return `\n`
	case !differs:
		return report.Escape(s)
	case r == '\t':
		return "→\t"
	case r == ' ':
		return "·"
	case r == '\r':
		return "␍"
	case r == '\u00a0':
		return "⍽"
	case unicode.Is(unicode.Zs, r), joins(r):
		return fmt.Sprintf(`\u%04x`, r)
	}
	return report.Escape(s)
}

// Visible is a part of a line as a page shows it: with nothing that is obeyed or cannot be seen.
func (p Part) Visible() string {
	var b strings.Builder
	for s := p.Text; s != ""; {
		r, n := utf8.DecodeRuneInString(s)
		b.WriteString(shown(r, s[:n], p.Differs))
		s = s[n:]
	}
	return b.String()
}

// columns is how wide a terminal shows s.
func columns(s string) (n int) {
	for _, r := range s {
		switch k := width.LookupRune(r).Kind(); {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case k == width.EastAsianWide, k == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

// Parts that are longer than this are shown by their ends.
const longPart = 240

// short is the parts without the middle of long ones.
func short(in []Part) []Part {
	var out []Part
	for _, p := range in {
		if len(p.Text) <= longPart {
			out = append(out, p)
			continue
		}
		i, j := longPart/2, len(p.Text)-longPart/2
		for !boundary(p.Text, i) && i < j {
			i++
		}
		for !boundary(p.Text, j) && j > i {
			j--
		}
		out = append(out, Part{p.Text[:i], p.Differs}, Part{fmt.Sprintf("…(%d bytes)…", j-i), false}, Part{p.Text[j:], p.Differs})
	}
	return out
}

// cells are the parts of a row's two lines.
func (r *Row) cells() (mine, file []Part) {
	switch r.Pairing {
	case Differs:
		return Mark(r.Patch, r.File)
	case PatchOnly, Comes, Written, Alone:
		return []Part{{r.Patch, false}}, nil
	case FileOnly, Near:
		return nil, []Part{{r.File, false}}
	}
	return []Part{{r.Patch, false}}, []Part{{r.File, false}}
}
