package suggest

import (
	"slices"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/repeat"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// alreadyThere says it of the hunks whose outcome is in the file, and returns the others.
func alreadyThere(file *text.Lines, open []*search) []*search {
	if !slices.ContainsFunc(open, func(s *search) bool { return !s.addsNew }) {
		return open
	}
	x := match.NewIndex(match.NewDoc(file), patch.Exact, len(open))
	ids := make([]int, len(open))
	for i, s := range open {
		if !s.addsNew && slices.ContainsFunc(s.hunk.Lines, func(l patch.Line) bool { return l.Mark() == '+' }) {
			ids[i] = x.Add(slices.Values(s.hunk.New()))
		}
	}
	x.Build()
	lasts := x.LastPlaces()
	var rest []*search
	for i, s := range open {
		if ids[i] == 0 || x.Count(ids[i]) == 0 {
			rest = append(rest, s)
			continue
		}
		n, last := len(s.hunk.New()), lasts[ids[i]][0]
		first := last - n + 1
		s.err.Line = first + 1
		s.err.Nearest = repeat.Nearest(file, first, last+1)
		s.err.Hint = "The change seems to be made already: leave this hunk out."
	}
	return rest
}
