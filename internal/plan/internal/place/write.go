package place

import (
	"strings"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
)

// writer puts a Doc's lines together again.
type writer struct {
	doc    *match.Doc
	file   *text.Lines
	last   match.Slot // the last line
	open   bool       // it gets no line end
	style  string     // and this one if it needs one
	out    strings.Builder
	digest text.Digest // of out
	lines  int         // those in out
	edits  []text.Change
	bytes  []text.Change // the same in bytes
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
		w.keep(at, e.A0)
		from, begun := w.lines, w.out.Len()
		for s, n := e.New, e.N; n > 0; s, n = w.doc.Next(s), n-1 {
			w.put(w.doc.Line(s), w.end(s))
		}
		w.note(e, from, begun)
		at = e.A1
	}
	w.keep(at, w.file.Len())
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

// put writes a line. One that a hunk wrote may have a CR inside: then it is several.
func (w *writer) put(line, end string) {
	w.out.WriteString(line)
	w.out.WriteString(end)
	switch {
	case strings.Contains(line, text.CR):
		w.lines += text.Split(text.BOM + line + end).Len() // a mark of its own is the line's
	case line != "" || end != text.None:
		w.lines++
	}
}

// keep writes lines i up to j of the file as they are, but for the line end of the first and of the last.
func (w *writer) keep(i, j int) {
	if i == j {
		return
	}
	w.keepOne(i)
	if i+1 == j {
		return
	}
	w.copy(w.file.Raw(i+1, j-1))
	w.lines += j - 1 - (i + 1)
	w.keepOne(j - 1)
}

// copy writes so much at a time that the sum keeps up.
func (w *writer) copy(s string) {
	for len(s) > text.DigestStep {
		w.out.WriteString(s[:text.DigestStep])
		s = s[text.DigestStep:]
		w.digest.Written(w.out.String())
	}
	w.out.WriteString(s)
	w.digest.Written(w.out.String())
}

func (w *writer) keepOne(i int) {
	from, begun, end := w.lines, w.out.Len(), w.end(i)
	w.put(w.file.Line(i), end)
	if end != w.file.End(i) {
		w.change(text.Change{A0: i, A1: i + 1, B0: from, B1: w.lines}, begun, w.out.Len())
	}
}

// end is the line end that s gets: its own, unless that is or becomes the last one. A LF that would be read as one
// with the CR of the line before becomes a CRLF.
func (w *writer) end(s match.Slot) string {
	end := w.doc.LineEnd(s)
	switch {
	case s == w.last && w.open:
		return text.None
	case end == text.None:
		end = w.style
	}
	if end == text.LF && w.doc.Line(s) == "" {
		if prev := w.doc.Prev(s); prev != match.Begin && w.doc.LineEnd(prev) == text.CR {
			return text.CRLF
		}
	}
	return end
}

// note records e, whose new lines begin at line from and byte begun, without the lines at its borders that came back
// as they were.
func (w *writer) note(e match.Edit, from, begun int) {
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
		w.change(text.Change{A0: a0, A1: a1, B0: b0, B1: b1}, begun+size(e.A0, a0), w.out.Len()-size(a1, e.A1))
	}
}

// change appends an edit, whose new lines are the bytes from up to to, joined to the one before when they touch.
func (w *writer) change(e text.Change, from, to int) {
	if n := len(w.edits); n > 0 && w.edits[n-1].A1 == e.A0 && w.edits[n-1].B1 == e.B0 {
		w.edits[n-1].A1, w.edits[n-1].B1 = e.A1, e.B1
		w.bytes[n-1].A1, w.bytes[n-1].B1 = w.file.Offset(e.A1), to
		return
	}
	w.edits = append(w.edits, e)
	w.bytes = append(w.bytes, text.Change{A0: w.file.Offset(e.A0), A1: w.file.Offset(e.A1), B0: from, B1: to})
}
