package plan

import (
	"fmt"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// gap puts down a hunk that only adds lines, before the slot first.
func (p *placer) gap(k int, r patch.Rung, first match.Slot) {
	p.spots[k].try = p.tries[k][0]
	p.at(k, r, first, 1)
}

// behind is where lines go that are to follow s: in front of the next line, and after what earlier hunks put there.
func (p *placer) behind(s match.Slot) match.Slot {
	if next := s + 1; !p.doc.Inserted(s) && (next == p.doc.End() || !p.doc.Gone(next)) {
		return next
	}
	return p.doc.Next(s)
}

// seekGap finds where lines go that come with no line to look for: after a unique anchor, or into an empty file.
func (p *placer) seekGap(k int) {
	h, s := &p.hunks[k], &p.spots[k]
	if len(h.Anchors) == 0 {
		if p.doc.Next(match.Begin) == p.doc.End() {
			p.gap(k, patch.Exact, p.doc.End())
			return
		}
		s.err = &fail.Error{Kind: fail.MultipleMatches, Hunk: k + 1, Total: p.file.Len() + 1,
			Msg:  "the hunk only adds lines and does not say where: the file is not empty",
			Hint: "Add the line above or below as a context line (with a space before it)."}
		return
	}
	a := p.anchors[k]
	switch {
	case a.Line < 0:
		s.err = p.noAnchor(k)
	case a.Count > 1:
		s.err = &fail.Error{Kind: fail.MultipleMatches, Hunk: k + 1, Total: a.Count, Places: p.holding(h.Anchors, a),
			Msg:  fmt.Sprintf("%d lines contain the anchor %s, and the hunk only adds lines", a.Count, fail.Quote(h.Anchors[len(h.Anchors)-1])),
			Hint: "Add the line above or below as a context line, or stack a further \"@@ text\" line above that only one place has."}
	default:
		first := match.Slot(a.Line)
		if p.doc.At(a.Line) != a.Line { // review finds out who took it
			s.lost, s.err = true, p.overlap(k, 0, a.Line)
			return
		}
		p.gap(k, patch.Exact, p.behind(first))
	}
}

// holding lists the lines from a.Line on that hold the last of anchors.
func (p *placer) holding(anchors []string, a match.Anchor) []fail.Place {
	if p.listed++; p.listed > maxListed {
		return nil
	}
	var out []fail.Place
	last := match.Squeeze(anchors[len(anchors)-1])
	for n := a.Line; n < p.file.Len() && len(out) < min(a.Count, fail.MaxPlaces); n++ {
		if match.Holds(p.file.Line(n), last) {
			out = append(out, fail.Place{First: n + 1, Last: n + 1})
		}
	}
	return out
}

// addAnchors finds the anchors of the hunks that need them at once: those that only add lines, and where there are
// several rungs all, since a stricter place that is not below the anchor may not be the one that is meant.
func (p *placer) addAnchors() {
	rungs := p.rules.Place == dialect.Ordered && len(p.rules.Ladder) > 1
	p.findAnchors(func(k int) bool { return p.hunks[k].How == patch.Narrow && (rungs || !p.looksFor(k)) })
}

// findAnchors finds the anchors of the hunks that need them, all in one walk.
func (p *placer) findAnchors(need func(k int) bool) {
	var who []int
	var chains [][]string
	for k := range p.hunks {
		if _, known := p.anchors[k]; !known && len(p.hunks[k].Anchors) > 0 && need(k) {
			who, chains = append(who, k), append(chains, p.hunks[k].Anchors)
		}
	}
	if len(who) == 0 {
		return
	}
	for i, a := range match.Anchors(p.file, chains) {
		p.anchors[who[i]] = a
	}
}
