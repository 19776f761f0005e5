package suggest

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/indent"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/patch"
)

// shift returns how indentation changes from the hunk to the file. It fails if the lines that are there do not say.
func (s *search) shift(st *alignment) (indent.Shift, bool) {
	adds, words := indent.Adds(s.lines)
	if !adds {
		return indent.Shift{}, true
	}
	seen, blanks, ok := s.indents(st)
	switch {
	case !ok:
		return indent.Shift{}, !words
	case s.numbered != "" && s.lostSpace(seen):
		return indent.Shift{}, true
	case s.numbered != "" && !seen.Same() && s.bareAdditions():
		return indent.Shift{}, false // a space may belong to the number or to the line
	}
	out, _ := indent.NewShift(seen, s.tabs)
	out = out.WithBlanks(blanks)
	out.Blank = out.Blank || s.numbered != "" // a space that went with the number is gone from blank lines too
	return out, !out.Changes() || !opensString(s.lines)
}

// indents pairs each indent of the hunk's old lines with that of the file's, and those of blank lines apart. It fails if one indent
// became several.
func (s *search) indents(st *alignment) (pairs, blanks indent.Pairs, ok bool) {
	seen := indent.NewSeen(s.lines)
	for i, want := range s.old {
		n := st.image[i]
		if n == nothing {
			continue
		}
		have := s.file.Line(n)
		if key := match.Fold(patch.Unicode, have); key != s.keys[i] && (key == "" || match.Similarity(key, s.keys[i]) < 0.6) {
			continue
		}
		mark := patch.Line(" ")
		if s.removed[i] && !s.partial {
			mark = "-"
		}
		seen.Add(mark+patch.Line(want), have)
	}
	pairs, ok = seen.Pairs()
	if s.moved = nil; seen.Moved {
		s.moved = seen
	}
	return pairs, seen.Blanks(), ok
}

// agreeOnTabs tells every search the tab width that the others prove: a patch that is written in spaces is so from its
// first line to its last. It reports false if a hunk that has its place would add lines that are indented otherwise.
func agreeOnTabs(p *place.Placement, open []*search) bool {
	var tabs indent.Tabs
	for _, s := range open {
		if !s.alone {
			continue
		}
		seen, _, ok := s.indents(&s.alignments[0])
		if !ok {
			continue
		}
		_, t := indent.NewShift(seen, indent.Tabs{})
		tabs = tabs.And(t)
	}
	for _, s := range open {
		s.tabs = tabs
	}
	return tabs == (indent.Tabs{}) || !contradictsTabs(p, tabs)
}

// contradictsTabs reports whether a hunk that has its place adds lines that t would indent otherwise, and shows no line
// of the file that proves it right.
func contradictsTabs(p *place.Placement, t indent.Tabs) bool {
	for k := range p.Hunks {
		if p.Spots[k].Err != nil || !indent.Added(p.Hunks[k].Lines) {
			continue
		}
		own := indent.Pairs{}
		for _, l := range p.Hunks[k].Old() {
			in, rest := indent.Cut(l)
			if rest != "" {
				own[in] = in
			}
		}
		if t.Explain(own) {
			return true
		}
	}
	return false
}

// lostSpace reports whether the old lines lost a space of their own with their numbers, while added lines had no
// numbers.
func (s *search) lostSpace(seen indent.Pairs) bool {
	more, _, ok := seen.Prefix()
	return ok && more == " " && s.bareAdditions()
}

// bareAdditions reports whether lines are added that had no number to lose.
func (s *search) bareAdditions() bool {
	return slices.ContainsFunc(s.lines, func(l patch.Line) bool { return !l.Old() && slices.Contains(s.hunk.Lines, l) })
}

// opensString reports whether an added line opens a string of several lines, where white space is not indentation.
func opensString(lines []patch.Line) bool {
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
