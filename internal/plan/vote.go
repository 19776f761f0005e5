package plan

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// vote lets every old line of every hunk vote for where its part begins, and notes whose added lines are not there.
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
	for _, s := range open {
		for _, l := range s.lines {
			if l.Mark() == '+' {
				key := match.Fold(patch.Unicode, l.Text())
				adds[key] = append(adds[key], s)
				ballots[key] = append(ballots[key], nil...) // sought, even if nobody votes with it
			}
		}
	}
	keys := slices.Sorted(maps.Keys(ballots))
	for i, places := range match.Lines(file, patch.Unicode, keys, maxVotes) {
		if len(places) > maxVotes {
			continue
		}
		key := keys[i]
		for _, s := range adds[key] {
			s.fresh = s.fresh || len(places) == 0
		}
		for _, b := range ballots[key] {
			if len(places) == 1 {
				b.s.sole[places[0]] = true
			}
			for _, n := range places {
				b.part.votes[n-b.index] += weight(key)
			}
		}
	}
}

// weight is how much a line says about where it is: a closing bracket little, words much.
func weight(line string) float64 {
	n := 0
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if n++; n == 3 {
				return 1
			}
		}
	}
	return 0.1
}

// begins is the lines of the file with most votes for part p, those of their neighbours counted in, far enough from
// one another, the best first.
func (s *search) begins(p *part) []int {
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
		if len(out) == maxStands || sum[i] < max(p.total/3, sum[order[0]]/2)-1e-9 {
			break
		}
		if !slices.ContainsFunc(out, func(n int) bool { return max(n-starts[i], starts[i]-n) <= slack/2 }) {
			out = append(out, starts[i])
		}
	}
	return out
}

// slack is how far a part of n lines is moved about where the votes put it: less where it is long, for the cost.
func slack(n int) int { return min(2+n/4, maxSlack, max(4, maxGrid/max(n, 1))) }

// resemble looks for the line most like part p's longest one, for a part whose lines are nowhere. It returns where the
// part would begin, and how many other lines are as good; -1 when there is none.
func (s *search) resemble(p *part) (begin, rivals int) {
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
		switch like := alike(line, long); {
		case like < 0.6:
		case like > best+0.05:
			best, where, rivals = like, n, 0
		case like > best-0.05:
			rivals++
		}
	}
	return where - at, rivals
}

// alike is the share of two lines that they have in common at both ends.
func alike(a, b string) float64 {
	n := min(len(a), len(b))
	if n == 0 || 2*n < max(len(a), len(b)) {
		return 0
	}
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	j := 0
	for j < n-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	return float64(i+j) / float64(max(len(a), len(b)))
}
