package plan

import (
	"sort"
	"strings"

	"github.com/emend-dev/emend/internal/text"
)

// view is a text as edits see it: every line end is LF, and there is no byte order mark.
type view struct {
	file *text.Lines
	body string   // the text without its mark
	text string   // the view
	from []uint32 // by line, where it begins in the view, and the end of the last; nil where the view is the body
}

func newView(file *text.Lines) *view {
	body := file.Raw(0, file.Len())
	v := &view{file: file, body: body, text: body}
	if !strings.Contains(body, text.CR) {
		return v
	}
	var b strings.Builder
	b.Grow(len(body))
	v.from = make([]uint32, 0, file.Len()+1)
	for i := range file.Len() {
		v.from = append(v.from, uint32(b.Len()))
		b.WriteString(file.Line(i))
		if file.End(i) != text.None {
			b.WriteString(text.LF)
		}
	}
	v.from, v.text = append(v.from, uint32(b.Len())), b.String()
	return v
}

// offset is the byte of the file that stands at byte i of the view.
func (v *view) offset(i int) uint32 {
	if v.from == nil {
		return v.after(i)
	}
	n := sort.Search(v.file.Len(), func(n int) bool { return int(v.from[n+1]) > i })
	return uint32(v.file.Offset(n) + i - int(v.from[n]))
}

// after is the byte of the file that stands at byte i of its body.
func (v *view) after(i int) uint32 { return uint32(v.file.Offset(0) + i) }

// lineAt is the line in which byte at of the file stands; the last one for the end of the file.
func lineAt(file *text.Lines, at int) int {
	n := sort.Search(file.Len(), func(n int) bool { return file.Offset(n+1) > at })
	return max(0, min(n, file.Len()-1))
}

// lineFrom is the first line that begins at byte at of the file or after it.
func lineFrom(file *text.Lines, at int) int {
	return sort.Search(file.Len(), func(n int) bool { return file.Offset(n) >= at })
}

// occurrences finds every place of old in hay and counts them, also those that overlap others. It returns at least
// the first most places if there are so many, and whether all of them are apart. Its time is linear in both.
func occurrences(hay, old string, most int) (at []int, total int, apart bool) {
	last := -len(old)
	for from := 0; ; {
		i := strings.Index(hay[from:], old)
		if i < 0 {
			return at, total, true
		}
		if i += from; i < last+len(old) {
			at, total = everywhere(hay, old, most)
			return at, total, false
		}
		if total++; len(at) < most {
			at = append(at, i)
		}
		last, from = i, i+1
	}
}

// everywhere is what occurrences does for a text that overlaps itself: Knuth, Morris and Pratt's search.
func everywhere(hay, old string, most int) (at []int, total int) {
	back := make([]int32, len(old))
	for i, k := 1, int32(0); i < len(old); i++ {
		for k > 0 && old[i] != old[k] {
			k = back[k-1]
		}
		if old[i] == old[k] {
			k++
		}
		back[i] = k
	}
	k := int32(0)
	for i := range len(hay) {
		for k > 0 && (int(k) == len(old) || hay[i] != old[k]) {
			k = back[k-1]
		}
		if hay[i] == old[k] {
			k++
		}
		if int(k) == len(old) {
			if total++; len(at) < most {
				at = append(at, i+1-len(old))
			}
		}
	}
	return at, total
}

// styler writes what replaces parts of a file, with the file's line ends.
type styler struct {
	file *text.Lines
	out  strings.Builder
}

// put writes what takes the place of g, up to next, which stays.
func (w *styler) put(s *sought, g region, next string) {
	if s.with != nil {
		w.join(s.with[g.nth])
		w.out.WriteString(s.with[g.nth])
	} else {
		w.write(s, g.span)
	}
	if !strings.HasSuffix(s.New, text.CR) { // else the caller has a say in it
		w.join(next)
	}
}

// join comes between what was written and what follows. Where a CR and a LF meet that are line ends of their own, the
// LF becomes a CRLF, or the two would read as one.
func (w *styler) join(next string) {
	if strings.HasPrefix(next, text.LF) && strings.HasSuffix(w.out.String(), text.CR) {
		w.out.WriteString(text.CR)
	}
}

// write writes New in the place of g.
func (w *styler) write(s *sought, g span) {
	if !strings.Contains(s.New, text.LF) {
		w.out.WriteString(s.New)
		return
	}
	ends, end := w.ends(s, g), w.before(int(g.from))
	k := 0
	for line := range strings.Lines(s.New) {
		line, closed := strings.CutSuffix(line, text.LF)
		if !closed {
			w.out.WriteString(line)
			continue
		}
		if k < len(ends) {
			end = ends[k]
		}
		w.line(line, end)
		k++
	}
}

// line writes a line and its end. A CR that the caller wrote before a newline makes a LF a CRLF; other line ends have
// it already.
func (w *styler) line(line, end string) {
	if end != text.LF {
		line = strings.TrimSuffix(line, text.CR)
	}
	if line == "" {
		w.join(end)
	}
	w.out.WriteString(line)
	w.out.WriteString(end)
}

// ends is the line ends in g that stand for the newlines of what was sought.
func (w *styler) ends(s *sought, g span) []string {
	var out []string
	for n := lineAt(w.file, int(g.from)); n < w.file.Len(); n++ {
		end := w.file.End(n)
		if at := w.file.Offset(n+1) - len(end); at >= int(g.to) || end == text.None {
			break
		} else if at >= int(g.from) && !(s.raw && end == text.CR) {
			out = append(out, end)
		}
	}
	return out
}

// before is the line end of the line before the one in which byte at stands. At the top it is that line's own, and
// LF in a file without any.
func (w *styler) before(at int) string {
	if w.file.Len() == 0 {
		return text.LF
	}
	end := w.file.End(max(0, lineAt(w.file, at)-1))
	if end == text.None {
		return text.LF
	}
	return end
}

// change says that bytes a0 up to a1 of the old text became b0 up to b1 of the new one.
type change struct{ a0, a1, b0, b1 int }

// lineEdits is the changes as lines, in order, with an unchanged line between any two. What lies between two changes is the same on both sides.
func lineEdits(before, after *text.Lines, changes []change) []Edit {
	var out []Edit
	for len(changes) > 0 {
		var e Edit
		e.A0, e.B0 = begin(before, after, changes[0])
		n := 0
		for {
			var ok bool
			if e.A1, e.B1, ok = end(before, after, changes[n], changes[n+1:]); ok {
				break
			}
			n++
		}
		for _, e := range between(before, after, e) {
			if k := len(out) - 1; k >= 0 && out[k].A1 == e.A0 && out[k].B1 == e.B0 {
				out[k].A1, out[k].B1 = e.A1, e.B1
			} else {
				out = append(out, e)
			}
		}
		changes = changes[n+1:]
	}
	return out
}

// begin is the line with which the change c begins on both sides.
func begin(before, after *text.Lines, c change) (a, b int) {
	for a = lineAt(before, c.a0); a > 0; a-- {
		at := before.Offset(a) - c.a0 + c.b0
		if b = lineFrom(after, at); after.Offset(b) == at {
			return a, b
		}
	}
	return 0, 0
}

// end is the line after the change c on both sides, unless the next change begins before that line does.
func end(before, after *text.Lines, c change, next []change) (a, b int, ok bool) {
	a = lineFrom(before, c.a1)
	for ; a < before.Len(); a++ {
		if len(next) > 0 && before.Offset(a) > next[0].a0 {
			return 0, 0, false
		}
		at := before.Offset(a) - c.a1 + c.b1
		if b = lineFrom(after, at); after.Offset(b) == at {
			return a, b, true
		}
	}
	return before.Len(), after.Len(), len(next) == 0
}
