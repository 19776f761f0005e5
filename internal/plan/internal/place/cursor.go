package place

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/patch"
)

// placeWithCursor places every hunk at its first place at or after the end of the one before. It looks for all of them
// in the unchanged file; the changes come last.
//
// An index says whether a place is left before the file is walked for it. So every walk ends at a place and the next one
// begins there, and all walks together cover the file once a rung.
func (p *Placement) placeWithCursor() {
	cursor := 0
	for k := range p.Hunks {
		cursor = p.placeFrom(k, cursor)
	}
	p.hintOrder()
	p.doc.DropIndexes()
	for k := range p.Hunks {
		p.apply(k)
	}
}

// hintOrder names the order of the hunks that would work, if nothing but their order is wrong.
func (p *Placement) hintOrder() {
	if !slices.ContainsFunc(p.Spots, func(s Spot) bool { return s.Early }) {
		return
	}
	for k := range p.Spots {
		if s := &p.Spots[k]; !s.placed && (!s.Early || s.Start < 0) {
			return
		}
	}
	turn := slices.Clone(p.all())
	slices.SortStableFunc(turn, func(a, b int) int { return p.Spots[a].Start - p.Spots[b].Start })
	var names []string
	for _, k := range turn {
		names = append(names, strconv.Itoa(k+1))
	}
	for k := range p.Spots {
		if s := &p.Spots[k]; s.Early && len(names) <= refusal.MaxExplained {
			s.Err.Hint = "Put the hunks in the order of the file: " + strings.Join(names, ", ") + "."
		}
	}
}

// placeFrom places hunk k at or after the cursor and returns the cursor after it; the same cursor if it has no place.
func (p *Placement) placeFrom(k, cursor int) int {
	h, s := &p.Hunks[k], &p.Spots[k]
	from, rung := cursor, patch.Exact
	for _, a := range h.Anchors {
		at, r, ok := p.findAnchorLine(a, from)
		if !ok {
			s.Err = p.noAnchorLine(k, a)
			return cursor
		}
		from, rung = at+1, max(rung, r)
	}
	switch {
	case h.AtEnd:
		p.placeAtEnd(k)
		if s.placed && s.first < from {
			s.placed, s.Early, s.Start, s.Err = false, true, s.first, p.tooEarly(k, from)
		}
		s.rung = max(s.rung, rung)
		if !s.placed || p.additions(k) {
			return cursor
		}
		return p.File.Len()
	case p.additions(k):
		p.settleAdditions(k, rung, from)
		return from
	}
	if !p.takeFirst(k, from) {
		if s.Err = p.notFound(k); p.hasPlace(k) {
			s.Early, s.Start, s.Err = true, p.onlyLine(k), p.tooEarly(k, from)
		}
		return cursor
	}
	s.rung = max(s.rung, rung)
	return s.Stop
}

// takeFirst gives hunk k its first place at or after line from.
func (p *Placement) takeFirst(k, from int) bool {
	for i, t := range p.forms[k] {
		var want []string
		for rung, r := range p.Rules.Ladder {
			if rung == 1 && p.surelyNowhere(k) {
				return false
			}
			x := p.indexWith(k, r)
			n := x.Count(p.pattern(x, k, i))
			if n == 1 {
				if at := x.OnlyPlace(p.pattern(x, k, i)); at >= from {
					p.Spots[k].form = t
					p.settle(k, r, at, 1)
					return true
				}
			}
			if n < 2 {
				continue
			}
			if x.lasts == nil {
				x.lasts = x.LastPlaces()
			}
			if want == nil {
				want = slices.Collect(t.wanted(&p.Hunks[k]))
			}
			last := x.lasts[p.pattern(x, k, i)][0]
			if last == match.Begin || last-len(want)+1 < from {
				continue
			}
			for at := range match.NewScanner(p.doc, r, want, false).Places(from, p.doc.End()) {
				p.Spots[k].form = t
				p.settle(k, r, at, n)
				return true
			}
		}
	}
	return false
}

func (p *Placement) hasPlace(k int) bool {
	_, n := p.strictest(k)
	return n > 0
}

// onlyLine returns the line of hunk k's only place, or -1.
func (p *Placement) onlyLine(k int) int {
	r, n := p.strictest(k)
	if n != 1 {
		return -1
	}
	x := p.indexWith(k, r)
	for i, t := range p.forms[k] {
		if n := p.pattern(x, k, i); t.cut == p.Spots[k].form.cut && x.Count(n) == 1 {
			return p.doc.Origin(x.OnlyPlace(n))
		}
	}
	return -1
}

func (p *Placement) tooEarly(k, from int) *fail.Error {
	e := p.notFound(k)
	e.Msg = fmt.Sprintf("its lines are in the file, but not from line %d on, where the search for this hunk begins", from+1)
	e.Hint = "Put the hunks in the order of the file."
	return e
}

// findAnchorLine returns the first line at or after from that equals line, on the strictest rung that has one.
func (p *Placement) findAnchorLine(line string, from int) (int, patch.Rung, bool) {
	for _, r := range p.Rules.Ladder {
		at := p.linesEqual(line, r)
		if i, _ := slices.BinarySearch(at, uint32(from)); i < len(at) {
			return int(at[i]), r, true
		}
	}
	return 0, 0, false
}
