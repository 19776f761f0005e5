package text

import "strings"

// Style names the line ends of data: lf, crlf, cr, mixed, or none if it has none.
func Style(data string) string {
	crlf := strings.Count(data, CRLF)
	lf, cr := strings.Count(data, LF)-crlf, strings.Count(data, CR)-crlf
	switch {
	case lf+cr+crlf == 0:
		return "none"
	case lf+cr == 0:
		return "crlf"
	case lf+crlf == 0:
		return "cr"
	case cr+crlf == 0:
		return "lf"
	}
	return "mixed"
}

// Restyle returns content with the byte order mark and the line ends of like, the text that it replaces. It changes
// nothing else in a line, and not whether the last one has a line end.
//
// Content that has a CR of its own keeps its line ends. If all ends of like are the same, content gets them. If they are
// mixed, a line that like has as well (by the shortest diff between the two) keeps the end that it has there; any other
// takes that of the line before it, and at the top that of like's first line.
func Restyle(content, like string) string {
	mark := ""
	if strings.HasPrefix(like, BOM) || strings.HasPrefix(content, BOM) {
		mark = BOM
	}
	content = strings.TrimPrefix(content, BOM)
	if strings.Contains(content, CR) {
		return mark + content
	}
	switch Style(like) {
	case "crlf":
		content = strings.ReplaceAll(content, LF, CRLF)
	case "cr":
		content = strings.ReplaceAll(content, LF, CR)
	case "mixed":
		content = mixLineEnds(Split(BOM+content), Split(like)) // a second mark is the content's own
	}
	return mark + content
}

// mixLineEnds returns now with the line ends that its lines have in was.
func mixLineEnds(now, was *Lines) string {
	var b strings.Builder
	b.Grow(len(now.data) + now.Len())
	end := was.End(0)
	line := func(i, twin int) {
		if twin >= 0 && was.End(twin) != None {
			own := was.End(twin)
			if end != CR || own != LF || i == 0 || now.Line(i) != "" { // else the two would become one CRLF
				end = own
			}
		}
		b.WriteString(now.Line(i))
		if now.End(i) != None {
			b.WriteString(end)
		}
	}
	i, twin := 0, 0
	for _, c := range append(Diff(was.Strings(0, was.Len()), now.Strings(0, now.Len())), Change{was.Len(), was.Len(), now.Len(), now.Len()}) {
		for ; i < c.B0; i, twin = i+1, twin+1 {
			line(i, twin)
		}
		for ; i < c.B1; i++ {
			line(i, -1)
		}
		twin = c.A1
	}
	return b.String()
}
