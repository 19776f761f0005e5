package replace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// overlaps says which edits would change the same bytes, or returns nil.
func (r *replacer) overlaps(regions []region) *fail.Error {
	e := &fail.Error{Kind: fail.Overlapping,
		Hint: "Join the edits that change the same text into one; each is made in the file as it was read, not in what another leaves."}
	seen := map[[2]int]bool{}
	var open []region // regions that reach the current one: any two are a pair, so they are few
	for _, g := range regions {
		open = slices.DeleteFunc(open, func(h region) bool { return !h.meets(g) })
		for _, h := range open {
			r.addPair(e, seen, h, g)
		}
		if open = append(open, g); len(seen) >= fail.MaxPlaces {
			break
		}
	}
	if len(e.Pairs) == 0 {
		return nil
	}
	e.Msg = pairList(e.Pairs, e.Places)
	return e
}

// addPair adds to e that two edits overlap, unless the pair is in seen.
func (r *replacer) addPair(e *fail.Error, seen map[[2]int]bool, a, b region) {
	if a.edit > b.edit {
		a, b = b, a
	}
	pair := [2]int{int(a.edit) + 1, int(b.edit) + 1}
	if seen[pair] {
		return
	}
	seen[pair] = true
	e.Pairs, e.Places = append(e.Pairs, pair), append(e.Places, r.places([]span{a.span, b.span})...)
}

// meets reports whether h and the later g have bytes in common, or are the same empty place.
func (h region) meets(g region) bool { return h.to > g.from || h.from == g.from && h.to == g.to }

func pairList(pairs [][2]int, places []fail.Place) string {
	const most = 10
	var b strings.Builder
	for i, p := range pairs[:min(len(pairs), most)] {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "edits %d and %d change the same text (lines %s and %s)", p[0], p[1], linesOf(places[2*i]), linesOf(places[2*i+1]))
	}
	if more := len(pairs) - most; more > 0 {
		fmt.Fprintf(&b, "; and %d more pairs", more)
	}
	return b.String()
}

// linesOf words the lines of a place, which has none where an edit inserts some.
func linesOf(p fail.Place) string {
	if p.Last < p.First {
		return fmt.Sprintf("below %d", p.First-1)
	}
	return fmt.Sprintf("%d-%d", p.First, p.Last)
}
