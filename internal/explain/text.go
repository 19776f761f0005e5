package explain

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/emend-dev/emend/internal/report"
)

// Layout is how a text is laid out. The zero value is for a pipe: no colours, and nothing depends on a width.
type Layout struct {
	Width int  // of the terminal, in columns; 0 when there is none
	Color bool // colours tell what differs; without them a line of carets below does
}

// sideBySideWidth is how many columns it takes to show the hunk and the file side by side.
const sideBySideWidth = 100

// The colours of a terminal.
const (
	reset   = "\x1b[m"
	bold    = "\x1b[1m"
	dim     = "\x1b[2m"
	red     = "\x1b[31m"
	green   = "\x1b[32m"
	cyan    = "\x1b[36m"
	differs = "\x1b[1;4;33m" // underlined as well, for those who cannot see the colour
)

// WriteText writes the explanation for a person to read.
func (e *Explanation) WriteText(w io.Writer, l Layout) error {
	p := &printer{Writer: bufio.NewWriterSize(w, 64<<10), Layout: l}
	p.line(p.paint(bold, report.OneLine(e.Says)))
	if e.Dialect != "" {
		p.line("dialect: " + e.Dialect)
	}
	for _, n := range e.Passed {
		p.line("passed: " + report.OneLine(n))
	}
	for _, n := range e.Notes {
		p.line("note: " + report.OneLine(n))
	}
	for i := range e.Unread {
		p.excerpt(&e.Unread[i])
	}
	for i := range e.Files {
		p.file(&e.Files[i])
	}
	return p.Flush()
}

// printer writes lines; its first error comes back from Flush.
type printer struct {
	*bufio.Writer
	Layout
}

func (p *printer) line(s string) {
	p.WriteString(strings.TrimRight(s, " ")) //nolint:errcheck // Flush returns it
	p.WriteByte('\n')                        //nolint:errcheck // Flush returns it
}

func (p *printer) paint(color, s string) string {
	if !p.Color || color == "" || s == "" {
		return s
	}
	return color + s + reset
}

func (p *printer) excerpt(x *Excerpt) {
	p.line("")
	p.line(p.paint(red, x.words()))
	for i, l := range x.Lines {
		g := glyphs([]Part{{l, false}})
		if x.First+i != x.Line {
			p.line(fmt.Sprintf("  %7d  %s", x.First+i, p.cell(g, dim)))
			continue
		}
		for i := range g {
			g[i].differs = strings.TrimSpace(l) == "" || i >= len(l)-len(strings.TrimLeft(l, " \t"))
		}
		p.line(fmt.Sprintf("  %7d  %s", x.First+i, p.cell(g, "")))
		p.carets(strings.Repeat(" ", 11), g)
	}
	p.next("  ", x.Next)
}

func (p *printer) next(indent, hint string) {
	if hint != "" {
		p.line(indent + "next: " + report.Escape(strings.ReplaceAll(hint, "\n", "\n"+indent+"  ")))
	}
}

func (p *printer) file(f *File) {
	p.line("")
	color := green
	if f.Verdict == Refused {
		color = red
	}
	head, rest, _ := strings.Cut(f.words(), ": ")
	p.line(p.paint(bold, head) + ": " + p.paint(color, rest))
	p.next("  ", f.Next)
	for i := range f.Hunks {
		p.hunk(&f.Hunks[i])
	}
}

func (p *printer) hunk(h *Hunk) {
	p.line("")
	color := green
	if h.Verdict != Lands {
		color = red
	}
	head, rest, _ := strings.Cut(h.words(), ": ")
	p.line("  " + p.paint(bold, head) + ": " + p.paint(color, rest))
	if len(h.Places) > 0 {
		p.line("    places: " + h.placeList())
	}
	for i := range h.Views {
		p.view(&h.Views[i])
	}
	if more := h.Total - len(h.Views); h.Verdict == Ambiguous && len(h.Places) > 0 && more > 0 {
		p.line(fmt.Sprintf("    (%s more, not shown)", count(more, "place")))
	}
	p.next("    ", h.Next)
	if h.Corrected != "" {
		p.line("    this hunk would apply:")
		for l := range strings.Lines(h.Corrected) {
			p.line("      " + p.paint(cyan, report.Escape(strings.TrimSuffix(l, "\n")))) // tabs as tabs: it may be copied
		}
	}
}

// placeList lists the places of a hunk.
func (h *Hunk) placeList() string {
	const most = 20
	var b strings.Builder
	for i, at := range h.Places[:min(len(h.Places), most)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "line %d", at.First)
	}
	if more := h.Total - min(len(h.Places), most); more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

func (p *printer) view(v *View) {
	if v.Title != "" {
		p.line("    " + v.placeWords())
	}
	for i := range v.Rows {
		r := &v.Rows[i]
		switch {
		case r.Pairing == Folded:
			p.line(p.paint(dim, fmt.Sprintf("    %s the same", count(r.Lines, "line"))))
		case p.Width >= sideBySideWidth:
			p.sideBySide(r)
		default:
			p.stacked(r)
		}
	}
}
