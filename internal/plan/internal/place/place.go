// Package place finds where the hunks of a section go in a file, and makes the text that they leave.
//
// It answers for one file at a time and refuses what has no place, more than one, or one that another hunk changes. It
// does not know whether a hunk is applied already or what would have worked instead, and it opens no file.
package place

import (
	"slices"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Find places every hunk under rules r, or notes why it has no place. If traced is set, the Placement also knows which
// line of the file each line of a hunk stands for.
//
// It takes time linear in the file plus the hunks, whatever they hold. Beside the file and the text that the hunks leave
// it costs at most 12 bytes for a line of the file and rung in use, and what [match.Index] says for a line of a hunk.
func Find(file *text.Lines, hunks []patch.Hunk, r dialect.Rules, traced bool) *Placement {
	p := newPlacement(file, hunks, r)
	p.traced = traced
	p.placeAll()
	tabs, differ := p.agreedTabs()
	if plain := p.agreedPlain(); differ || plain != "" {
		p = newPlacement(file, hunks, r)
		p.traced, p.tabs, p.plain = traced, tabs, plain
		p.placeAll()
	}
	if rivals := p.findRivals(); len(rivals) > 0 {
		t, plain := p.tabs, p.plain
		p = newPlacement(file, hunks, r)
		p.traced, p.tabs, p.plain, p.rivals = traced, t, plain, rivals
		p.placeAll()
	}
	if p.limit == nil {
		p.findOverlaps()
	}
	return p
}

// placeAll gives every hunk its place and applies it, in the order that the rules ask for.
func (p *Placement) placeAll() {
	p.findNeededAnchors()
	p.buildIndexes()
	if p.Rules.Place == dialect.Cursor {
		p.placeWithCursor()
		return
	}
	for k := range p.Hunks {
		if p.limit != nil {
			return
		}
		p.placeUnique(k)
		if k == len(p.Hunks)-1 && !slices.ContainsFunc(p.Spots, func(s Spot) bool { return s.pending }) {
			// No place is looked for any more: the indexes need not learn what the last hunk changes.
			p.doc.DropIndexes()
		}
		p.apply(k)
	}
	if p.Rules.Place == dialect.Ordered && p.limit == nil {
		p.decide()
	}
	for k := range p.Spots {
		if s := &p.Spots[k]; s.pending {
			s.Err = p.ambiguous(k)
		}
	}
}
