package diff

import (
	"strings"

	"github.com/emend-dev/emend/internal/explain"
	"github.com/emend-dev/emend/internal/report"
)

// Row is one row of a page. In the unified view its line is in Left.
type Row struct {
	Kind        Kind
	Text        string // of a Hunk or a Note
	Old, New    int    // line numbers; 0 for none
	Hunk        int    // of a Hunk: its number in the file, from 1
	Left, Right Cell
}

// Class returns the CSS classes of the row. A removed line beside the added line that it became has both.
func (r *Row) Class() string {
	if r.Left.Kind == Del && r.Right.Kind == Add {
		return "del add"
	}
	return r.Kind.String()
}

// FullWidth reports whether the row is a Hunk or a Note, which has one cell over all columns.
func (r *Row) FullWidth() bool { return r.Kind >= Hunk }

// maxPageBytes is about how many bytes of HTML one call of Rows may make.
const maxPageBytes = 4 << 20

// Rows returns n rows from the given one on, or fewer if they are very long. It marks and colours only these.
func (f *File) Rows(from, n int, split bool) []Row {
	all := f.Len(split)
	from = min(max(from, 0), all)
	v := &rowMaker{f: f, left: sidePainter{kind: Del}, right: sidePainter{kind: Add}}
	out := make([]Row, 0, min(max(n, 0), all-from))
	for i, weight := from, 0; i < all && len(out) < n && weight < maxPageBytes; i++ {
		r := v.row(i, split)
		out = append(out, r)
		weight += r.Left.pageBytes() + r.Right.pageBytes() + len(r.Text)
	}
	return out
}

// rowMaker makes rows in order, and keeps the pairs of the last run for the next row.
type rowMaker struct {
	f           *File
	left, right sidePainter
	run         run
	pairs       []pair // of run
}

func (v *rowMaker) row(i int, split bool) Row {
	p := pair{int32(i), int32(i), false}
	if split {
		p = v.f.layoutSplit()[i]
	}
	l := &v.f.lines[max(p.left, p.right)]
	if p.left >= 0 {
		l = &v.f.lines[p.left]
	}
	switch {
	case l.kind >= Hunk:
		return Row{Kind: l.kind, Text: noteText(l.text), Hunk: int(l.old)}
	case split:
		return v.splitRow(p)
	}
	return v.unifiedRow(i)
}

// noteText returns a Hunk or a Note as it is shown.
func noteText(s string) string {
	if len(s) > MaxLineBytes {
		s = strings.ToValidUTF8(s[:MaxLineBytes], "") + " …"
	}
	return report.OneLine(s)
}

// unifiedRow makes a row of one column.
func (v *rowMaker) unifiedRow(i int) Row {
	l := &v.f.lines[i]
	r := Row{Kind: l.kind, Old: int(l.old), New: int(l.new)}
	var marks []explain.Part
	if l.kind != Same {
		if p := v.partner(i); p.alike {
			x, y := v.marks(p)
			marks = x
			if l.kind == Add {
				marks = y
			}
		}
	}
	s := &v.right
	if l.kind == Del {
		s = &v.left
	}
	v.fillCell(&r.Left, s, i, marks)
	return r
}

// partner returns the pair of line i.
func (v *rowMaker) partner(i int) pair {
	if i < v.run.start || i >= v.run.end {
		v.run = v.f.runAt(i)
		v.pairs = v.f.bestPairs(v.run)
	}
	if r := v.run; r.mid-r.start > maxRun || r.end-r.mid > maxRun {
		if k := i - r.start; k < len(v.pairs) {
			return v.pairs[k]
		}
		if k := i - r.mid; k >= 0 && k < len(v.pairs) {
			return v.pairs[k]
		}
		return pair{}
	}
	for _, p := range v.pairs {
		if int(p.left) == i || int(p.right) == i {
			return p
		}
	}
	return pair{}
}

// splitRow makes a row of two columns.
func (v *rowMaker) splitRow(p pair) Row {
	var r Row
	var x, y []explain.Part
	if p.alike {
		x, y = v.marks(p)
	}
	if p.left >= 0 {
		l := &v.f.lines[p.left]
		r.Kind, r.Old = l.kind, int(l.old)
		v.fillCell(&r.Left, &v.left, int(p.left), x)
	}
	if p.right >= 0 {
		l := &v.f.lines[p.right]
		r.Kind, r.New = l.kind, int(l.new)
		v.fillCell(&r.Right, &v.right, int(p.right), y)
	}
	return r
}

func (v *rowMaker) marks(p pair) (x, y []explain.Part) {
	a, b := v.f.text(int(p.left)), v.f.text(int(p.right))
	if len(a) > MaxLineBytes || len(b) > MaxLineBytes {
		return nil, nil
	}
	return markWords(a, b)
}

// text returns line i as it is shown.
func (f *File) text(i int) string {
	s := f.lines[i].text
	if f.CRLF {
		s = strings.TrimSuffix(s, "\r")
	}
	return s
}

func (v *rowMaker) fillCell(c *Cell, s *sidePainter, i int, marks []explain.Part) {
	l := &v.f.lines[i]
	c.Kind, c.NoNewline = l.kind, l.noNewline
	c.Number = int(l.new)
	if s.kind == Del {
		c.Number = int(l.old)
	}
	c.fill(v.f.text(i), s.paint(v.f, i), marks)
}
