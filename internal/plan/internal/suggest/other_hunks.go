package suggest

import (
	"slices"
	"sort"

	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/patch"
)

// otherHunks knows what the hunks of a section change, so that a corrected hunk keeps clear of the others.
type otherHunks struct {
	p       *place.Placement
	open    []*search
	changes []changedLines // in file order
	addedBy map[string]int // by a line that a corrected hunk looks for: the hunk that adds it, from 0, or several
}

// changedLines says that hunk changes lines from up to to of the file. If from and to are equal, it adds lines before
// them.
type changedLines struct{ from, to, hunk int }

// several stands for more than one hunk.
const several = -2

// free reports whether no hunk but that of s changes lines from up to to, or adds lines between them.
func (o *otherHunks) free(s *search, from, to int) bool {
	if o.changes == nil {
		o.listChanges()
	}
	i := sort.Search(len(o.changes), func(i int) bool { return o.changes[i].to >= from })
	for ; i < len(o.changes) && o.changes[i].from < to; i++ {
		c := o.changes[i]
		if c.hunk != s.err.Hunk-1 && (c.to > from || c.from == c.to && c.from > from) {
			return false
		}
	}
	return true
}

func (o *otherHunks) listChanges() {
	o.changes = []changedLines{}
	for k := range o.p.Spots {
		if o.p.Spots[k].Applied {
			from, to := o.p.Changed(k)
			o.changes = append(o.changes, changedLines{from, to, k})
		}
	}
	for _, s := range o.open {
		above, below := place.Context(s.corrected.Lines)
		from := min(s.from+above, s.to)
		o.changes = append(o.changes, changedLines{from, max(from, s.to-below), s.err.Hunk - 1})
	}
	slices.SortFunc(o.changes, func(a, b changedLines) int { return a.to - b.to })
}

// keepsPlace reports whether h, a corrected hunk of s, has its only place whatever the other hunks add: they add none of
// its lines, or it has a line that stands once in the file and that none of them adds.
func (o *otherHunks) keepsPlace(s *search, h patch.Hunk) bool {
	if o.addedBy == nil {
		o.countAdded()
	}
	free := true
	for i, line := range h.Old() {
		if by, added := o.addedBy[line]; added && by != s.err.Hunk-1 {
			free = false
		} else if n := s.from + i; len(h.Lines) == len(s.corrected.Lines) && n < s.to && s.unique[n] {
			return true
		}
	}
	return free
}

// countAdded notes which hunks add lines that the corrected hunks look for.
func (o *otherHunks) countAdded() {
	o.addedBy = map[string]int{}
	wanted := map[string]bool{}
	for _, s := range o.open {
		h, _, _ := s.widen(contextSizes[len(contextSizes)-1])
		for _, line := range h.Old() {
			wanted[line] = true
		}
	}
	for k := range o.p.Hunks {
		for _, l := range o.p.Hunks[k].Lines {
			if l.Old() || !wanted[l.Text()] {
				continue
			}
			if by, ok := o.addedBy[l.Text()]; ok && by != k {
				o.addedBy[l.Text()] = several
			} else {
				o.addedBy[l.Text()] = k
			}
		}
	}
}
