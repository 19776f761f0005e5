package plan

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// dents is how indentation changes from the hunk to the file. It fails where the lines that are there do not say.
func (s *search) dents(st *stand) (shift, bool) {
	if !slices.ContainsFunc(s.lines, func(l patch.Line) bool { return l.Mark() == '+' && strings.TrimSpace(l.Text()) != "" }) {
		return shift{}, true
	}
	seen, ok := s.indents(st)
	switch {
	case !ok:
		return shift{}, false
	case s.numbered != "" && s.offByOne(seen):
		return shift{}, true
	case s.numbered != "" && !same(seen) && s.bareAdditions():
		return shift{}, false // a space may have been of the number or of the line
	}
	out, _ := shiftBy(seen)
	out.blank = out.blank || s.numbered != "" // a space that went with the number is gone from blank lines too
	if same(seen) && s.tabs != (tabstop{}) && s.tabs.explains(seen) {
		out.rule, out.blank = s.tabs.apply, true
	} else if same(seen) {
		return out, true
	}
	return out, !quoted(s.lines)
}

// fit is an added line as it is to be in the file. One that is not indented at all stays so where the others move left.
func (s shift) fit(line string) (string, bool) {
	out, ok := s.try(line)
	if in, _ := dent(line); ok || in != "" {
		return out, ok
	}
	_, less, one := prefixes(s.seen)
	return line, one && less != ""
}

// indents maps each indent of the hunk's old lines to the one in the file. It fails where one became several.
func (s *search) indents(st *stand) (map[string]string, bool) {
	seen := map[string]string{}
	for i, want := range s.old {
		n := st.image[i]
		if n == nothing {
			continue
		}
		have := s.file.Line(n)
		if key := match.Fold(patch.Unicode, have); key == "" || key != s.keys[i] && alike(key, s.keys[i]) < 0.6 {
			continue
		}
		mine, _ := dent(want)
		theirs, _ := dent(have)
		if to, ok := seen[mine]; ok && to != theirs {
			return nil, false
		}
		seen[mine] = theirs
	}
	return seen, true
}

// retab tells every search of the tabstop that the others have proved: a patch that is written in spaces is so from its
// first line to its last. It reports false where a hunk that has its place would add lines that are indented otherwise.
func (p *placer) retab(open []*search) bool {
	var tabs tabstop
	for _, s := range open {
		if !s.alone {
			continue
		}
		seen, ok := s.indents(&s.stands[0])
		if !ok {
			continue
		}
		switch _, t := shiftBy(seen); {
		case t == (tabstop{}):
		case tabs == (tabstop{}):
			tabs = t
		case tabs != t:
			tabs = disputed
		}
	}
	for _, s := range open {
		s.tabs = tabs
	}
	return tabs == (tabstop{}) || !p.indentsLike(tabs)
}

// indentsLike reports whether a hunk that has its place adds lines that t would indent otherwise, and shows none of the
// file that say better.
func (p *placer) indentsLike(t tabstop) bool {
	for k := range p.hunks {
		if p.spots[k].err != nil || !slices.ContainsFunc(p.hunks[k].Lines, indented) {
			continue
		}
		own := map[string]string{}
		for _, l := range p.hunks[k].Old() {
			in, rest := dent(l)
			if rest != "" {
				own[in] = in
			}
		}
		if t.explains(own) {
			return true
		}
	}
	return false
}

// offByOne reports whether the old lines lost a space with their numbers that was theirs, and the added ones had none.
func (s *search) offByOne(seen map[string]string) bool {
	more, _, ok := prefixes(seen)
	return ok && more == " " && s.bareAdditions()
}

// bareAdditions reports whether lines are added that had no number to lose.
func (s *search) bareAdditions() bool {
	return slices.ContainsFunc(s.lines, func(l patch.Line) bool { return !l.Old() && slices.Contains(s.h.Lines, l) })
}

// quoted reports whether an added line opens a string of several lines, in whose lines white space is not indentation.
func quoted(lines []patch.Line) bool {
	return slices.ContainsFunc(lines, func(l patch.Line) bool {
		if l.Old() {
			return false
		}
		for _, mark := range []string{"`", `"""`, "'''"} {
			if strings.Count(l.Text(), mark)%2 == 1 {
				return true
			}
		}
		return false
	})
}
