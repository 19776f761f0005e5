package explain

// view writes a hunk beside a place as a table. The roles are written out: on a narrow screen the style turns the rows
// into blocks, which would remove them.
func (p *page) view(v *View) {
	title := v.placeWords()
	if title == "" {
		title = "where it applies"
	}
	p.raw("<table role=\"table\">\n<caption>")
	p.text(title)
	p.raw("</caption>\n<thead role=\"rowgroup\"><tr role=\"row\"><th role=\"columnheader\" scope=\"col\">Patch</th>",
		"<th role=\"columnheader\" scope=\"col\" class=\"number\">Line</th><th role=\"columnheader\" scope=\"col\">File</th></tr></thead>\n<tbody role=\"rowgroup\">\n")
	for i := range v.Rows {
		p.row(&v.Rows[i])
	}
	p.raw("</tbody>\n</table>\n")
}

func (p *page) row(r *Row) {
	if r.Pairing == Folded {
		p.note("folded", count(r.Lines, "line")+" the same")
		return
	}
	mine, file := r.cells()
	p.raw("<tr role=\"row\" class=\"", markup(r.Pairing), "\"><td role=\"cell\" class=\"mine\">")
	if before, after := signs(r.Mark); mine != nil {
		p.raw(before)
		p.cell(mine)
		p.raw(after)
	}
	p.raw("</td><td role=\"cell\" class=\"number\">")
	if r.Line > 0 {
		p.number(r.Line)
	}
	p.raw("</td><td role=\"cell\" class=\"file\">")
	if file != nil {
		p.cell(file)
	}
	p.raw("</td></tr>\n")
	for _, s := range r.notes() {
		p.note("said", s)
	}
}

// signs returns the markup around a line of the hunk, so that not only a colour says whether it is removed or added.
func signs(mark string) (before, after markup) {
	switch mark {
	case "-":
		return "<del><b>-</b>", "</del>"
	case "+":
		return "<ins><b>+</b>", "</ins>"
	}
	return "", ""
}

func (p *page) note(class markup, s string) {
	p.raw("<tr role=\"row\" class=\"", class, "\"><td role=\"cell\" colspan=\"3\">")
	p.line(s)
	p.raw("</td></tr>\n")
}

// cell writes a line with its differences marked.
func (p *page) cell(in []Part) {
	p.raw("<code>")
	for _, part := range shortened(in) {
		before, after := markup(""), markup("")
		if part.Differs {
			before, after = "<mark>", "</mark>"
		}
		p.between(before, part.Visible(), after)
	}
	p.raw("</code>")
}
