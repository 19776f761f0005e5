package damage

import (
	"math/rand/v2"
	"slices"

	"znkr.io/diff"
)

// twoVersionsOlder gives the patch the file of the version before the one that its author read. The patch is one hunk of the
// change, one that does not stand in the older file; mostly one whose result is known.
func twoVersionsOlder(r *rand.Rand, c *Case) bool {
	if c.change.Older == nil {
		return false
	}
	older, ok := c.change.Older()
	if !ok || older == c.change.Old || !plainLines(older) {
		return false
	}
	var known, others []*Case
	for i := range c.Hunks {
		one, ok := c.only(i)
		if !ok || !one.becomes(split(older)) {
			continue
		}
		if one.lossy {
			others = append(others, one)
		} else {
			known = append(known, one)
		}
	}
	if len(known)+len(others) == 0 {
		return false
	}
	if len(known) == 0 || len(others) > 0 && r.IntN(8) == 0 {
		known = others
	}
	*c = *known[r.IntN(len(known))]
	return true
}

// only returns the case of a patch that has hunk i alone.
func (c *Case) only(i int) (*Case, bool) {
	var now []string
	at := 0
	for _, n := range c.blocksOf(c.Hunks[i]) {
		b := c.change.blocks[n]
		now = slices.Concat(now, c.change.old[at:b.a0], c.change.new[b.b0:b.b1])
		at = b.a1
	}
	ch, ok := NewChange(c.Path, c.change.Old, join(append(now, c.change.old[at:]...)))
	if !ok {
		return nil, false
	}
	return ch.Write(c.form)
}

// otherChangesMissing writes the patch of some changes for a file that has the others. The file does not have these.
func otherChangesMissing(r *rand.Rand, c *Case) bool {
	const close = 2 // lines: a hunk with three lines of context shows the neighbour
	all := c.change.blocks
	var pairs []int
	for i := 1; i < len(all); i++ {
		if all[i].a0-all[i-1].a1 <= close {
			pairs = append(pairs, i)
		}
	}
	if len(pairs) == 0 {
		return false
	}
	first := pairs[r.IntN(len(pairs))]
	theirs := map[int]bool{first - r.IntN(2): true} // one of two neighbours
	for i := range all {
		if i != first && i != first-1 && r.IntN(2) == 0 {
			theirs[i] = true
		}
	}
	var read []string
	at := 0
	for i, b := range all {
		if theirs[i] {
			read = append(append(read, c.change.old[at:b.a0]...), c.change.new[b.b0:b.b1]...)
			at = b.a1
		}
	}
	read = append(read, c.change.old[at:]...)
	ch, ok := NewChange(c.Path, join(read), c.change.New)
	if !ok {
		return false
	}
	disk := c.change.old
	fresh, ok := ch.Write(c.form)
	if !ok {
		return false
	}
	*c = *fresh
	return c.becomes(disk)
}

// becomes makes lines the file. It reports false if all hunks stand in it all the same. What the change makes of it is settled
// by the change's own lines and their neighbours: lines that it replaces must all stand there, next to each other, and lines
// that it adds must have the same neighbours. Else it is not to be told what both changes together are.
func (c *Case) becomes(lines []string) bool {
	var opts []diff.Option
	if len(c.change.old)+len(lines) <= small {
		opts = append(opts, diff.Minimal())
	}
	for _, h := range diff.Hunks(c.change.old, lines, append(opts, diff.Context(0))...) {
		for n := h.PosX; n < h.EndX; n++ {
			c.disk.remove(n)
		}
		if h.PosY < h.EndY {
			c.disk.insert(h.PosX, lines[h.PosY:h.EndY]...)
		}
	}
	for _, b := range c.change.blocks {
		c.lossy = c.lossy || !c.disk.keeps(b) || !c.knows(b)
	}
	stale := slices.ContainsFunc(c.Hunks, func(h Hunk) bool { return len(places(lines, h.old())) != 1 })
	return stale
}

// keeps reports whether all of what a block replaces is there with nothing in between, or whether what stood on both sides of
// its added lines still does so.
func (d *disk) keeps(b block) bool {
	if b.a0 == b.a1 {
		return !d.gone[b.a0-1] && !d.gone[b.a0] && len(d.above[b.a0]) == 0
	}
	for n := b.a0; n < b.a1; n++ {
		if d.gone[n] || n > b.a0 && len(d.above[n]) > 0 {
			return false
		}
	}
	return true
}

// knows reports whether a line with a word that a block replaces, or that stands beside it, is still there and not parted from it
// by other lines. Brackets and blank lines are found everywhere.
func (c *Case) knows(b block) bool {
	const reach = 3
	named := func(n int) bool { return word.MatchString(c.change.old[n]) }
	for n := b.a0; n < b.a1; n++ {
		if named(n) {
			return true
		}
	}
	for n := b.a0 - 1; n >= max(0, b.a0-reach) && len(c.disk.above[n+1]) == 0; n-- {
		if named(n) && !c.disk.gone[n] {
			return true
		}
	}
	for n := b.a1; n < min(len(c.change.old), b.a1+reach) && len(c.disk.above[n]) == 0; n++ {
		if named(n) && !c.disk.gone[n] {
			return true
		}
	}
	return false
}
