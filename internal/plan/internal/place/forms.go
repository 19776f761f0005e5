package place

import (
	"iter"
	"slices"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// form is one way to look for a hunk: with all its lines, or without the last cut, which may be mere separators; and
// where an anchor adjoins the hunk, with the anchor's line in front or without it.
type form struct {
	cut  int
	lead bool // the anchor's line is looked for too, in front of the hunk's own
}

// asWritten lists the forms of most hunks.
var asWritten = []form{{}}

// formsOf lists the forms of h, the preferred one first.
func formsOf(h *patch.Hunk, r dialect.Rules) []form {
	cuts := []int{0}
	if h.Blank > 0 {
		cuts = append(cuts, h.Blank)
	}
	// Something has to be left to look for: a hunk of additions alone would go anywhere.
	if n := len(h.Lines); r.BlankFallback && h.Blank != 1 && n > 1 && h.Lines[n-1] == " " && slices.ContainsFunc(h.Lines[:n-1], patch.Line.Old) {
		cuts = append(cuts, 1)
	}
	if len(cuts) == 1 && (h.How != patch.Adjoin || len(h.Anchors) == 0) {
		return asWritten
	}
	var out []form
	for _, cut := range cuts {
		if h.How != patch.Adjoin || len(h.Anchors) == 0 {
			out = append(out, form{cut: cut})
			continue
		}
		out = append(out, form{cut: cut, lead: true})
		if slices.ContainsFunc(h.Lines[:len(h.Lines)-cut], patch.Line.Old) {
			out = append(out, form{cut: cut})
		}
	}
	return out
}

// of returns the lines of h in form f, without the anchor's.
func (f form) of(h *patch.Hunk) []patch.Line { return h.Lines[:len(h.Lines)-f.cut] }

// wanted lists the lines that must stand in the file for h to have a place in form f.
func (f form) wanted(h *patch.Hunk) iter.Seq[string] {
	return func(yield func(string) bool) {
		if f.lead && !yield(h.Anchors[0]) {
			return
		}
		for _, l := range f.of(h) {
			if l.Old() && !yield(l.Text()) {
				return
			}
		}
	}
}

// empty reports whether h has nothing to look for in form f.
func (f form) empty(h *patch.Hunk) bool {
	for range f.wanted(h) {
		return false
	}
	return true
}

// fits reports whether f is the form of h to look for on rung r. A hunk whose first line equals its adjoining anchor is
// looked for without the anchor, which finds it both on the anchor's line and below it. Any other is looked for below
// the anchor.
func (f form) fits(h *patch.Hunk, r patch.Rung) bool {
	if h.How != patch.Adjoin || len(h.Anchors) == 0 {
		return true
	}
	for line := range (form{cut: f.cut}).wanted(h) {
		return f.lead != match.Same(r, line, h.Anchors[0])
	}
	return f.lead
}
