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

// tabWidth is how wide a tab is shown.
const tabWidth = 4

// glyphs returns the characters of a line as a terminal shows them. Where the line differs, invisible ones are made
// visible.
func glyphs(in []Part) []glyph {
	var out []glyph
	col := 0
	for _, p := range shortened(in) {
		for s := p.Text; s != ""; {
			r, n := utf8.DecodeRuneInString(s)
			g := glyph{shown(r, s[:n], p.Differs), 0, p.Differs}
			if r == '\t' {
				gap := tabWidth - col%tabWidth
				g.text, g.width = strings.TrimSuffix(g.text, "\t")+strings.Repeat(" ", gap-columns(strings.TrimSuffix(g.text, "\t"))), gap
			} else {
				g.width = columns(g.text)
			}
			out, col, s = append(out, g), col+g.width, s[n:]
		}
	}
	return out
}

// shown returns a character as a person may see it: an escape for what a terminal would obey, and where it differs,
// something visible for white space and combining characters. A tab stays one.
func shown(r rune, s string, differs bool) string {
	switch {
	case r == '\n': // a line has none, but a name may
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

// Visible returns the part as a page shows it, with nothing in it that is obeyed or invisible.
func (p Part) Visible() string {
	var b strings.Builder
	for s := p.Text; s != ""; {
		r, n := utf8.DecodeRuneInString(s)
		b.WriteString(shown(r, s[:n], p.Differs))
		s = s[n:]
	}
	return b.String()
}

// columns returns how wide a terminal shows s.
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

// longPart is how long a part may be; of longer ones only the ends are shown.
const longPart = 240

// shortened returns the parts without the middle of long ones.
func shortened(in []Part) []Part {
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

// cells returns the parts of the two lines of a row.
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
