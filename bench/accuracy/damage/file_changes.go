package damage

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
)

func quote(text string) string {
	out, _ := json.Marshal(text)
	return string(out)
}

// blocksOf returns the numbers of the blocks in h.
func (c *Case) blocksOf(h Hunk) (out []int) {
	end := h.From + len(h.old())
	for i, b := range c.change.blocks {
		if b.a0 >= h.From && b.a1 <= end {
			out = append(out, i)
		}
	}
	return out
}

func (c *Case) make(h Hunk) {
	if c.disk.made == nil {
		c.disk.made = map[int]bool{}
	}
	for _, i := range c.blocksOf(h) {
		c.disk.made[i] = true
	}
}

func oneApplied(r *rand.Rand, c *Case) bool {
	if len(c.Hunks) < 2 {
		return false
	}
	c.make(c.Hunks[r.IntN(len(c.Hunks))])
	c.resent = true
	return true
}

func allApplied(_ *rand.Rand, c *Case) bool {
	for _, h := range c.Hunks {
		c.make(h)
	}
	c.resent = true
	return true
}

// covered reports for every line of the file, and for its end, whether a hunk shows it.
func (c *Case) covered() []bool {
	out := make([]bool, len(c.change.old)+1)
	for _, h := range c.Hunks {
		for _, n := range h.shown() {
			out[n] = true
		}
	}
	return out
}

func (d *disk) insert(n int, lines ...string) {
	if d.above == nil {
		d.above = map[int][]string{}
	}
	d.above[n] = append(d.above[n], lines...)
}

// changedNearby changes or inserts lines within ten lines of the hunks.
func changedNearby(r *rand.Rand, c *Case) bool {
	const close = 10
	covered := c.covered()
	var near []int
	for n := range c.change.old {
		from, to := max(0, n-close), min(len(covered), n+close)
		if !covered[n] && (n == 0 || !covered[n-1]) && slices.Contains(covered[from:to], true) {
			near = append(near, n)
		}
	}
	if len(near) == 0 {
		return false
	}
	for range 1 + r.IntN(3) {
		n := near[r.IntN(len(near))]
		if was := c.change.old[n]; r.IntN(2) == 0 || trim(was) == "" {
			c.disk.insert(n, was[:indent(was)]+"a new line that nobody has seen")
		} else {
			c.disk.set(n, was+" changed meanwhile")
		}
	}
	return true
}

// changedInside changes a line of context, or inserts one between two that stay.
func changedInside(r *rand.Rand, c *Case) bool {
	var lines, gaps []int
	for _, h := range c.Hunks {
		at := h.From
		for i, l := range h.Lines {
			if l[0] == '+' {
				continue
			}
			if l[0] == ' ' && trim(l) != "" {
				lines = append(lines, at)
			}
			if l[0] == ' ' && i > 0 && h.Lines[i-1][0] == ' ' {
				gaps = append(gaps, at)
			}
			at++
		}
	}
	switch {
	case len(gaps) > 0 && r.IntN(2) == 0:
		n := gaps[r.IntN(len(gaps))]
		was := c.change.old[n]
		c.disk.insert(n, was[:indent(was)]+"a new line that nobody has seen")
	case len(lines) > 0:
		n := lines[r.IntN(len(lines))]
		c.disk.set(n, c.change.old[n]+" changed meanwhile")
	default:
		return false
	}
	return true
}

// duplicated inserts a copy of what a hunk shows, and of a few lines around it, where no hunk is.
func duplicated(r *rand.Rand, c *Case) bool {
	covered := c.covered()
	h := c.Hunks[r.IntN(len(c.Hunks))]
	from, to := max(0, h.From-2), min(len(c.change.old), h.From+len(h.old())+2)
	var free []int
	for n := range covered {
		if !covered[n] && (n == 0 || !covered[n-1]) {
			free = append(free, n)
		}
	}
	if len(free) == 0 || len(h.old()) == 0 {
		return false
	}
	c.disk.insert(free[r.IntN(len(free))], c.change.old[from:to]...)
	return true
}
