package plan

import (
	"math"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// lay finds the cheapest way to lay part p over the file around line begin, and which of its lines have no other image
// in ways that cost at most a margin more.
//
// A line may stand for an equal one, for another one, or for nothing; lines of the file in between may be left out. Only
// images at most slack lines away from a straight laying are looked at.
func (s *search) lay(p *part, begin int) (stand, bool) {
	g := s.grid(p, begin)
	if len(g.lines) == 0 {
		return stand{}, false
	}
	g.forward()
	g.backward()
	if math.IsInf(g.best, 1) {
		return stand{}, false
	}
	st := s.empty(g.best)
	g.trace(&st)
	if st.from < 0 || !g.enough(&st) {
		return stand{}, false
	}
	for i := range g.keys {
		st.sure[p.from+i] = g.sure(i, st.image[p.from+i])
	}
	st.whole, st.full = g.covers(&st)
	return st, true
}

// grid is the costs of laying keys over lines: ahead[i] is what it costs to lay the first i keys, behind[i] the others,
// by the line of the file that comes next.
type grid struct {
	part    *part
	keys    []string
	goes    []bool   // by key: its line is to be removed
	lines   []string // folded: those of the file from first on
	first   int
	begin   int // where in lines a straight laying begins; may be negative
	slack   int
	partial bool // see costs

	mine, theirs  []float64 // what it costs that a key, or a line, is left out
	ahead, behind [][]float64
	same          [][]float64 // by key and line: what it costs that one stands for the other
	best          float64
}

func (s *search) grid(p *part, begin int) *grid {
	g := &grid{part: p, keys: s.keys[p.from:p.to], goes: s.goes[p.from:p.to], slack: slack(p.to - p.from), partial: s.partial}
	g.first = max(0, begin-g.slack)
	for n := g.first; n < min(s.file.Len(), begin+len(g.keys)+g.slack); n++ {
		g.lines = append(g.lines, match.Fold(patch.Unicode, s.file.Line(n)))
	}
	g.begin = begin - g.first
	for _, key := range g.keys {
		g.mine = append(g.mine, leftOut(key))
	}
	for _, line := range g.lines {
		g.theirs = append(g.theirs, leftOut(line))
	}
	return g
}

// leftOut is what it costs that a line is left out.
func leftOut(line string) float64 { return max(0.3, weight(line)) }

// standsFor is what it costs that a line stands for key i, a line of context.
func (g *grid) standsFor(i, j int) float64 {
	const most = 400
	mine, theirs := g.keys[i], g.lines[j]
	if mine == theirs {
		return 0
	}
	mine, theirs = mine[:min(len(mine), most)], theirs[:min(len(theirs), most)]
	like := alike(mine, theirs)
	if grown(mine, theirs) || grown(theirs, mine) {
		like = max(like, 0.6)
	}
	if like >= 0.5 {
		return (1 - like) * g.mine[i]
	}
	return 0.95 * (g.mine[i] + g.theirs[j])
}

// grown reports whether long is short with something added in one place.
func grown(short, long string) bool {
	const least = 6
	if len(short) < least || len(long) < len(short) {
		return false
	}
	i := 0
	for i < len(short) && short[i] == long[i] {
		i++
	}
	return strings.HasSuffix(long, short[i:])
}

// costs is what it costs that key i stands for line j. In an edit the first and the last one may be parts of lines.
func (g *grid) costs(i, j int) float64 {
	mine, theirs := g.keys[i], g.lines[j]
	if g.partial && mine != "" && (i == 0 && strings.HasSuffix(theirs, mine) || i == len(g.keys)-1 && strings.HasPrefix(theirs, mine)) {
		return 0
	}
	if c := g.standsFor(i, j); c > 0 {
		return g.dear(i)*c + g.dear(i) - 1
	}
	return 0
}

// dear is how much more than a line of context key i counts.
func (g *grid) dear(i int) float64 {
	if g.goes[i] && !g.partial {
		return 3
	}
	return 1
}

func (g *grid) without(i int) float64 { return g.dear(i) * g.mine[i] }

// row is the lines that may come next once i keys are laid.
func (g *grid) row(i int) (low, high int) {
	return max(0, g.begin+i-g.slack), min(len(g.lines), g.begin+i+g.slack)
}

func (g *grid) table() [][]float64 {
	out := make([][]float64, len(g.keys)+1)
	for i := range out {
		low, high := g.row(i)
		out[i] = make([]float64, max(0, high-low+1))
		for j := range out[i] {
			out[i][j] = math.Inf(1)
		}
	}
	return out
}

// at is what t says of line j once i keys are laid.
func (g *grid) at(t [][]float64, i, j int) float64 {
	low, high := g.row(i)
	if j < low || j > high {
		return math.Inf(1)
	}
	return t[i][j-low]
}

func (g *grid) forward() {
	g.ahead, g.same = g.table(), make([][]float64, len(g.keys))
	for i := range g.ahead {
		low, high := g.row(i)
		if i > 0 {
			g.same[i-1] = make([]float64, max(0, high-low+1))
		}
		for j := low; j <= high; j++ {
			best := math.Inf(1)
			if i == 0 {
				best = 0
			}
			if i > 0 {
				best = g.at(g.ahead, i-1, j) + g.without(i-1)
				if j > 0 {
					c := g.costs(i-1, j-1)
					g.same[i-1][j-low] = c
					best = min(best, g.at(g.ahead, i-1, j-1)+c)
				}
			}
			if 0 < i && i < len(g.keys) && j > low {
				best = min(best, g.ahead[i][j-1-low]+g.theirs[j-1])
			}
			g.ahead[i][j-low] = best
		}
	}
}

// pays is what it costs that key i stands for line j.
func (g *grid) pays(i, j int) float64 {
	low, high := g.row(i + 1)
	if j+1 < low || j+1 > high || j < 0 {
		return math.Inf(1)
	}
	return g.same[i][j+1-low]
}

func (g *grid) backward() {
	g.behind = g.table()
	m := len(g.keys)
	g.best = math.Inf(1)
	for i := m; i >= 0; i-- {
		low, high := g.row(i)
		for j := high; j >= low; j-- {
			best := 0.0
			if i == m {
				g.best = min(g.best, g.ahead[i][j-low])
			} else {
				best = g.at(g.behind, i+1, j) + g.without(i)
				if j < len(g.lines) {
					best = min(best, g.at(g.behind, i+1, j+1)+g.pays(i, j))
				}
				if 0 < i && j < high {
					best = min(best, g.behind[i][j+1-low]+g.theirs[j])
				}
			}
			g.behind[i][j-low] = best
		}
	}
}

// trace follows the cheapest way.
func (g *grid) trace(st *stand) {
	st.from, st.to = nothing, nothing
	low, high := g.row(0)
	i, j := 0, low
	for at := low; at <= high; at++ {
		if g.at(g.behind, 0, at) < g.at(g.behind, 0, j)-1e-9 {
			j = at
		}
	}
	for i < len(g.keys) && j <= len(g.lines) {
		left := g.at(g.behind, i, j)
		switch {
		case j < len(g.lines) && near(left, g.at(g.behind, i+1, j+1)+g.pays(i, j)):
			if st.from == nothing {
				st.from = g.first + j
			}
			st.image[g.part.from+i] = g.first + j
			st.to = g.first + j + 1
			i, j = i+1, j+1
		case near(left, g.at(g.behind, i+1, j)+g.without(i)):
			i++
		default:
			j++
		}
	}
}

func near(a, b float64) bool { return a > b-1e-9 }

// enough reports whether a third of what the lines say is there.
func (g *grid) enough(st *stand) bool {
	same := 0.0
	for i, key := range g.keys {
		if n := st.image[g.part.from+i]; n != nothing && (key == g.lines[n-g.first] || len(g.keys) <= 2) {
			same += weight(key)
		}
	}
	return same >= g.part.total/3
}

// covers reports whether all keys are there, and whether what is left out between them is blank.
func (g *grid) covers(st *stand) (whole, full bool) {
	for i, key := range g.keys {
		if n := st.image[g.part.from+i]; n == nothing || g.lines[n-g.first] != key {
			return false, false
		}
	}
	for n := st.from; n < st.to; n++ {
		if g.lines[n-g.first] != "" && !slices.Contains(st.image, n) {
			return true, false
		}
	}
	return true, true
}

// sure reports whether key i has no other image than line n of the file.
func (g *grid) sure(i, n int) bool {
	low, high := g.row(i)
	for j := low; j <= high && j < len(g.lines); j++ {
		if j+g.first != n && g.at(g.ahead, i, j)+g.pays(i, j)+g.at(g.behind, i+1, j+1) <= g.best+margin {
			return false
		}
	}
	return true
}

// blank reports whether line n of the file is.
func (s *search) blank(n int) bool { return strings.TrimSpace(s.file.Line(n)) == "" }
