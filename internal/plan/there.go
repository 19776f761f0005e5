package plan

import (
	"iter"
	"slices"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// search finds the outcomes of the hunks in who, in one walk through the file as it was. Lines are compared on the
// loosest rung: what is there once on it is not there in another spelling.
func (p *placer) search(who []int, found []outcome) {
	if len(who) == 0 {
		return
	}
	x := match.NewIndex(match.NewDoc(p.file), p.loosest(), len(who))
	news := make([][]int, len(who))
	for i, k := range who {
		for _, cut := range p.cuts(k) {
			news[i] = append(news[i], x.Add(newLines(p.uncut(k, cut))))
		}
	}
	x.Build()
	for i, k := range who {
		if p.spots[k].err != nil {
			found[k] = p.result(k, x, news[i])
		} else {
			found[k].elsewhere = slices.ContainsFunc(news[i], func(n int) bool { return x.Count(n) > 0 })
		}
	}
}

func (p *placer) loosest() patch.Rung { return p.rules.Ladder[len(p.rules.Ladder)-1] }

// newLines is what lines of a hunk leave behind.
func newLines(lines []patch.Line) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, l := range lines {
			if l.Mark() != '-' && !yield(l.Text()) {
				return
			}
		}
	}
}

// cuts are the different numbers of last lines that hunk k may do without.
func (p *placer) cuts(k int) (out []int) {
	for _, t := range p.tries[k] {
		if !slices.Contains(out, t.cut) {
			out = append(out, t.cut)
		}
	}
	return out
}

func (p *placer) uncut(k, cut int) []patch.Line { return p.hunks[k].Lines[:len(p.hunks[k].Lines)-cut] }

// alreadyThere finds the hunks whose outcome is in the file, says so, and returns the others.
func alreadyThere(file *text.Lines, open []*search) []*search {
	if !slices.ContainsFunc(open, func(s *search) bool { return !s.fresh }) {
		return open
	}
	x := match.NewIndex(match.NewDoc(file), patch.Exact, len(open))
	ids := make([]int, len(open))
	for i, s := range open {
		if !s.fresh && slices.ContainsFunc(s.h.Lines, added) {
			ids[i] = x.Add(slices.Values(s.h.New()))
		}
	}
	x.Build()
	lasts := x.Lasts()
	var rest []*search
	for i, s := range open {
		if ids[i] == 0 || x.Count(ids[i]) == 0 {
			rest = append(rest, s)
			continue
		}
		n, last := len(s.h.New()), lasts[ids[i]][0]
		first := last - n + 1
		s.err.Line = first + 1
		s.err.Nearest = there(file, first, last+1)
		s.err.Hint = "The change seems to be made already: leave this hunk out."
	}
	return rest
}
