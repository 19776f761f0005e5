package explain

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/internal/report"
)

// stacked writes a row in one line, or in two if the hunk and the file differ.
func (p *printer) stacked(r *Row) {
	mine, file := r.cells()
	switch r.Pairing {
	case Alone:
		p.stackedLine("", 0, r.Mark, mine, markColor(r.Mark))
	case Same:
		p.stackedLine("", r.Line, r.Mark, mine, markColor(r.Mark))
	case Near:
		p.stackedLine("", r.Line, ":", file, dim)
	case Comes:
		p.stackedLine("", 0, r.Mark, mine, green)
	case FileOnly:
		p.stackedLine("file", r.Line, "", file, "")
	case Differs:
		p.stackedLine("patch", 0, r.Mark, mine, "")
		p.stackedLine("file", r.Line, "", file, "")
	default:
		p.stackedLine("patch", 0, r.Mark, mine, "")
	}
	p.notes(r)
}

// gutter is the width of what precedes a line: indent, label, number and mark.
const gutter = 4 + 5 + 1 + 7 + 1 + 1 + 1

func (p *printer) stackedLine(label string, n int, mark string, in []Part, color string) {
	number := ""
	if n > 0 {
		number = fmt.Sprint(n)
	}
	g := glyphs(in)
	p.line(fmt.Sprintf("    %-5s %7s %s %s", label, number, p.paint(color, fmt.Sprintf("%-1s", mark)), p.cell(g, color)))
	p.carets(strings.Repeat(" ", gutter), g)
}

// notes words what differs in a row.
func (p *printer) notes(r *Row) {
	indent := strings.Repeat(" ", gutter)
	for _, d := range r.notes() {
		p.line(indent + p.paint(cyan, "("+report.OneLine(d)+")"))
	}
}

func (r *Row) notes() []string {
	switch r.Pairing {
	case Differs:
		return []string{"differs: " + strings.Join(r.Differs, "; ")}
	case FileOnly:
		return []string{"the patch leaves this line out"}
	case PatchOnly:
		if r.Mark == "-" {
			return []string{"the line to remove is not here"}
		}
		return []string{"this line is not here"}
	case Written:
		return []string{"an earlier hunk writes this line"}
	}
	return nil
}

func markColor(mark string) string {
	switch mark {
	case "-":
		return red
	case "+":
		return green
	}
	return ""
}

// cell returns a line in its colour, with differences in another.
func (p *printer) cell(g []glyph, color string) string {
	var b strings.Builder
	for i := 0; i < len(g); {
		j := i
		var run strings.Builder
		for ; j < len(g) && g[j].differs == g[i].differs; j++ {
			run.WriteString(g[j].text)
		}
		if g[i].differs {
			b.WriteString(p.paint(differs, run.String()))
		} else {
			b.WriteString(p.paint(color, run.String()))
		}
		i = j
	}
	return b.String()
}

// carets marks what differs in the line above, if there are no colours for it.
func (p *printer) carets(indent string, g []glyph) {
	if s := caretsOf(g); s != "" && !p.Color {
		p.line(indent + s)
	}
}

func caretsOf(g []glyph) string {
	var b strings.Builder
	any := false
	for i := range g {
		c := " "
		if g[i].differs {
			c, any = "^", true
		}
		b.WriteString(strings.Repeat(c, g[i].width))
	}
	if !any {
		return ""
	}
	return strings.TrimRight(b.String(), " ")
}
