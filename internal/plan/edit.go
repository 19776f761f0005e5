package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// put makes hunk k's change in the text, if it was placed.
func (p *placer) put(k int) {
	s := &p.spots[k]
	if !s.placed {
		return
	}
	if by, line := p.rewrites(k); by >= 0 {
		s.placed, s.err = false, p.overlap(k, by, line)
		return
	}
	dent, ok := p.shift(k)
	if !ok {
		s.placed, s.err = false, p.crooked(k)
		return
	}
	if p.rules.Place == dialect.Ordered && s.rung > patch.Exact && (p.idle(k, dent) || p.idle(k, shift{}) || p.twice(k, dent)) {
		s.placed, s.err = false, p.notFound(k)
		return
	}
	s.put = true
	p.wrote = append(p.wrote, mark{p.doc.Fresh(), k})
	h := &p.hunks[k]
	lines := h.Lines[:len(h.Lines)-s.try.cut]
	at := s.first
	for len(lines) > 0 {
		if lines[0].Mark() == ' ' {
			at, lines = p.below(at), lines[1:]
			continue
		}
		n := slices.IndexFunc(lines, func(l patch.Line) bool { return l.Mark() == ' ' })
		if n < 0 {
			n = len(lines)
		}
		at = p.change(k, at, lines[:n], dent)
		lines = lines[n:]
	}
	if err := p.doc.Flush(); err != nil && p.limit == nil {
		p.limit = errLimit(err)
	}
}

// idle reports whether hunk k, shifted so, would leave every line as it is. One that matched loosely and would, as it was
// written or as it would be written, has been here before.
func (p *placer) idle(k int, dent shift) bool {
	at := p.spots[k].first
	var gone, come []string
	for _, l := range p.hunks[k].Lines[:len(p.hunks[k].Lines)-p.spots[k].try.cut] {
		switch l.Mark() {
		case '+':
			come = append(come, dent.apply(l.Text()))
			continue
		case '-':
			gone = append(gone, p.doc.Line(at))
		default:
			if !slices.Equal(gone, come) {
				return false
			}
			gone, come = gone[:0], come[:0]
		}
		at = p.doc.Next(at)
	}
	return slices.Equal(gone, come)
}

// twice reports whether what hunk k, which only adds, leaves behind stands at its place already: from its first line on, or
// up to its last. Its additions would be there twice.
func (p *placer) twice(k int, dent shift) bool {
	s := &p.spots[k]
	lines := p.hunks[k].Lines[:len(p.hunks[k].Lines)-s.try.cut]
	if slices.ContainsFunc(lines, func(l patch.Line) bool { return l.Mark() == '-' }) {
		return false
	}
	is := func(at match.Slot, l patch.Line) bool {
		want := l.Text()
		if l.Mark() == '+' {
			want = dent.apply(want)
		}
		return match.Same(s.rung, p.doc.Line(at), want)
	}
	at, last, down, up := s.first, match.Begin, true, true
	for _, l := range lines {
		if down = down && at != p.doc.End() && is(at, l); down {
			at = p.doc.Next(at)
		}
	}
	at = s.first
	for _, l := range lines {
		if l.Mark() == ' ' {
			last, at = at, p.doc.Next(at)
		}
	}
	for _, l := range slices.Backward(lines) {
		if up = up && last != match.Begin && is(last, l); up {
			last = p.doc.Prev(last)
		}
	}
	return down || up
}

// below is the slot after the context line at. Behind a cursor all places are in the file as it was: what earlier
// hunks added in front of the next line of the file comes before what this one adds there.
func (p *placer) below(at match.Slot) match.Slot {
	if p.rules.Place == dialect.Cursor {
		return p.doc.At(at + 1)
	}
	return p.doc.Next(at)
}

// change replaces the lines from at on that the run of hunk lines removes by those it adds, and returns the line
// after them. The i-th added line stands for the i-th removed one.
func (p *placer) change(k int, at match.Slot, lines []patch.Line, dent shift) match.Slot {
	d, prev, next := p.doc, p.doc.Prev(at), at
	n := 0
	for _, l := range lines {
		if l.Mark() == '-' {
			p.noteRemoved(next, k)
			next = d.Next(next)
			n++
		}
	}
	d.Remove(prev, n)
	old, end, last := at, text.None, prev
	for _, l := range lines {
		if l.Mark() != '+' {
			continue
		}
		if n > 0 {
			end, old, n = p.endOf(d.LineEnd(old), end, last), d.Next(old), n-1
		} else {
			end = p.endAfter(end, last, next)
		}
		line := dent.apply(l.Text())
		if end == text.CRLF || p.spots[k].rung > patch.Exact {
			line = strings.TrimSuffix(line, text.CR) // it is the CR of the line end
		}
		last = d.Insert(last, line, end)
	}
	return next
}

func (p *placer) noteRemoved(line, k int) {
	if n := len(p.removed); n > 0 && p.removed[n-1].to == line && p.removed[n-1].hunk == k {
		p.removed[n-1].to++
		return
	}
	p.removed = append(p.removed, run{line, line + 1, k})
}

// endOf is the line end of a line that replaces one with the given end. The open end of the file has none: the rule
// for the last newline comes later, and until then the line before says, which may be the added one before.
func (p *placer) endOf(replaced, before string, prev match.Slot) string {
	switch {
	case replaced != text.None:
		return replaced
	case before != text.None:
		return before
	}
	return p.style(prev)
}

// endAfter is the line end of any other added line: that of the line before it, or at the top of the one after.
func (p *placer) endAfter(before string, prev, next match.Slot) string {
	switch {
	case before != text.None:
		return before
	case prev == match.Begin && next != p.doc.End():
		return p.style(next)
	}
	return p.style(prev)
}

// style is the line end in use at s: its own, when it has none that of the line before it, and when there is none
// either the one that the file began with.
func (p *placer) style(s match.Slot) string {
	for ; s != match.Begin; s = p.doc.Prev(s) {
		if end := p.doc.LineEnd(s); end != text.None {
			return end
		}
	}
	if p.file.Len() > 0 && p.file.End(0) != text.None {
		return p.file.End(0)
	}
	return text.LF
}

// rewrites reports whether hunk k removes a line that an earlier hunk wrote: which hunk, and where.
func (p *placer) rewrites(k int) (by, line int) {
	s := &p.spots[k]
	at := s.first
	for _, l := range p.hunks[k].Lines[:len(p.hunks[k].Lines)-s.try.cut] {
		if !l.Old() {
			continue
		}
		if l.Mark() == '-' && p.doc.Inserted(at) {
			i, found := slices.BinarySearchFunc(p.wrote, at, func(m mark, s match.Slot) int { return m.slot - s })
			if !found {
				i--
			}
			return p.wrote[i].hunk, p.doc.Origin(at)
		}
		at = p.doc.Next(at)
	}
	return -1, 0
}

// review looks at all hunks together once each has had its turn: who took whose place, and whose removed lines
// interleave with whose.
func (p *placer) review() {
	slices.SortFunc(p.removed, func(a, b run) int { return a.from - b.from })
	for k := range p.spots {
		s := &p.spots[k]
		switch {
		case s.lost:
			s.err = p.overlap(k, p.remover(s.err.Line-1), s.err.Line-1)
		case s.err != nil && s.err.Reason == fail.ContextNotFound && s.err.Line == 0 && p.looksFor(k):
			p.blame(k)
		}
	}
	type reach struct{ hunk, last int }
	open := reach{-1, -1}
	last := make(map[int]int) // by hunk: its last removed line
	for _, r := range p.removed {
		last[r.hunk] = r.to - 1
	}
	for _, r := range p.removed {
		if open.hunk >= 0 && r.hunk != open.hunk && r.from <= open.last {
			k := max(r.hunk, open.hunk)
			p.spots[k].err = p.overlap(k, min(r.hunk, open.hunk), r.from)
			p.spots[k].err.Msg = fmt.Sprintf("its removed lines interleave with those of hunk %d (line %d)", min(r.hunk, open.hunk)+1, r.from+1)
		}
		if l := last[r.hunk]; l > open.last {
			open = reach{r.hunk, l}
		}
	}
}

// finish writes the after-image.
func (p *placer) finish() *placement {
	w := &writer{doc: p.doc, file: p.file, last: p.doc.Prev(p.doc.End()), open: p.open()}
	w.placed = p.placed()
	if w.last != match.Begin {
		w.style = p.style(w.last)
	}
	return w.write()
}

// placed says where every hunk is.
func (p *placer) placed() []Placed {
	out := make([]Placed, 0, len(p.spots))
	for _, s := range p.spots {
		out = append(out, Placed{Line: s.start + 1, Rung: s.rung, Others: s.others, Skipped: s.applied})
	}
	return out
}

// open says whether the file ends without a newline afterwards.
func (p *placer) open() bool {
	open := p.file.Open()
	for k := range p.hunks {
		if h := &p.hunks[k]; h.OldOpen || h.NewOpen {
			open = h.NewOpen
		}
	}
	return open && !p.rules.FinalNewline
}

// writer puts a Doc's lines together again.
type writer struct {
	doc    *match.Doc
	file   *text.Lines
	last   match.Slot // the last line
	open   bool       // it gets no line end
	style  string     // and this one if it needs one
	out    strings.Builder
	sum    summer // of out
	lines  int    // those in out
	edits  []Edit
	bytes  []Edit // the same in bytes
	placed []Placed
}

func (w *writer) write() *placement {
	edits := w.doc.Edits()
	w.edits, w.bytes = make([]Edit, 0, len(edits)), make([]Edit, 0, len(edits))
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
	return &placement{after: w.out.String(), sum: w.sum.end(w.out.String()), hunks: w.placed, edits: w.edits, bytes: w.bytes}
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
	for len(s) > enough {
		w.out.WriteString(s[:enough])
		s = s[enough:]
		w.sum.seen(w.out.String())
	}
	w.out.WriteString(s)
	w.sum.seen(w.out.String())
}

func (w *writer) keepOne(i int) {
	from, begun, end := w.lines, w.out.Len(), w.end(i)
	w.put(w.file.Line(i), end)
	if end != w.file.End(i) {
		w.change(Edit{i, i + 1, from, w.lines}, begun, w.out.Len())
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
		w.change(Edit{a0, a1, b0, b1}, begun+size(e.A0, a0), w.out.Len()-size(a1, e.A1))
	}
}

// change appends an edit, whose new lines are the bytes from up to to, joined to the one before when they touch.
func (w *writer) change(e Edit, from, to int) {
	if n := len(w.edits); n > 0 && w.edits[n-1].A1 == e.A0 && w.edits[n-1].B1 == e.B0 {
		w.edits[n-1].A1, w.edits[n-1].B1 = e.A1, e.B1
		w.bytes[n-1].A1, w.bytes[n-1].B1 = w.file.Offset(e.A1), to
		return
	}
	w.edits = append(w.edits, e)
	w.bytes = append(w.bytes, Edit{w.file.Offset(e.A0), w.file.Offset(e.A1), from, to})
}
