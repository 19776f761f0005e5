package suggest

import (
	"fmt"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
)

// describe words what differs at the nearest place, and rewrites the hunk for it if it stands alone.
func (s *search) describe() {
	if len(s.alignments) == 0 {
		return
	}
	st := &s.alignments[0]
	s.from, s.to = st.from, st.to
	s.err.Line = s.from + 1
	s.err.Nearest = refusal.Nearest(s.file, s.from, s.to, s.differs(st)...)
	s.err.Hint = fmt.Sprintf("Compare with lines %d-%d of the file, and send the hunk with the lines as they are there.", s.from+1, s.to)
	if s.alone {
		s.dropMade(st)
		s.rewrite(st)
	}
}

// differs words each line that is not the same bytes in the hunk and in the file.
func (s *search) differs(st *alignment) []string {
	var out []string
	if s.numbered != "" {
		out = append(out, fmt.Sprintf("line numbers: %s's lines have them (%s), the file's have not", s.name, fail.Quote(s.numbered)))
	}
	at, elided := st.from, ""
	leaves := func(to int) {
		if elided != "" && at < to {
			out = append(out, fmt.Sprintf("lines %d-%d: %s has %s for them", at+1, to, s.name, fail.Quote(elided)))
			at = to
		} else if elided != "" {
			out = append(out, fmt.Sprintf("%s has %s for lines around its own", s.name, fail.Quote(elided)))
		}
		for ; at < to; at++ {
			out = append(out, fmt.Sprintf("line %d: %s leaves out %s", at+1, s.name, fail.Quote(s.file.Line(at))))
		}
		elided = ""
	}
	for i, want := range s.old {
		n := st.image[i]
		switch {
		case n == nothing && s.omitted(i):
			elided = want
			continue
		case n == nothing:
			out = append(out, fmt.Sprintf("%s's line %s is not there", s.name, fail.Quote(want)))
			continue
		}
		leaves(n)
		if have := s.file.Line(n); have != want {
			out = append(out, fmt.Sprintf("line %d: %s", n+1, difference(have, want, s.name)))
		}
		at = n + 1
	}
	leaves(at)
	return out
}
