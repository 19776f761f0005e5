package diff

import (
	"strings"

	"github.com/emend-dev/emend/internal/explain"
	"github.com/emend-dev/emend/internal/report"
)

// Row is one row of a page. In one column it has the line on the left only.
type Row struct {
	Kind        Kind
	Text        string // of a hunk or a note
	Old, New    int    // the line's numbers; 0 for none
	Left, Right Cell
}

// Class is the classes of the row: of a removed line beside the added one that it became, both.
func (r *Row) Class() string {
	if r.Left.Kind == Del && r.Right.Kind == Add {
		return "del add"
	}
	return r.Kind.String()
}

// Lone reports whether the row is no line of a file.
func (r *Row) Lone() bool { return r.Kind >= Hunk }

// maxPage is about how many bytes of a page the rows that are asked for at once may take.
const maxPage = 4 << 20

// Rows are n rows from row number from on, or fewer, if they are very long. Marks and colours are worked out for them alone.
func (f *File) Rows(from, n int, split bool) []Row {
	all := f.Len(split)
	from = min(max(from, 0), all)
	v := &view{f: f, left: side{kind: Del}, right: side{kind: Add}}
	out := make([]Row, 0, min(max(n, 0), all-from))
	for i, weight := from, 0; i < all && len(out) < n && weight < maxPage; i++ {
		r := v.row(i, split)
		out = append(out, r)
		weight += r.Left.weight() + r.Right.weight() + len(r.Text)
	}
	return out
}

// view makes rows, one after the other.
type view struct {
	f           *File
	left, right side
	known       run    // whose pairs these are
	pairs       []pair // of that run
}

func (v *view) row(i int, split bool) Row {
	p := pair{int32(i), int32(i), false}
	if split {
		p = v.f.layout()[i]
	}
	l := &v.f.lines[max(p.left, p.right)]
	if p.left >= 0 {
		l = &v.f.lines[p.left]
	}
	switch {
	case l.kind >= Hunk:
		return Row{Kind: l.kind, Text: short(l.text)}
	case split:
		return v.both(p)
	}
	return v.single(i)
}

// short is a line that is no file's.
func short(s string) string {
	if len(s) > Longest {
		s = strings.ToValidUTF8(s[:Longest], "") + " …"
	}
	return report.OneLine(s)
}

// single is a row in one column.
func (v *view) single(i int) Row {
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
	v.cell(&r.Left, s, i, marks)
	return r
}

// partner is the pair that line i is in.
func (v *view) partner(i int) pair {
	if i < v.known.at || i >= v.known.end {
		v.known = v.f.runAt(i)
		v.pairs = v.f.alike(v.known)
	}
	if r := v.known; r.mid-r.at > maxRun || r.end-r.mid > maxRun {
		if k := i - r.at; k < len(v.pairs) {
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

// both is a row side by side.
func (v *view) both(p pair) Row {
	var r Row
	var x, y []explain.Part
	if p.alike {
		x, y = v.marks(p)
	}
	if p.left >= 0 {
		l := &v.f.lines[p.left]
		r.Kind, r.Old = l.kind, int(l.old)
		v.cell(&r.Left, &v.left, int(p.left), x)
	}
	if p.right >= 0 {
		l := &v.f.lines[p.right]
		r.Kind, r.New = l.kind, int(l.new)
		v.cell(&r.Right, &v.right, int(p.right), y)
	}
	return r
}

func (v *view) marks(p pair) (x, y []explain.Part) {
	a, b := v.f.shown(int(p.left)), v.f.shown(int(p.right))
	if len(a) > Longest || len(b) > Longest {
		return nil, nil
	}
	return marked(a, b)
}

// shown is the text of a line as its row has it.
func (f *File) shown(i int) string {
	s := f.lines[i].text
	if f.CRLF {
		s = strings.TrimSuffix(s, "\r")
	}
	return s
}

func (v *view) cell(c *Cell, s *side, i int, marks []explain.Part) {
	l := &v.f.lines[i]
	c.Kind, c.Open = l.kind, l.open
	c.Number = int(l.new)
	if s.kind == Del {
		c.Number = int(l.old)
	}
	c.fill(v.f.shown(i), s.paint(v.f, i), marks)
}
