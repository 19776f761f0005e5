package replace

import (
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/patch"
)

// Up to maxSingly edits are looked for one after the other, which is fastest for few. More are looked for at once, if
// their old texts together have at most maxTexts bytes, for each of which that takes 20 bytes.
const (
	maxSingly = 32
	maxTexts  = 16 << 20
)

// findAll finds the occurrences of every edit as it is written.
func (r *replacer) findAll() {
	at := r.findMany()
	for k := range r.edits {
		if !at[k] {
			r.findExact(k)
		}
	}
}

// findMany finds the occurrences of the edits that can be looked for at once, and returns which they are.
func (r *replacer) findMany() map[int]bool {
	var who []int
	var olds []string
	size := 0
	for k := range r.edits {
		if s := &r.edits[k]; s.err == nil && !s.raw && s.Old != "" && size+len(s.Old) <= maxTexts {
			who, olds = append(who, k), append(olds, s.Old)
			size += len(s.Old)
		}
	}
	if len(who) <= maxSingly {
		return nil
	}
	r.spend(len(r.before)+size, 16)
	x := match.NewTexts(r.view.text, olds)
	found, done := map[int][]uint32{}, map[int]bool{}
	wanted := r.selectFound(x, who, done)
	if r.limit != nil {
		return done
	}
	for p, at := range x.Places(wanted) {
		found[p] = append(found[p], uint32(at))
	}
	for i, k := range who {
		if s := &r.edits[k]; wanted[x.Pattern(i)] && s.err == nil && done[k] {
			r.setPlaces(s, found[x.Pattern(i)])
		}
	}
	return done
}

// selectFound decides by the number of their places which edits are found, and returns the texts whose places are
// wanted. It leaves the first few others to be looked for singly, so that their places can be listed.
func (r *replacer) selectFound(x *match.Texts, who []int, done map[int]bool) map[int]bool {
	wanted := map[int]bool{}
	listed := 0
	for i, k := range who {
		s := &r.edits[k]
		n := x.Count(i)
		apart := n*len(s.Old) <= len(r.view.text)
		switch {
		case n == s.Count && apart:
			if !wanted[x.Pattern(i)] {
				r.spend(n, perHit)
			}
			wanted[x.Pattern(i)] = true
		case n > 0:
			if listed++; listed <= refusal.MaxListed {
				continue
			}
			s.total = n
			s.err = r.multiple(s, apart)
		}
		done[k], s.rung = true, patch.Exact
	}
	return wanted
}

// setPlaces notes the occurrences of an edit, which begin at the offsets at of the view. They are as many as expected.
func (r *replacer) setPlaces(s *foundEdit, at []uint32) {
	s.total = len(at)
	apart := true
	for i, n := range at {
		apart = apart && (i == 0 || int(at[i-1])+len(s.Old) <= int(n))
		s.spans = append(s.spans, span{r.view.offset(int(n)), r.view.offset(int(n) + len(s.Old))})
	}
	if !apart {
		s.err = r.multiple(s, false)
	}
}
