package place

import (
	"strings"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
)

// writer puts the lines of a Doc together again.
type writer struct {
	doc     *match.Doc
	file    *text.Lines
	last    match.Slot // the last line
	open    bool       // the last line gets no line end
	lineEnd string     // what the last line gets if it needs one
	out     strings.Builder
	digest  text.Digest // of out
	lines   int         // in out
	edits   []text.Change
	bytes   []text.Change // the same in bytes
}

func (w *writer) write() {
	edits := w.doc.Edits()
	w.edits, w.bytes = make([]text.Change, 0, len(edits)), make([]text.Change, 0, len(edits))
	w.out.Grow(w.size(edits))
	if w.file.HasBOM() {
		w.out.WriteString(text.BOM)
	}
	at := 0 // the next line of the file
	for _, e := range edits {
		w.copyLines(at, e.A0)
		from, begun := w.lines, w.out.Len()
		for s, n := e.New, e.N; n > 0; s, n = w.doc.Next(s), n-1 {
			w.writeLine(w.doc.Line(s), w.end(s))
		}
		w.addEdit(e, from, begun)
		at = e.A1
	}
	w.copyLines(at, w.file.Len())
}

func (w *writer) size(edits []match.Edit) int {
	n := len(text.BOM) + len(w.file.Raw(0, w.file.Len())) + len(text.CRLF)
	for _, e := range edits {
		for s, k := e.New, e.N; k > 0; s, k = w.doc.Next(s), k-1 {
			n += len(w.doc.Line(s)) + len(text.CRLF)
		}
	}
	return n
}

// writeLine writes a line. A line that a hunk wrote may contain a CR; then it counts as several.
func (w *writer) writeLine(line, end string) {
	w.out.WriteString(line)
	w.out.WriteString(end)
	switch {
	case strings.Contains(line, text.CR):
		w.lines += text.Split(text.BOM + line + end).Len() // a mark of its own is the line's
	case line != "" || end != text.None:
		w.lines++
	}
}

// copyLines writes lines i up to j of the file as they are, except for the line end of the first and of the last.
func (w *writer) copyLines(i, j int) {
	if i == j {
		return
	}
	w.copyLine(i)
	if i+1 == j {
		return
	}
	w.copyBytes(w.file.Raw(i+1, j-1))
	w.lines += j - 1 - (i + 1)
	w.copyLine(j - 1)
}

// copyBytes writes s in steps, so that the digest keeps up.
func (w *writer) copyBytes(s string) {
	for len(s) > text.DigestStep {
		w.out.WriteString(s[:text.DigestStep])
		s = s[text.DigestStep:]
		w.digest.Written(w.out.String())
	}
	w.out.WriteString(s)
	w.digest.Written(w.out.String())
}

func (w *writer) copyLine(i int) {
	from, begun, end := w.lines, w.out.Len(), w.end(i)
	w.writeLine(w.file.Line(i), end)
	if end != w.file.End(i) {
		w.appendEdit(text.Change{A0: i, A1: i + 1, B0: from, B1: w.lines}, begun, w.out.Len())
	}
}

// end returns the line end that s gets: its own, unless s is or becomes the last line. A LF that would read as one CRLF
// with the CR before it becomes a CRLF.
func (w *writer) end(s match.Slot) string {
	end := w.doc.LineEnd(s)
	switch {
	case s == w.last && w.open:
		return text.None
	case end == text.None:
		end = w.lineEnd
	}
	if end == text.LF && w.doc.Line(s) == "" {
		if prev := w.doc.Prev(s); prev != match.Begin && w.doc.LineEnd(prev) == text.CR {
			return text.CRLF
		}
	}
	return end
}

// addEdit records e, whose new lines begin at line from and byte begun, without the lines at its borders that are the
// same before and after.
func (w *writer) addEdit(e match.Edit, from, begun int) {
	a0, a1, b0, b1 := e.A0, e.A1, from, w.lines
	same := func(line int, s match.Slot) bool {
		return w.file.Line(line) == w.doc.Line(s) && w.file.End(line) == w.end(s)
	}
	s, n := e.New, e.N
	for a0 < a1 && n > 0 && same(a0, s) {
		a0, b0, s, n = a0+1, b0+1, w.doc.Next(s), n-1
	}
	if a0 < a1 && n > 0 {
		for range n - 1 {
			s = w.doc.Next(s)
		}
		for a0 < a1 && n > 0 && same(a1-1, s) {
			a1, b1, s, n = a1-1, b1-1, w.doc.Prev(s), n-1
		}
	}
	if a0 < a1 || b0 < b1 {
		size := func(i, j int) int { return w.file.Offset(j) - w.file.Offset(i) }
		w.appendEdit(text.Change{A0: a0, A1: a1, B0: b0, B1: b1}, begun+size(e.A0, a0), w.out.Len()-size(a1, e.A1))
	}
}

// appendEdit appends an edit whose new lines are the bytes from up to to. It joins it to the one before if the two
// touch.
func (w *writer) appendEdit(e text.Change, from, to int) {
	if n := len(w.edits); n > 0 && w.edits[n-1].A1 == e.A0 && w.edits[n-1].B1 == e.B0 {
		w.edits[n-1].A1, w.edits[n-1].B1 = e.A1, e.B1
		w.bytes[n-1].A1, w.bytes[n-1].B1 = w.file.Offset(e.A1), to
		return
	}
	w.edits = append(w.edits, e)
	w.bytes = append(w.bytes, text.Change{A0: w.file.Offset(e.A0), A1: w.file.Offset(e.A1), B0: from, B1: to})
}
