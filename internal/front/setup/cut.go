package setup

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/tailscale/hujson"
)

// cut puts a text in the place of the bytes from..to.
type cut struct {
	from, to int
	with     string
}

// insert adds a part after the last one of v, laid out as those that are there.
func (t *tree) insert(v *hujson.Value, render func(indent, unit string) string) {
	ps := parts(v)
	if len(ps) > 0 && !bytes.Contains(t.text[v.StartOffset:v.EndOffset], []byte("\n")) {
		t.insertInline(ps[len(ps)-1], render("", ""))
		return
	}
	indent, comma := t.indent(v.StartOffset)+t.unit, ""
	if n := len(ps); n > 0 {
		last := ps[n-1]
		if t.leads(last.start) {
			indent = t.indent(last.start)
		}
		if comma = ","; last.comma < 0 {
			comma = ""
			t.cut(last.end, last.end, ",")
		}
	}
	// Behind what is the last thing before the brace, be it a comment.
	brace := v.EndOffset - 1
	at := len(bytes.TrimRight(t.text[:brace], " \t\r\n"))
	with := t.newline + indent + render(indent, t.unit) + comma
	if !bytes.Contains(t.text[at:brace], []byte("\n")) {
		with += t.newline + t.indent(v.StartOffset)
	}
	t.cut(at, at, with)
}

// insertInline adds a part behind the last one of a list that is written in one line.
func (t *tree) insertInline(last part, text string) {
	if last.comma >= 0 {
		t.cut(last.comma+1, last.comma+1, " "+text+",")
		return
	}
	t.cut(last.end, last.end, ", "+text)
}

// remove takes the i-th part out of v, with its comma and the blanks before it.
func (t *tree) remove(v *hujson.Value, i int) {
	ps := parts(v)
	p := ps[i]
	switch {
	case p.comma >= 0 && blank(t.text[p.end:p.comma]):
		t.cut(t.lead(p.start, p.comma+1), p.comma+1, "")
	case p.comma >= 0: // a comment stands before the comma, and stays
		t.cut(p.start, p.end, "")
		t.cut(p.comma, p.comma+1, "")
	case i > 0:
		comma := ps[i-1].comma
		t.cut(comma, comma+1, "")
		t.cut(max(t.lead(p.start, p.end), comma+1), p.end, "")
	case blank(t.text[v.StartOffset+1:p.start]) && blank(t.text[p.end:v.EndOffset-1]):
		t.cut(v.StartOffset+1, v.EndOffset-1, "")
	default:
		t.cut(t.lead(p.start, p.end), p.end, "")
	}
}

// lead is where the blanks begin that go with a part from start to end. When something follows it in its line, the line
// stays: a comment above must not run on into that.
func (t *tree) lead(start, end int) int {
	from := len(bytes.TrimRight(t.text[:start], " \t\r\n"))
	rest, _, _ := bytes.Cut(t.text[end:], []byte("\n"))
	if bytes.Contains(t.text[from:start], []byte("\n")) && !blank(rest) {
		return start
	}
	return from
}

func (t *tree) cut(from, to int, with string) { t.cuts = append(t.cuts, cut{from, to, with}) }

// spliced is the text with the cuts made.
func (t *tree) spliced() []byte {
	slices.SortStableFunc(t.cuts, func(a, b cut) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	at := 0
	for _, c := range t.cuts {
		out = append(append(out, t.text[at:c.from]...), c.with...)
		at = c.to
	}
	return append(out, t.text[at:]...)
}
