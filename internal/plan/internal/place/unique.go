package place

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/patch"
)

// placeUnique finds the only place of hunk k in the text that the earlier hunks left, leaves it pending if it has
// several, or refuses it.
func (p *Placement) placeUnique(k int) {
	h, s := &p.Hunks[k], &p.Spots[k]
	switch {
	case h.AtEnd || h.OldOpen || h.NewOpen:
		p.placeAtEnd(k)
	case p.additions(k):
		p.placeAdditions(k)
	default:
		if r, n := p.strictest(k); n == 1 && !p.aboveAnchor(k, r) {
			p.takeOnly(k, r)
		} else if n > 0 {
			s.pending, s.rung, s.others = true, r, n-1
			p.listPlaces(k)
		} else {
			s.Err = p.notFound(k)
		}
	}
}

// takeOnly gives hunk k the only place that it has on rung r.
func (p *Placement) takeOnly(k int, r patch.Rung) {
	x, s := p.indexWith(k, r), &p.Spots[k]
	for i, t := range p.forms[k] {
		if t.cut != s.form.cut || !t.fits(&p.Hunks[k], r) || x.Count(p.pattern(x, k, i)) == 0 {
			continue
		}
		s.form = t
		p.settle(k, r, x.OnlyPlace(p.pattern(x, k, i)), 1)
	}
	s.initialPlaces = x.initial[p.pattern(x, k, slices.Index(p.forms[k], s.form))].n
}

// placeAtEnd places a hunk that must end where the file ends.
func (p *Placement) placeAtEnd(k int) {
	h, s := &p.Hunks[k], &p.Spots[k]
	if h.OldOpen && !p.File.Open() {
		s.Err = p.newlineMismatch(k, "the hunk says that the file ends without a newline, but it ends with one")
		return
	}
	for _, t := range p.forms[k] {
		want := slices.Collect(t.wanted(&p.Hunks[k]))
		for _, r := range p.Rules.Ladder {
			if first, ok := match.EndsWith(p.doc, r, want); ok && t.fits(&p.Hunks[k], r) {
				s.form = t
				p.settle(k, r, first, 1)
				return
			}
		}
	}
	_, n := p.strictest(k)
	switch {
	case n == 0:
		s.Err = p.notFound(k)
	case h.AtEnd:
		s.Err = p.notFound(k)
		s.Err.Msg = fmt.Sprintf("the hunk must be at the end of the file, but its lines are elsewhere (%s)", refusal.Count(n, "place"))
	default:
		s.Err = p.newlineMismatch(k, "the hunk's last line must be the last line of the file, and its lines are elsewhere")
	}
}

// placeAdditions places a hunk that has no line to look for: after a unique anchor, or into an empty file.
func (p *Placement) placeAdditions(k int) {
	h, s := &p.Hunks[k], &p.Spots[k]
	if len(h.Anchors) == 0 {
		if p.doc.Next(match.Begin) == p.doc.End() {
			p.settleAdditions(k, patch.Exact, p.doc.End())
			return
		}
		msg := "the hunk only adds lines and does not say where: the file is not empty"
		if h.At > 0 {
			msg = fmt.Sprintf("the hunk only adds lines, and nothing shows that line %d of the file is still the one that they go above", h.At)
		}
		s.Err = &fail.Error{Kind: fail.MultipleMatches, Hunk: k + 1, Total: p.File.Len() + 1, Msg: msg,
			Hint: "Add the line above or below as a context line (with a space before it)."}
		return
	}
	a := p.anchors[k]
	switch {
	case a.Line < 0:
		s.Err = p.noAnchor(k)
	case a.Count > 1:
		s.Err = &fail.Error{Kind: fail.MultipleMatches, Hunk: k + 1, Total: a.Count, Places: p.linesHolding(h.Anchors, a),
			Msg:  fmt.Sprintf("%d lines contain the anchor %s, and the hunk only adds lines", a.Count, fail.Quote(h.Anchors[len(h.Anchors)-1])),
			Hint: "Add the line above or below as a context line, or stack a further \"@@ text\" line above that only one place has."}
	default:
		if p.doc.SlotOf(a.Line) != a.Line { // findOverlaps finds out which hunk took it
			s.anchorTaken, s.Err = true, p.overlap(k, 0, a.Line)
			return
		}
		p.settleAdditions(k, patch.Exact, p.doc.Next(a.Line))
	}
}

// listPlaces notes the places that hunk k has in the text now. Only the first such hunks walk the file for them; the
// others only count theirs.
func (p *Placement) listPlaces(k int) {
	if p.listings++; p.listings > refusal.MaxListed {
		return
	}
	s := &p.Spots[k]
	var out []fail.Place
	for _, t := range p.forms[k] {
		if t.cut == s.form.cut && t.fits(&p.Hunks[k], s.rung) {
			out = append(out, p.placesOf(k, t, s.rung)...)
		}
	}
	slices.SortFunc(out, func(a, b fail.Place) int { return a.First - b.First })
	p.pendingPlaces[k] = out[:min(len(out), fail.MaxPlaces)]
}

// placesOf returns the first places of hunk k in form t on rung r.
func (p *Placement) placesOf(k int, t form, r patch.Rung) []fail.Place {
	want := slices.Collect(t.wanted(&p.Hunks[k]))
	var out []fail.Place
	for first := range match.NewScanner(p.doc, r, want, false).Places(p.doc.Next(match.Begin), p.doc.End()) {
		n := len(want)
		if t.lead {
			first, n = p.doc.Next(first), n-1
		}
		from := p.doc.Origin(first) + 1
		out = append(out, fail.Place{First: from, Last: from + n - 1})
		if len(out) == fail.MaxPlaces {
			break
		}
	}
	return out
}
