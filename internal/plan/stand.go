package plan

import (
	"slices"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// stand is one way to lay a hunk over lines from up to to of the file.
type stand struct {
	from, to int
	image    []int  // by old line: the line of the file that stands for it, or nothing
	sure     []bool // by old line: every other way that costs about as little has the same line for it
	cost     float64
	whole    bool // all lines are there
	full     bool // all lines are there, and those of the file that are left out are blank
	tied     bool // other lines are as much like it, and nobody looked at them
}

// nothing is the image of a line that is not there.
const nothing = -1

// margin is by how much one stand has to be better than another to be the one that is meant.
const margin = 0.5

// chain lays the parts of the hunk over the file, each below the one before it.
func (s *search) chain() {
	for i := range s.parts {
		next := s.candidates(&s.parts[i])
		if i == 0 {
			s.stands = next
			continue
		}
		var joined []stand
		for _, a := range s.stands {
			for _, b := range next {
				if b.from >= a.to && b.from-a.to <= maxElided {
					joined = append(joined, a.with(b))
				}
			}
		}
		slices.SortStableFunc(joined, func(a, b stand) int { return cmpFloat(a.cost, b.cost) })
		s.stands = joined[:min(len(joined), maxStands*maxStands)]
	}
}

// with is a and below it b.
func (a stand) with(b stand) stand {
	out := stand{from: a.from, to: b.to, cost: a.cost + b.cost, whole: a.whole && b.whole, full: a.full && b.full, tied: a.tied || b.tied, image: slices.Clone(a.image), sure: slices.Clone(a.sure)}
	for i, n := range b.image {
		if n != nothing {
			out.image[i], out.sure[i] = n, b.sure[i]
		}
	}
	return out
}

// candidates is where part p nearly fits: where all its lines are, if they are anywhere.
func (s *search) candidates(p *part) []stand {
	if out := s.whole(p); len(out) > 0 {
		return out
	}
	begins, tied := s.begins(p), false
	if len(begins) == 0 {
		n, rivals := s.resemble(p)
		if rivals < 0 {
			return nil
		}
		begins, tied = []int{n}, rivals > 0
	}
	var out []stand
	for _, n := range begins {
		st, ok := s.lay(p, n)
		if st.tied = tied; !ok {
			continue
		}
		if i := slices.IndexFunc(out, st.same); i < 0 {
			out = append(out, st)
		} else if st.cost < out[i].cost {
			out[i] = st
		}
	}
	return out
}

// same reports whether a and b are one place: one has all the lines of the other, and maybe more.
func (a stand) same(b stand) bool { return a.within(b) || b.within(a) }

func (a stand) within(b stand) bool {
	for i, n := range a.image {
		if n != nothing && n != b.image[i] {
			return false
		}
	}
	return true
}

// whole is where all lines of part p stand one below the other, but for white space and typography.
func (s *search) whole(p *part) []stand {
	var out []stand
	most := 0.0
	for _, v := range p.votes {
		most = max(most, v)
	}
	for n, v := range p.votes {
		if v < most-1e-9 || n < 0 || n+p.to-p.from > s.file.Len() || len(out) > maxStands {
			continue
		}
		if s.equal(p, n) {
			st := s.empty(0)
			st.from, st.to, st.whole, st.full = n, n+p.to-p.from, true, true
			for i := p.from; i < p.to; i++ {
				st.image[i], st.sure[i] = n+i-p.from, true
			}
			out = append(out, st)
		}
	}
	slices.SortFunc(out, func(a, b stand) int { return a.from - b.from })
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

func (s *search) empty(cost float64) stand {
	return stand{image: slices.Repeat([]int{nothing}, len(s.old)), sure: make([]bool, len(s.old)), cost: cost}
}
