package explain

import (
	"fmt"
	"strings"
)

// sideBySide writes a row with the hunk on the left and the file on the right, over as many lines as it takes.
func (p *printer) sideBySide(r *Row) {
	mine, file := r.cells()
	const fixed = 4 + 2 + 3 + 8 // what stands before the hunk, its mark, what is between, the number
	left := (p.Width - fixed) / 2
	right := p.Width - fixed - left
	number := ""
	if r.Line > 0 && r.Pairing != Comes {
		number = fmt.Sprint(r.Line)
	}
	mark, color := r.Mark, markColor(r.Mark)
	theirs := ""
	if r.Pairing == Near {
		theirs = dim
	}
	a, b := wrap(glyphs(mine), left), wrap(glyphs(file), right)
	for i := range max(len(a), len(b), 1) {
		x, y := lineOrNone(a, i), lineOrNone(b, i)
		p.line(fmt.Sprintf("    %s %s%s | %7s %s", p.paint(color, fmt.Sprintf("%-1s", mark)), p.cell(x, color), pad(x, left), number, p.cell(y, theirs)))
		if c, d := caretsOf(x), caretsOf(y); !p.Color && c+d != "" {
			p.line(fmt.Sprintf("      %-*s | %7s %s", left, c, "", d))
		}
		mark, number = "", ""
	}
	p.notes(r)
}

func lineOrNone(lines [][]glyph, i int) []glyph {
	if i < len(lines) {
		return lines[i]
	}
	return nil
}

// pad returns the spaces that fill a cell up to n columns.
func pad(g []glyph, n int) string {
	for i := range g {
		n -= g[i].width
	}
	return strings.Repeat(" ", max(n, 0))
}

// wrap cuts a line into pieces of at most n columns.
func wrap(g []glyph, n int) [][]glyph {
	var out [][]glyph
	from, col := 0, 0
	for i := range g {
		if col+g[i].width > n && i > from {
			out = append(out, g[from:i])
			from, col = i, 0
		}
		col += g[i].width
	}
	if from < len(g) {
		out = append(out, g[from:])
	}
	return out
}
