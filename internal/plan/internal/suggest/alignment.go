package suggest

import (
	"math"
	"slices"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// alignParts lays the parts of the hunk over the file, each below the one before it.
func (s *search) alignParts() {
	for i := range s.parts {
		next := s.alignPart(&s.parts[i])
		if i == 0 {
			s.alignments = next
			continue
		}
		var pairs [][2]alignment
		for _, a := range s.alignments {
			for _, b := range next {
				if b.from >= a.to && b.from-a.to <= maxOmitted {
					pairs = append(pairs, [2]alignment{a, b})
				}
			}
		}
		slices.SortStableFunc(pairs, func(a, b [2]alignment) int { return cmpFloat(a[0].cost+a[1].cost, b[0].cost+b[1].cost) })
		s.alignments = nil
		for _, p := range pairs[:min(len(pairs), maxAlignments*maxAlignments)] {
			s.alignments = append(s.alignments, p[0].joined(p[1]))
		}
	}
}

// alignPart returns where part p stands in the file, or if it stands nowhere, where it nearly fits.
func (s *search) alignPart(p *part) []alignment {
	if out := s.exactAlignments(p); len(out) > 0 {
		return out
	}
	begins, tied := s.likelyStarts(p), false
	if len(begins) == 0 {
		n, rivals := s.mostSimilar(p)
		if rivals < 0 {
			return nil
		}
		begins, tied = []int{n}, rivals > 0
	}
	var out []alignment
	for _, n := range begins {
		st, ok := s.align(p, n)
		if st.tied = tied; !ok {
			continue
		}
		if i := slices.IndexFunc(out, st.samePlace); i < 0 {
			out = append(out, st)
		} else if st.cost < out[i].cost {
			out[i] = st
		}
	}
	return out
}

// exactAlignments returns where all lines of part p stand one below the other, apart from white space and typography.
func (s *search) exactAlignments(p *part) []alignment {
	var out []alignment
	most := 0.0
	for _, v := range p.votes {
		most = max(most, v)
	}
	for n, v := range p.votes {
		if v < most-1e-9 || n < 0 || n+p.to-p.from > s.file.Len() || len(out) > maxAlignments {
			continue
		}
		if s.equal(p, n) {
			st := s.newAlignment(0)
			st.from, st.to, st.complete, st.blankGaps = n, n+p.to-p.from, true, true
			for i := p.from; i < p.to; i++ {
				st.image[i], st.certain[i] = n+i-p.from, true
			}
			out = append(out, st)
		}
	}
	slices.SortFunc(out, func(a, b alignment) int { return a.from - b.from })
	return out
}

func (s *search) equal(p *part, n int) bool {
	for i, key := range s.keys[p.from:p.to] {
		if match.Fold(patch.Unicode, s.file.Line(n+i)) != key {
			return false
		}
	}
	return true
}

// align finds the cheapest way to lay part p over the file around line begin, and which of its lines stand for the same
// line in every way that costs at most a margin more.
//
// A line may stand for an equal one, for another one, or for none; lines of the file may be left out in between. Only
// lines at most slack away from a straight layout are tried.
func (s *search) align(p *part, begin int) (alignment, bool) {
	c := s.costs(p, begin)
	if len(c.lines) == 0 {
		return alignment{}, false
	}
	c.forward()
	c.backward()
	if math.IsInf(c.best, 1) {
		return alignment{}, false
	}
	st := s.newAlignment(c.best)
	c.cheapest(&st)
	if st.from < 0 || !c.enough(&st) {
		return alignment{}, false
	}
	for i := range c.keys {
		st.certain[p.from+i] = c.certain(i, st.image[p.from+i])
	}
	st.complete, st.blankGaps = c.completeness(&st)
	return st, true
}

// findAlignments finds out where the hunk nearly fits.
func (s *search) findAlignments() {
	if len(s.parts) == 0 || len(s.parts) > maxParts {
		return
	}
	s.alignParts()
	s.rank()
}

// dropAbove drops the places that do not begin below line n.
func (s *search) dropAbove(n int) {
	s.alignments = slices.DeleteFunc(s.alignments, func(st alignment) bool { return st.from <= n })
	s.rank()
}

// rank puts the best place first and sets whether it stands alone. A place that has all lines of the hunk, blank ones
// apart, does so unless another place has them with lines in between. Otherwise the next best place must be clearly
// worse.
func (s *search) rank() {
	slices.SortStableFunc(s.alignments, func(a, b alignment) int {
		if a.blankGaps != b.blankGaps {
			return cmpBool(b.blankGaps, a.blankGaps)
		}
		return cmpFloat(a.cost, b.cost)
	})
	switch {
	case len(s.alignments) == 0 || s.alignments[0].tied:
		s.alone = false
	case len(s.alignments) == 1:
		s.alone = true
	case s.alignments[0].blankGaps != s.alignments[1].blankGaps:
		tight := s.alignments[0].to-s.alignments[0].from == len(s.old)
		s.alone = (tight || s.alignments[1].cost > s.alignments[0].cost+2*margin) &&
			!slices.ContainsFunc(s.alignments[1:], func(st alignment) bool { return st.complete })
	case s.partial:
		s.alone = s.alignments[1].cost > s.alignments[0].cost+margin
	default:
		s.alone = s.alignments[1].cost > 1.5*s.alignments[0].cost+2*margin && s.evidence(1) <= 0.7*s.evidence(0)
	}
}

// evidence returns how much of what the hunk says stands at the nth place.
func (s *search) evidence(n int) (sum float64) {
	for i, line := range s.alignments[n].image {
		if line != nothing && match.Fold(patch.Unicode, s.file.Line(line)) == s.keys[i] {
			sum += weight(s.keys[i])
		}
	}
	return sum
}

func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
