package replace

import (
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// findExact finds the occurrences of edit k as it is written.
func (r *replacer) findExact(k int) {
	s := &r.edits[k]
	if s.err != nil || r.limit != nil || s.anchored() {
		return
	}
	hay, place := r.view.text, r.view.offset
	if s.raw {
		hay, place = r.view.body, r.view.after
	}
	s.rung = patch.Exact
	if s.Old == "" {
		s.total, s.spans = 1, []span{{place(0), place(0)}}
		return
	}
	hits, total, apart := occurrences(hay, s.Old, max(s.Count, fail.MaxPlaces))
	cost := len(hay)
	if !apart {
		cost *= 8
	}
	r.spend(cost, 1)
	if r.spend(len(hits), perHit); r.limit != nil {
		return
	}
	for _, at := range hits {
		if g := (span{place(at), place(at + len(s.Old))}); s.raw && (r.cutsCRLF(g.from) || r.cutsCRLF(g.to)) {
			total--
		} else {
			s.spans = append(s.spans, g)
		}
	}
	if s.total = total; total > 0 && (total != s.Count || !apart) {
		s.err = r.multiple(s, apart)
	}
}

// cutsCRLF reports whether offset at is between the two bytes of a line end.
func (r *replacer) cutsCRLF(at uint32) bool {
	return at > 0 && int(at) < len(r.before) && r.before[at-1] == '\r' && r.before[at] == '\n'
}
