package plan

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// runCursor places every hunk at its first place at or after the end of the one before. All are sought in the
// file as it was; the changes come last.
//
// Whether a place is left is asked of an index before the file is walked for it, so that every walk ends at a
// place and the next one begins there: all walks together cover the file once a rung.
func (p *placer) runCursor() {
	cursor := 0
	for k := range p.hunks {
		cursor = p.advance(k, cursor)
	}
	p.doc.Settle()
	for k := range p.hunks {
		p.put(k)
	}
}

// advance places hunk k at or after the cursor and returns the cursor behind it; unmoved when it has no place.
func (p *placer) advance(k, cursor int) int {
	h, s := &p.hunks[k], &p.spots[k]
	from, rung := cursor, patch.Exact
	for _, a := range h.Anchors {
		at, r, ok := p.seekLine(a, from)
		if !ok {
			s.err = p.noLine(k, a)
			return cursor
		}
		from, rung = at+1, max(rung, r)
	}
	switch {
	case h.AtEnd:
		p.seekEnd(k)
		if s.placed && s.first < from {
			s.placed, s.err = false, p.notFound(k)
		}
		s.rung = max(s.rung, rung)
		if !s.placed || !p.looksFor(k) {
			return cursor
		}
		return p.file.Len()
	case !p.looksFor(k):
		p.gap(k, rung, from)
		return from
	}
	if !p.first(k, from) {
		s.err = p.notFound(k)
		if _, n := p.strictest(k); n > 0 {
			s.err.Msg = fmt.Sprintf("its lines are in the file, but only before line %d, where the search for this hunk begins", from+1)
			s.err.Hint = "Put the hunks in the order of the file."
		}
		return cursor
	}
	s.rung = max(s.rung, rung)
	return s.stop
}

// first puts hunk k at its first place at or after from.
func (p *placer) first(k, from int) bool {
	for i, t := range p.tries[k] {
		var want []string
		for _, r := range p.rules.Ladder {
			x := p.index(r)
			if x.lasts == nil {
				x.lasts = x.Lasts()
			}
			if want == nil {
				want = slices.Collect(p.wants(k, t))
			}
			last := x.lasts[x.pats[k][i]][0]
			if last == match.Begin || last-len(want)+1 < from {
				continue
			}
			for at := range match.NewScanner(p.doc, r, want, false).Places(from, p.doc.End()) {
				p.spots[k].try = t
				p.at(k, r, at, x.Count(x.pats[k][i]))
				return true
			}
		}
	}
	return false
}

// seekLine is the first line at or after from that equals line, on the strictest rung that has one.
func (p *placer) seekLine(line string, from int) (int, patch.Rung, bool) {
	for _, r := range p.rules.Ladder {
		last, ok := p.lastLine(line, r)
		if !ok || last < from {
			continue
		}
		for at := range match.NewScanner(p.doc, r, []string{line}, false).Places(from, p.doc.End()) {
			return at, r, true
		}
	}
	return 0, 0, false
}

// lastLine is the last line of the file that equals an anchor, for all anchors of the section at once.
func (p *placer) lastLine(line string, r patch.Rung) (int, bool) {
	if p.lines == nil {
		p.lines = map[patch.Rung]map[string]int{}
	}
	if p.lines[r] == nil {
		last := map[string]int{}
		for k := range p.hunks {
			for _, a := range p.hunks[k].Anchors {
				last[match.Fold(r, a)] = -1
			}
		}
		for n := range p.file.Len() {
			line := match.Fold(r, p.file.Line(n))
			if _, wanted := last[line]; wanted {
				last[line] = n
			}
		}
		p.lines[r] = last
	}
	n := p.lines[r][match.Fold(r, line)]
	return n, n >= 0
}

func (p *placer) noLine(k int, anchor string) *fail.Error {
	return &fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Hunk: k + 1, Anchor: anchor,
		Msg:  fmt.Sprintf("no line from here on equals the anchor %s", fail.Quote(anchor)),
		Hint: "Copy a whole line of the file after \"@@ \", and put the hunks in the order of the file."}
}
