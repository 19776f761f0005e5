package place

import (
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/patch"
)

// findNeededAnchors finds the anchors that are needed from the start: those that may speak against a place, and those of hunks
// that only add lines.
func (p *Placement) findNeededAnchors() {
	ordered := p.Rules.Place == dialect.Ordered
	p.FindAnchors(func(k int) bool { return p.Hunks[k].How == patch.Narrow && (ordered || p.additions(k)) })
}

// FindAnchors follows the anchors of the hunks for which need is true, all in one walk through the file.
func (p *Placement) FindAnchors(need func(k int) bool) {
	var who []int
	var chains [][]string
	for k := range p.Hunks {
		if _, known := p.anchors[k]; !known && len(p.Hunks[k].Anchors) > 0 && need(k) {
			who, chains = append(who, k), append(chains, p.Hunks[k].Anchors)
		}
	}
	if len(who) == 0 {
		return
	}
	for i, a := range match.Anchors(p.File, chains) {
		p.anchors[who[i]] = a
	}
}

// Anchor returns the line to which the anchors of hunk k lead, if FindAnchors has looked for them.
func (p *Placement) Anchor(k int) (match.Anchor, bool) {
	a, ok := p.anchors[k]
	return a, ok
}

// linesHolding lists the lines from a.Line on that hold the last anchor.
func (p *Placement) linesHolding(anchors []string, a match.Anchor) []fail.Place {
	if p.listings++; p.listings > refusal.MaxListed {
		return nil
	}
	var out []fail.Place
	last := match.Squeeze(anchors[len(anchors)-1])
	for n := a.Line; n < p.File.Len() && len(out) < min(a.Count, fail.MaxPlaces); n++ {
		if match.Holds(p.File.Line(n), last) {
			out = append(out, fail.Place{First: n + 1, Last: n + 1})
		}
	}
	return out
}

// linesEqual lists the lines of the file that equal an anchor on rung r. One walk for each rung finds them for all
// anchors of the section.
func (p *Placement) linesEqual(line string, r patch.Rung) []uint32 {
	if p.anchorLines == nil {
		p.anchorLines = map[patch.Rung]map[string][]uint32{}
	}
	if p.anchorLines[r] == nil {
		at := map[string][]uint32{}
		for k := range p.Hunks {
			for _, a := range p.Hunks[k].Anchors {
				at[match.Fold(r, a)] = nil
			}
		}
		for n := range p.File.Len() {
			line := match.Fold(r, p.File.Line(n))
			if _, wanted := at[line]; wanted {
				at[line] = append(at[line], uint32(n))
			}
		}
		p.anchorLines[r] = at
	}
	return p.anchorLines[r][match.Fold(r, line)]
}
