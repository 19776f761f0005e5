package suggest

import (
	"slices"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// dropMade turns the changes of the hunk that are made already into context, in the hunk and in its alignment. A change is made if
// the file has what it adds, and nothing else, between the lines of context above and below. It does so only if one of these
// changes added words, and another change is still to be made.
func (s *search) dropMade(st *alignment) {
	if len(s.parts) != 1 || s.numbered != "" {
		return
	}
	var lines []patch.Line
	var image []int
	var certain []bool
	made, open := false, false
	keep := func(l patch.Line, line int, sure bool) {
		if lines = append(lines, l); l.Old() {
			image, certain = append(image, line), append(certain, sure)
		}
	}
	for from, old := 0, 0; from < len(s.lines); {
		to, next := from, old
		var adds []string
		for ; to < len(s.lines) && s.lines[to].Mark() != ' '; to++ {
			if s.lines[to].Old() {
				next++
			} else {
				adds = append(adds, s.lines[to].Text())
			}
		}
		switch {
		case to == from:
			keep(s.lines[from], st.image[old], st.certain[old])
			from, old = from+1, old+1
			continue
		case s.isMade(st, old, next, adds):
			made = made || slices.ContainsFunc(adds, func(l string) bool { return weight(l) == 1 })
			for i, l := range adds {
				keep(patch.Line(" "+l), st.image[old-1]+1+i, true)
			}
		default:
			open = true
			for n := old; from < to; from++ {
				if l := s.lines[from]; l.Old() {
					keep(l, st.image[n], st.certain[n])
					n++
				} else {
					keep(l, nothing, false)
				}
			}
		}
		from, old = to, next
	}
	if !made || !open {
		return
	}
	if !slices.ContainsFunc(lines, func(l patch.Line) bool { return l.Mark() != ' ' && weight(l.Text()) == 1 }) {
		return // what is left are blank lines and brackets, which stand beside their like
	}
	s.lines, s.old, s.keys, s.removed = lines, nil, nil, nil
	for _, l := range lines {
		if l.Old() {
			s.old, s.keys, s.removed = append(s.old, l.Text()), append(s.keys, match.Fold(patch.Unicode, l.Text())), append(s.removed, l.Mark() == '-')
		}
	}
	s.parts[0].from, s.parts[0].to = 0, len(s.old)
	st.image, st.certain = image, certain
}

// isMade reports whether the file has adds and nothing else between the lines that surround old lines from up to to, and those
// are there.
func (s *search) isMade(st *alignment, from, to int, adds []string) bool {
	return from > 0 && to < len(s.old) && st.certain[from-1] && st.certain[to] && s.isThere(st, from-1) && s.isThere(st, to) && st.image[from-1] < st.image[to] &&
		slices.Equal(s.file.Strings(st.image[from-1]+1, st.image[to]), adds)
}
