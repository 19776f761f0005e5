package setup

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/tailscale/hujson"
)

// splice replaces the bytes from..to.
type splice struct {
	from, to int
	with     string
}

// insertPart adds a part after the last one of v, in the layout of the others.
func (d *jsonDoc) insertPart(v *hujson.Value, render func(indent, unit string) string) {
	ps := parts(v)
	if len(ps) > 0 && !bytes.Contains(d.text[v.StartOffset:v.EndOffset], []byte("\n")) {
		d.insertInline(ps[len(ps)-1], render("", ""))
		return
	}
	indent, comma := d.lineIndent(v.StartOffset)+d.unit, ""
	if n := len(ps); n > 0 {
		last := ps[n-1]
		if d.startsLine(last.start) {
			indent = d.lineIndent(last.start)
		}
		if comma = ","; last.comma < 0 {
			comma = ""
			d.splice(last.end, last.end, ",")
		}
	}
	// Insert after whatever is last before the brace, even a comment.
	brace := v.EndOffset - 1
	at := len(bytes.TrimRight(d.text[:brace], " \t\r\n"))
	with := d.newline + indent + render(indent, d.unit) + comma
	if !bytes.Contains(d.text[at:brace], []byte("\n")) {
		with += d.newline + d.lineIndent(v.StartOffset)
	}
	d.splice(at, at, with)
}

// insertInline adds a part to a list or an object that is written on one line.
func (d *jsonDoc) insertInline(last part, text string) {
	if last.comma >= 0 {
		d.splice(last.comma+1, last.comma+1, " "+text+",")
		return
	}
	d.splice(last.end, last.end, ", "+text)
}

// removePart removes the i-th part of v, with its comma and the blanks before it.
func (d *jsonDoc) removePart(v *hujson.Value, i int) {
	ps := parts(v)
	p := ps[i]
	switch {
	case p.comma >= 0 && blank(d.text[p.end:p.comma]):
		d.splice(d.blanksBefore(p.start, p.comma+1), p.comma+1, "")
	case p.comma >= 0: // a comment before the comma stays
		d.splice(p.start, p.end, "")
		d.splice(p.comma, p.comma+1, "")
	case i > 0:
		comma := ps[i-1].comma
		d.splice(comma, comma+1, "")
		d.splice(max(d.blanksBefore(p.start, p.end), comma+1), p.end, "")
	case blank(d.text[v.StartOffset+1:p.start]) && blank(d.text[p.end:v.EndOffset-1]):
		d.splice(v.StartOffset+1, v.EndOffset-1, "")
	default:
		d.splice(d.blanksBefore(p.start, p.end), p.end, "")
	}
}

// blanksBefore returns where the blanks begin that are removed together with a part. If something follows the part on
// its line, the line break stays, as a comment above would otherwise swallow what follows.
func (d *jsonDoc) blanksBefore(start, end int) int {
	from := len(bytes.TrimRight(d.text[:start], " \t\r\n"))
	rest, _, _ := bytes.Cut(d.text[end:], []byte("\n"))
	if bytes.Contains(d.text[from:start], []byte("\n")) && !blank(rest) {
		return start
	}
	return from
}

func (d *jsonDoc) splice(from, to int, with string) {
	d.splices = append(d.splices, splice{from, to, with})
}

// spliced returns the text with the splices applied.
func (d *jsonDoc) spliced() []byte {
	slices.SortStableFunc(d.splices, func(a, b splice) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	at := 0
	for _, c := range d.splices {
		out = append(append(out, d.text[at:c.from]...), c.with...)
		at = c.to
	}
	return append(out, d.text[at:]...)
}
