package suggest

import (
	"maps"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// vote lets every old line of every hunk vote for the line where its part begins, and sets addsNew for hunks that add a
// line which is not in the file.
func vote(file *text.Lines, open []*search) {
	type ballot struct {
		s     *search
		part  *part
		index int
	}
	ballots := map[string][]ballot{}
	for _, s := range open {
		for i := range s.parts {
			p := &s.parts[i]
			for j, key := range s.keys[p.from:p.to] {
				p.total += weight(key)
				if len(ballots[key]) < maxVotes && key != "" {
					ballots[key] = append(ballots[key], ballot{s, p, j})
				}
			}
		}
	}
	adds := map[string][]*search{}
	type strayLine struct {
		s *search
		l patch.Line
	}
	strays := map[string][]strayLine{} // by key of an added line with its mark
	for _, s := range open {
		for _, l := range s.lines {
			if l.Mark() == '+' {
				key, marked := match.Fold(patch.Unicode, l.Text()), match.Fold(patch.Unicode, string(l))
				adds[key], strays[marked] = append(adds[key], s), append(strays[marked], strayLine{s, l})
				ballots[key] = append(ballots[key], nil...) // looked up even if no line votes with it
				ballots[marked] = append(ballots[marked], nil...)
			}
		}
	}
	keys := slices.Sorted(maps.Keys(ballots))
	for i, places := range match.Lines(file, patch.Unicode, keys, maxVotes) {
		key := keys[i]
		for _, stray := range strays[key] {
			if len(places) > 0 && weight(key) == 1 {
				stray.s.stray = stray.l
			}
		}
		if len(places) > maxVotes {
			continue
		}
		for _, s := range adds[key] {
			s.addsNew = s.addsNew || len(places) == 0
		}
		for _, b := range ballots[key] {
			if weight(key) == 1 {
				b.s.stands[key] = places
			}
			if len(places) == 1 {
				b.s.unique[places[0]] = true
			}
			for _, n := range places {
				b.part.votes[n-b.index] += b.s.weight(b.part.from + b.index)
			}
		}
	}
}

// likelyStarts returns the lines with most votes for the start of part p, including the votes of their neighbours, the
// best first and far enough from one another.
func (s *search) likelyStarts(p *part) []int {
	slack := slack(p.to - p.from)
	starts := slices.Sorted(maps.Keys(p.votes))
	sum := make([]float64, len(starts))
	low, high, total := 0, 0, 0.0
	for i, n := range starts {
		for ; high < len(starts) && starts[high] <= n+slack; high++ {
			total += p.votes[starts[high]]
		}
		for ; starts[low] < n-slack; low++ {
			total -= p.votes[starts[low]]
		}
		sum[i] = total
	}
	order := make([]int, len(starts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if c := cmpFloat(sum[b], sum[a]); c != 0 {
			return c
		}
		return cmpFloat(p.votes[starts[b]], p.votes[starts[a]])
	})
	var out []int
	for _, i := range order {
		if len(out) == maxAlignments || sum[i] < max(p.total/3, sum[order[0]]/2)-1e-9 {
			break
		}
		if !slices.ContainsFunc(out, func(n int) bool { return max(n-starts[i], starts[i]-n) <= slack/2 }) {
			out = append(out, starts[i])
		}
	}
	return out
}

// slack returns the distance by which a part of n lines is moved around the line that the votes give. It is smaller for
// a long part, to bound the cost.
func slack(n int) int { return min(2+n/4, maxSlack, max(4, maxCosts/max(n, 1))) }

// mostSimilar looks for the line most similar to the longest one of part p, of which no line is in the file. It returns
// where the part would begin and how many other lines are as similar; rivals is -1 if there is none.
func (s *search) mostSimilar(p *part) (begin, rivals int) {
	long, at := "", 0
	for i, l := range s.old[p.from:p.to] {
		if l = strings.TrimSpace(l); len(l) > len(long) {
			long, at = l, i
		}
	}
	best, where, budget := 0.0, 0, maxScan
	rivals = -1
	for n := 0; n < s.file.Len() && budget > 0; n++ {
		line := strings.TrimSpace(s.file.Line(n))
		budget -= len(line)
		switch like := match.Similarity(line, long); {
		case like < 0.6:
		case like > best+0.05:
			best, where, rivals = like, n, 0
		case like > best-0.05:
			rivals++
		}
	}
	return where - at, rivals
}

// voteForEnds lets the first and the last line of an old text vote for the lines that they are the end and the beginning
// of. Since they may be such parts, a place may lack them at no cost.
func (s *search) voteForEnds() {
	old := s.hunk.Old()
	if len(old) < 2 {
		return
	}
	first, last := old[0], old[len(old)-1]
	s.voteFor(first, 0, strings.HasSuffix)
	s.voteFor(last, len(old)-1, strings.HasPrefix)
	p := &s.parts[0]
	p.total = max(p.total/2, p.total-weight(first)-weight(last))
}

// voteFor lets line i of the old text vote for the lines that it is a part of, unless there are many.
func (s *search) voteFor(line string, i int, part func(whole, part string) bool) {
	var at []int
	for n := 0; n < s.file.Len() && weight(line) == 1; n++ {
		if whole := s.file.Line(n); len(whole) > len(line) && part(whole, line) {
			if at = append(at, n); len(at) > maxVotes {
				return
			}
		}
	}
	for _, n := range at {
		s.parts[0].votes[n-i] += weight(line)
	}
}
