package place

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/patch"
)

// seek finds hunk k's only place in the text that the earlier hunks left, or says what is wrong.
func (p *Placement) seek(k int) {
	h, s := &p.Hunks[k], &p.Spots[k]
	switch {
	case h.AtEnd || h.OldOpen || h.NewOpen:
		p.seekEnd(k)
	case p.additions(k):
		p.seekGap(k)
	default:
		if r, n := p.strictest(k); n == 1 && !p.strays(k, r) {
			p.found(k, r)
		} else if n > 0 {
			s.pending, s.rung, s.others = true, r, n-1
			p.list(k)
		} else {
			s.Err = p.notFound(k)
		}
	}
}

// found puts down hunk k's only place.
func (p *Placement) found(k int, r patch.Rung) {
	x, s := p.index(k, r), &p.Spots[k]
	for i, t := range p.forms[k] {
		if t.cut != s.form.cut || !t.fits(&p.Hunks[k], r) || x.Count(p.pattern(x, k, i)) == 0 {
			continue
		}
		s.form = t
		p.at(k, r, x.Only(p.pattern(x, k, i)), 1)
	}
	s.begun = x.begun[p.pattern(x, k, slices.Index(p.forms[k], s.form))].n
}

// seekEnd looks for a hunk that must end where the file ends.
func (p *Placement) seekEnd(k int) {
	h, s := &p.Hunks[k], &p.Spots[k]
	if h.OldOpen && !p.File.Open() {
		s.Err = p.openMismatch(k, "the hunk says that the file ends without a newline, but it ends with one")
		return
	}
	for _, t := range p.forms[k] {
		want := slices.Collect(t.wanted(&p.Hunks[k]))
		for _, r := range p.Rules.Ladder {
			if first, ok := match.EndsWith(p.doc, r, want); ok && t.fits(&p.Hunks[k], r) {
				s.form = t
				p.at(k, r, first, 1)
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
		s.Err = p.openMismatch(k, "the hunk's last line must be the last line of the file, and its lines are elsewhere")
	}
}

// seekGap finds where lines go that come with no line to look for: after a unique anchor, or into an empty file.
func (p *Placement) seekGap(k int) {
	h, s := &p.Hunks[k], &p.Spots[k]
	if len(h.Anchors) == 0 {
		if p.doc.Next(match.Begin) == p.doc.End() {
			p.gap(k, patch.Exact, p.doc.End())
			return
		}
		s.Err = &fail.Error{Kind: fail.MultipleMatches, Hunk: k + 1, Total: p.File.Len() + 1,
			Msg:  "the hunk only adds lines and does not say where: the file is not empty",
			Hint: "Add the line above or below as a context line (with a space before it)."}
		return
	}
	a := p.anchors[k]
	switch {
	case a.Line < 0:
		s.Err = p.noAnchor(k)
	case a.Count > 1:
		s.Err = &fail.Error{Kind: fail.MultipleMatches, Hunk: k + 1, Total: a.Count, Places: p.holding(h.Anchors, a),
			Msg:  fmt.Sprintf("%d lines contain the anchor %s, and the hunk only adds lines", a.Count, fail.Quote(h.Anchors[len(h.Anchors)-1])),
			Hint: "Add the line above or below as a context line, or stack a further \"@@ text\" line above that only one place has."}
	default:
		first := match.Slot(a.Line)
		if p.doc.At(a.Line) != a.Line { // review finds out who took it
			s.lost, s.Err = true, p.overlap(k, 0, a.Line)
			return
		}
		p.gap(k, patch.Exact, p.behind(first))
	}
}

// list notes the places of a hunk that has several, as the text is now. Only the first such hunks walk the file for
// theirs: the others count them.
func (p *Placement) list(k int) {
	if p.listed++; p.listed > refusal.MaxListed {
		return
	}
	s := &p.Spots[k]
	var out []fail.Place
	for _, t := range p.forms[k] {
		if t.cut == s.form.cut && t.fits(&p.Hunks[k], s.rung) {
			out = append(out, p.all(k, t, s.rung)...)
		}
	}
	slices.SortFunc(out, func(a, b fail.Place) int { return a.First - b.First })
	p.places[k] = out[:min(len(out), fail.MaxPlaces)]
}

// all is the first places of hunk k in form t on rung r.
func (p *Placement) all(k int, t form, r patch.Rung) []fail.Place {
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
