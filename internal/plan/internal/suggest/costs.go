package suggest

import (
	"math"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// costs are the costs of laying keys over lines. ahead[i] is the cost of laying the first i keys and behind[i] that of
// the others, each by the line of the file that comes next.
type costs struct {
	part    *part
	keys    []string
	removed []bool   // by key: the hunk removes its line
	lines   []string // folded: those of the file from first on
	first   int
	begin   int // where in lines a straight laying begins; may be negative
	slack   int
	partial bool // see search.partial

	omitKey, omitLine []float64 // what it costs that a key, or a line, is left out
	ahead, behind     [][]float64
	pairing           [][]float64 // by key and line: what it costs that one stands for the other
	best              float64
}

func (s *search) costs(p *part, begin int) *costs {
	c := &costs{part: p, keys: s.keys[p.from:p.to], removed: s.removed[p.from:p.to], slack: slack(p.to - p.from), partial: s.partial}
	c.first = max(0, begin-c.slack)
	for n := c.first; n < min(s.file.Len(), begin+len(c.keys)+c.slack); n++ {
		c.lines = append(c.lines, match.Fold(patch.Unicode, s.file.Line(n)))
	}
	c.begin = begin - c.first
	for _, key := range c.keys {
		c.omitKey = append(c.omitKey, omission(key))
	}
	for _, line := range c.lines {
		c.omitLine = append(c.omitLine, omission(line))
	}
	return c
}

// omission is the cost of leaving a line out.
func omission(line string) float64 { return max(0.3, weight(line)) }

// pairContext is the cost of pairing key i, a line of context, with line j.
func (c *costs) pairContext(i, j int) float64 {
	const most = 400
	mine, theirs := c.keys[i], c.lines[j]
	if mine == theirs {
		return 0
	}
	mine, theirs = mine[:min(len(mine), most)], theirs[:min(len(theirs), most)]
	like := match.Similarity(mine, theirs)
	if extends(mine, theirs) || extends(theirs, mine) {
		like = max(like, 0.6)
	}
	if like >= 0.5 {
		return (1 - like) * c.omitKey[i]
	}
	return 0.95 * (c.omitKey[i] + c.omitLine[j])
}

// extends reports whether long is short with text added in one place.
func extends(short, long string) bool {
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

// pairCost is the cost of pairing key i with line j. In a text edit the first and the last key may be parts of lines.
func (c *costs) pairCost(i, j int) float64 {
	mine, theirs := c.keys[i], c.lines[j]
	if c.partial && mine != "" && (i == 0 && strings.HasSuffix(theirs, mine) || i == len(c.keys)-1 && strings.HasPrefix(theirs, mine)) {
		return 0
	}
	if plain := c.pairContext(i, j); plain > 0 {
		return c.factor(i)*plain + c.factor(i) - 1
	}
	return 0
}

// factor returns the weight of key i, compared with a line of context.
func (c *costs) factor(i int) float64 {
	if c.removed[i] && !c.partial {
		return removedWeight
	}
	return 1
}

func (c *costs) omitCost(i int) float64 { return c.factor(i) * c.omitKey[i] }

// bounds returns the lines that may come next once i keys are laid.
func (c *costs) bounds(i int) (low, high int) {
	return max(0, c.begin+i-c.slack), min(len(c.lines), c.begin+i+c.slack)
}

func (c *costs) table() [][]float64 {
	out := make([][]float64, len(c.keys)+1)
	for i := range out {
		low, high := c.bounds(i)
		out[i] = make([]float64, max(0, high-low+1))
		for j := range out[i] {
			out[i][j] = math.Inf(1)
		}
	}
	return out
}

// at returns the entry of t for line j once i keys are laid.
func (c *costs) at(t [][]float64, i, j int) float64 {
	low, high := c.bounds(i)
	if j < low || j > high {
		return math.Inf(1)
	}
	return t[i][j-low]
}

func (c *costs) forward() {
	c.ahead, c.pairing = c.table(), make([][]float64, len(c.keys))
	for i := range c.ahead {
		low, high := c.bounds(i)
		if i > 0 {
			c.pairing[i-1] = make([]float64, max(0, high-low+1))
		}
		for j := low; j <= high; j++ {
			best := math.Inf(1)
			if i == 0 {
				best = 0
			}
			if i > 0 {
				best = c.at(c.ahead, i-1, j) + c.omitCost(i-1)
				if j > 0 {
					price := c.pairCost(i-1, j-1)
					c.pairing[i-1][j-low] = price
					best = min(best, c.at(c.ahead, i-1, j-1)+price)
				}
			}
			if 0 < i && i < len(c.keys) && j > low {
				best = min(best, c.ahead[i][j-1-low]+c.omitLine[j-1])
			}
			c.ahead[i][j-low] = best
		}
	}
}

// pairAt is pairCost, out of the table that forward makes; infinite outside of it.
func (c *costs) pairAt(i, j int) float64 {
	low, high := c.bounds(i + 1)
	if j+1 < low || j+1 > high || j < 0 {
		return math.Inf(1)
	}
	return c.pairing[i][j+1-low]
}

func (c *costs) backward() {
	c.behind = c.table()
	m := len(c.keys)
	c.best = math.Inf(1)
	for i := m; i >= 0; i-- {
		low, high := c.bounds(i)
		for j := high; j >= low; j-- {
			best := 0.0
			if i == m {
				c.best = min(c.best, c.ahead[i][j-low])
			} else {
				best = c.at(c.behind, i+1, j) + c.omitCost(i)
				if j < len(c.lines) {
					best = min(best, c.at(c.behind, i+1, j+1)+c.pairAt(i, j))
				}
				if 0 < i && j < high {
					best = min(best, c.behind[i][j+1-low]+c.omitLine[j])
				}
			}
			c.behind[i][j-low] = best
		}
	}
}

// cheapest follows the cheapest way.
func (c *costs) cheapest(st *alignment) {
	st.from, st.to = nothing, nothing
	low, high := c.bounds(0)
	i, j := 0, low
	for at := low; at <= high; at++ {
		if c.at(c.behind, 0, at) < c.at(c.behind, 0, j)-1e-9 {
			j = at
		}
	}
	for i < len(c.keys) && j <= len(c.lines) {
		left := c.at(c.behind, i, j)
		switch {
		case j < len(c.lines) && atMost(left, c.at(c.behind, i+1, j+1)+c.pairAt(i, j)):
			if st.from == nothing {
				st.from = c.first + j
			}
			st.image[c.part.from+i] = c.first + j
			st.to = c.first + j + 1
			i, j = i+1, j+1
		case atMost(left, c.at(c.behind, i+1, j)+c.omitCost(i)):
			i++
		default:
			j++
		}
	}
}

func atMost(a, b float64) bool { return a > b-1e-9 }

// enough reports whether the file has a third of what the lines say.
func (c *costs) enough(st *alignment) bool {
	same := 0.0
	for i, key := range c.keys {
		if n := st.image[c.part.from+i]; n != nothing && (key == c.lines[n-c.first] || len(c.keys) <= 2) {
			same += c.factor(i) * weight(key)
		}
	}
	return same >= c.part.total/3
}

// completeness reports whether all keys are there, and whether only blank lines of the file are left out between them.
func (c *costs) completeness(st *alignment) (whole, full bool) {
	for i, key := range c.keys {
		if n := st.image[c.part.from+i]; n == nothing || c.lines[n-c.first] != key {
			return false, false
		}
	}
	for n := st.from; n < st.to; n++ {
		if c.lines[n-c.first] != "" && !slices.Contains(st.image, n) {
			return true, false
		}
	}
	return true, true
}

// certain reports whether key i can stand for no line of the file but n.
func (c *costs) certain(i, n int) bool {
	low, high := c.bounds(i)
	for j := low; j <= high && j < len(c.lines); j++ {
		if j+c.first != n && c.at(c.ahead, i, j)+c.pairAt(i, j)+c.at(c.behind, i+1, j+1) <= c.best+margin {
			return false
		}
	}
	return true
}
