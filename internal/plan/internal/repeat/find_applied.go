package repeat

import (
	"slices"

	"github.com/emend-dev/emend/internal/match"
)

// findOutcomes finds the outcomes of the candidates in one walk through the unchanged file. It compares lines on the
// loosest rung: an outcome that stands there once does not stand there in another spelling too.
func (f *finder) findOutcomes(who []candidate) {
	if len(who) == 0 {
		return
	}
	x := match.NewIndex(match.NewDoc(f.File), f.Loosest(), len(who))
	news := make([][]int, len(who))
	for i, c := range who {
		for _, cut := range f.Cuts(c.hunk) {
			news[i] = append(news[i], x.Add(newLines(f.Lines(c.hunk, cut))))
		}
	}
	x.Build()
	for i, c := range who {
		if f.Spots[c.hunk].Err != nil {
			f.found[c.hunk] = f.outcomeOf(c, x, news[i])
		} else {
			f.found[c.hunk].elsewhere = slices.ContainsFunc(news[i], func(n int) bool { return x.Count(n) > 0 })
		}
	}
}
