package plan

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// differs words each line that is not the same bytes in the hunk and where it stands.
func (s *search) differs(st *stand) []string {
	var out []string
	if s.numbered != "" {
		out = append(out, fmt.Sprintf("line numbers: %s's lines have them (%s), the file's have not", s.name, fail.Quote(s.numbered)))
	}
	at, elided := st.from, ""
	leaves := func(to int) {
		if elided != "" && at < to {
			out = append(out, fmt.Sprintf("lines %d-%d: %s has %s for them", at+1, to, s.name, fail.Quote(elided)))
			at = to
		}
		for ; at < to; at++ {
			out = append(out, fmt.Sprintf("line %d: %s leaves out %s", at+1, s.name, fail.Quote(s.file.Line(at))))
		}
		elided = ""
	}
	for i, want := range s.old {
		n := st.image[i]
		switch {
		case n == nothing && s.elided(i):
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
	return out
}

// elided reports whether old line i stands for others.
func (s *search) elided(i int) bool {
	for _, p := range s.parts {
		if p.from <= i && i < p.to {
			return false
		}
	}
	return true
}

// difference names how the file's line differs from that of the hunk, which it calls name.
func difference(have, want, name string) string {
	a, x := dent(have)
	b, y := dent(want)
	trim := func(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }
	switch {
	case x == y:
		return fmt.Sprintf("indentation: the file has %s, %s %s", fail.Quote(a), name, fail.Quote(b))
	case trim(have) == trim(want):
		return fmt.Sprintf("trailing white space: the file has %s, %s %s", fail.Quote(have[len(trim(have)):]), name, fail.Quote(want[len(trim(want)):]))
	case match.Same(patch.Whitespace, have, want):
		return "indentation and trailing white space: the file has " + fail.Quote(have) + ", " + name + " " + fail.Quote(want)
	case match.Same(patch.Unicode, have, want):
		return "typography (quotes, dashes, spaces, accents): the file has " + fail.Quote(have) + ", " + name + " " + fail.Quote(want)
	}
	return "a changed line: the file has " + fail.Quote(have) + ", " + name + " " + fail.Quote(want)
}
