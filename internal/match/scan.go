package match

import (
	"iter"

	"github.com/emend-dev/emend/patch"
)

// Scanner finds the places of one pattern one after the other, by the search of Knuth, Morris and Pratt, along a Doc in
// either direction. Walking a Doc from one end to the other takes time linear in its lines, however many scans share the
// way.
type Scanner struct {
	doc  *Doc
	rung patch.Rung
	pat  []string // folded
	fail []int
	back bool // from the end of the Doc towards its beginning
}

// NewScanner prepares a scan for the lines of pat, which must not be empty. With back it goes from the end of the Doc to
// its beginning.
func NewScanner(d *Doc, r patch.Rung, pat []string, back bool) *Scanner {
	c := &Scanner{doc: d, rung: r, pat: make([]string, len(pat)), fail: make([]int, len(pat)), back: back}
	for i, line := range pat {
		if back {
			i = len(pat) - 1 - i
		}
		c.pat[i] = Fold(r, line)
	}
	for i, k := 1, 0; i < len(pat); i++ {
		for k > 0 && c.pat[i] != c.pat[k] {
			k = c.fail[k-1]
		}
		if c.pat[i] == c.pat[k] {
			k++
		}
		c.fail[i] = k
	}
	return c
}

// Places yields the first slot of every place that lies wholly between the slots from (included) and to (not included),
// nearest to from first. Backwards, from is the lower end: a place ends at from or above it, and begins below to.
func (c *Scanner) Places(from, to Slot) iter.Seq[Slot] {
	return func(yield func(Slot) bool) {
		d, k := c.doc, 0
		for s := from; s != to && s != Begin && s != d.End(); s = c.next(s) {
			line := Fold(c.rung, d.Line(s))
			for k > 0 && line != c.pat[k] {
				k = c.fail[k-1]
			}
			if line == c.pat[k] {
				k++
			}
			if k < len(c.pat) {
				continue
			}
			first := s
			if !c.back {
				first = d.Back(s, len(c.pat)-1)
			}
			if !yield(first) {
				return
			}
			k = c.fail[k-1]
		}
	}
}

func (c *Scanner) next(s Slot) Slot {
	if c.back {
		return c.doc.Prev(s)
	}
	return c.doc.Next(s)
}

// EndsWith returns the slot where the last len(pat) lines of d begin, if they equal pat on rung r.
func EndsWith(d *Doc, r patch.Rung, pat []string) (Slot, bool) {
	s := d.End()
	for i := len(pat) - 1; i >= 0; i-- {
		s = d.Prev(s)
		if s == Begin || !Same(r, d.Line(s), pat[i]) {
			return Begin, false
		}
	}
	return s, true
}
