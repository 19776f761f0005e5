package damage

import (
	"math/rand/v2"
	"slices"
)

// repeatedBlocks writes the hunks with one line of context where this leaves one of them several places. Half of the time they
// have the heading that tells which.
func repeatedBlocks(r *rand.Rand, c *Case) bool {
	hunks := c.change.hunks(1)
	if !slices.ContainsFunc(hunks, func(h Hunk) bool { return len(places(c.change.old, h.old())) > 1 }) {
		return false
	}
	if c.form == Anchored && r.IntN(2) == 0 {
		c.change.anchor(hunks)
	}
	c.Hunks = hunks
	return c.form != Beside || beside(hunks)
}

// alike returns a near twin of lines: one name or number in a few of them is another.
func (c *Case) alike(r *rand.Rand, lines []string) ([]string, bool) {
	out := slices.Clone(lines)
	var named []int
	for i, l := range out {
		if tokens.MatchString(l) {
			named = append(named, i)
		}
	}
	if len(named) == 0 {
		return nil, false
	}
	for range 1 + len(named)/4 {
		i := named[r.IntN(len(named))]
		out[i] = c.replaceToken(r, out[i])
	}
	return out, !slices.Equal(out, lines)
}

// site chooses a hunk, the lines around it, and a line far from all hunks above which a twin of them can stand.
func (c *Case) site(r *rand.Rand) (hunk int, lines []string, at int, ok bool) {
	covered := c.covered()
	hunk = r.IntN(len(c.Hunks))
	h := c.Hunks[hunk]
	from, to := max(0, h.From-2), min(len(c.change.old), h.From+len(h.old())+2)
	var free []int
	for n := range covered {
		if !covered[n] && (n == 0 || !covered[n-1]) {
			free = append(free, n)
		}
	}
	if len(free) == 0 || len(h.old()) == 0 {
		return 0, nil, 0, false
	}
	return hunk, c.change.old[from:to], free[r.IntN(len(free))], true
}

// nearTwin gives the file, as its author read it, a near twin of what a hunk shows, and the hunk a typing mistake.
func nearTwin(r *rand.Rand, c *Case) bool {
	hunk, lines, at, ok := c.site(r)
	if !ok {
		return false
	}
	twin, ok := c.alike(r, lines)
	if !ok {
		return false
	}
	shift := 0
	for _, b := range c.change.blocks {
		if b.a1 <= at {
			shift += (b.b1 - b.b0) - (b.a1 - b.a0)
		}
	}
	before := slices.Insert(slices.Clone(c.change.old), at, twin...)
	after := slices.Insert(slices.Clone(c.change.new), at+shift, twin...)
	ch, ok := NewChange(c.Path, join(before), join(after))
	if !ok {
		return false
	}
	fresh, ok := ch.Write(c.form)
	if !ok || len(fresh.Hunks) != len(c.Hunks) {
		return false
	}
	*c = *fresh
	return c.mistypeIn(r, hunk)
}

// mistypeIn makes a typing mistake in a line of context or a removed line of one hunk.
func (c *Case) mistypeIn(r *rand.Rand, hunk int) bool {
	all := slices.DeleteFunc(c.spots(" -", word.MatchString), func(s spot) bool { return s.hunk != hunk })
	if len(all) == 0 {
		return false
	}
	c.rewrite(all[r.IntN(len(all))], func(text string) string { return mistype(r, text) })
	return true
}

// insertedTwin puts a near twin of what a hunk shows into the file, which its author did not see, and half of the time gives the
// hunk a typing mistake.
func insertedTwin(r *rand.Rand, c *Case) bool {
	hunk, lines, at, ok := c.site(r)
	if !ok {
		return false
	}
	twin, ok := c.alike(r, lines)
	if !ok {
		return false
	}
	c.disk.insert(at, twin...)
	return r.IntN(2) == 0 || c.mistypeIn(r, hunk)
}
