package damage

import (
	"math/rand/v2"
	"slices"
)

// sentTwice writes hunks with the heading that encloses them and little context. The file is as their first application left it.
func sentTwice(_ *rand.Rand, c *Case) bool {
	for n := 1; n <= 3; n++ {
		hunks := c.change.hunks(n)
		if !c.change.head(hunks) || !c.change.unique(hunks) {
			continue
		}
		if c.Hunks = hunks; c.form == Beside && !beside(hunks) {
			return false
		}
		for _, h := range c.Hunks {
			c.make(h)
		}
		c.resent = true
		return true
	}
	return false
}

// head gives hunks the heading that encloses them, where the file has it once. It reports whether one hunk got one.
func (c *Change) head(hunks []Hunk) bool {
	done := false
	for i := range hunks {
		h := &hunks[i]
		for _, n := range c.headers(h.From) {
			if h.Anchor = trim(c.old[n]); len(linesWith(c.old, h.Anchor)) == 1 && len(linesWith(c.new, h.Anchor)) == 1 {
				done = true
				break
			}
			h.Anchor = ""
		}
	}
	return done
}

// hunkTwice has one hunk in the patch twice, right behind each other or with others between them.
func hunkTwice(r *rand.Rand, c *Case) bool {
	i := r.IntN(len(c.Hunks))
	at := i + 1 + r.IntN(len(c.Hunks)-i)
	again := clone(c.Hunks[i : i+1])
	c.Hunks = slices.Insert(c.Hunks, at, again...)
	c.twin = at + 1
	return true
}

// removalsDone takes the lines that one hunk replaces out of the file. What the hunk adds is not there yet.
func removalsDone(r *rand.Rand, c *Case) bool {
	for _, i := range r.Perm(len(c.Hunks)) {
		done := false
		for _, n := range c.blocksOf(c.Hunks[i]) {
			if b := c.change.blocks[n]; b.b0 < b.b1 && word.MatchString(join(c.change.old[b.a0:b.a1])) {
				for l := b.a0; l < b.a1; l++ {
					c.disk.remove(l)
				}
				done = true
			}
		}
		if done {
			return true
		}
	}
	return false
}

func (d *disk) remove(n int) {
	if d.gone == nil {
		d.gone = map[int]bool{}
	}
	d.gone[n] = true
}

// firstHalf makes the first half of the changes of one hunk.
func firstHalf(r *rand.Rand, c *Case) bool {
	for _, i := range r.Perm(len(c.Hunks)) {
		if blocks := c.blocksOf(c.Hunks[i]); len(blocks) > 1 {
			if c.disk.made == nil {
				c.disk.made = map[int]bool{}
			}
			for _, n := range blocks[:len(blocks)/2] {
				c.disk.made[n] = true
			}
			return true
		}
	}
	return false
}
