package damage

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// The damages of this file were added after the engine was first tuned.

// twinBeside puts a near twin of what a hunk shows right above or below it into the file, as if somebody had copied and edited it. A hunk that
// begins with an addition gets none above: its text says that the lines go right above its context, and so below the twin.
func twinBeside(r *rand.Rand, c *Case) bool {
	h := c.Hunks[r.IntN(len(c.Hunks))]
	from, to := h.From, h.From+len(h.old())
	if from == to {
		return false
	}
	twin, ok := c.alike(r, c.change.old[from:to])
	if !ok {
		return false
	}
	at := []int{from, to}[r.IntN(2)]
	if at == from && h.Lines[0][0] == '+' {
		return false
	}
	c.disk.insert(at, twin...)
	return r.IntN(2) == 0 || c.mistypeIn(r, slices.IndexFunc(c.Hunks, func(o Hunk) bool { return o.From == h.From }))
}

// runsOfContext returns the places of two lines of context of the hunks, one below the other, different and not blank.
func (c *Case) runsOfContext() (out []spot) {
	for i, h := range c.Hunks {
		for j := 1; j < len(h.Lines); j++ {
			a, b := h.Lines[j-1], h.Lines[j]
			if a[0] == ' ' && b[0] == ' ' && a != b && trim(a) != "" && trim(b) != "" {
				out = append(out, spot{i, j})
			}
		}
	}
	return out
}

// contextReordered exchanges two lines of context.
func contextReordered(r *rand.Rand, c *Case) bool {
	all := c.runsOfContext()
	if len(all) == 0 {
		return false
	}
	s := all[r.IntN(len(all))]
	lines := c.Hunks[s.hunk].Lines
	lines[s.line-1], lines[s.line] = lines[s.line], lines[s.line-1]
	// Next to an added line it is open on which side of which of them that goes.
	c.open = c.open || s.line > 1 && lines[s.line-2][0] == '+' || s.line+1 < len(lines) && lines[s.line+1][0] == '+'
	return true
}

// linesReordered exchanges two lines of the file that a hunk shows as context.
func linesReordered(r *rand.Rand, c *Case) bool {
	all := c.runsOfContext()
	if len(all) == 0 {
		return false
	}
	s := all[r.IntN(len(all))]
	h := c.Hunks[s.hunk]
	n := h.From
	for _, l := range h.Lines[:s.line] {
		if l[0] != '+' {
			n++
		}
	}
	c.disk.set(n-1, c.change.old[n])
	c.disk.set(n, c.change.old[n-1])
	c.open = c.open || s.line > 1 && h.Lines[s.line-2][0] == '+' || s.line+1 < len(h.Lines) && h.Lines[s.line+1][0] == '+'
	return true
}

// contextTwice writes a line of context twice.
func contextTwice(r *rand.Rand, c *Case) bool {
	all := c.spots(" ", word.MatchString)
	if len(all) == 0 {
		return false
	}
	s := all[r.IntN(len(all))]
	h := &c.Hunks[s.hunk]
	h.Lines = slices.Insert(h.Lines, s.line, h.Lines[s.line])
	return true
}

// linesJoined writes two lines of context as one.
func linesJoined(r *rand.Rand, c *Case) bool {
	all := c.runsOfContext()
	if len(all) == 0 {
		return false
	}
	s := all[r.IntN(len(all))]
	h := &c.Hunks[s.hunk]
	h.Lines[s.line-1] += " " + strings.TrimSpace(h.Lines[s.line][1:])
	h.Lines = slices.Delete(h.Lines, s.line, s.line+1)
	return true
}

// lineWrapped breaks a line of context or a removed one in two, at a space.
func lineWrapped(r *rand.Rand, c *Case) bool {
	all := c.spots(" -", func(text string) bool { return strings.Contains(strings.TrimSpace(text), " ") && len(text) > 20 })
	if len(all) == 0 {
		return false
	}
	s := all[r.IntN(len(all))]
	h := &c.Hunks[s.hunk]
	l := h.Lines[s.line]
	at := strings.LastIndexByte(strings.TrimRight(l, " "), ' ')
	h.Lines = slices.Replace(h.Lines, s.line, s.line+1, l[:at], l[:1]+l[at+1:])
	return true
}

// abbreviated writes dots for the second half of a line of context or a removed one.
func abbreviated(r *rand.Rand, c *Case) bool {
	all := c.spots(" -", func(text string) bool { return len(trim(text)) > 20 })
	if len(all) == 0 {
		return false
	}
	c.rewrite(all[r.IntN(len(all))], func(text string) string {
		n := indent(text) + len(trim(text))/2
		return strings.ToValidUTF8(text[:n], "") + "..."
	})
	return true
}

// partShifted writes the context of a hunk, and the first of its added lines, further right. Where the hunk removes nothing, and all added
// lines are indented by as much, it looks like a hunk that stands further right as a whole.
func partShifted(r *rand.Rand, c *Case) bool {
	h := &c.Hunks[r.IntN(len(c.Hunks))]
	more := []string{"    ", "  ", "\t"}[r.IntN(3)]
	adds := 0
	for _, l := range h.Lines {
		if l[0] == '+' && trim(l[1:]) != "" {
			adds++
		}
	}
	if adds < 2 {
		return false
	}
	left, shown := 1+r.IntN(adds-1), false
	for j, l := range h.Lines {
		switch {
		case trim(l[1:]) == "":
		case l[0] == ' ':
			h.Lines[j], shown = " "+more+l[1:], true
		case l[0] == '+' && left > 0:
			h.Lines[j] = "+" + more + l[1:]
			left--
		}
	}
	c.open = true
	c.lossy = c.lossy || len(h.removed()) == 0 && !slices.ContainsFunc(h.Lines, func(l string) bool {
		return l[0] == '+' && trim(l[1:]) != "" && !strings.HasPrefix(l[1:], more)
	})
	return shown
}

// moved moves the lines that a hunk changes, and the next line of context on either side, to another place of the file.
func moved(r *rand.Rand, c *Case) bool {
	one, ok := c.only(r.IntN(len(c.Hunks)))
	if !ok || len(one.Hunks) != 1 {
		return false
	}
	blocks, old := one.change.blocks, one.change.old
	from, to := max(0, blocks[0].a0-1), min(len(old), blocks[len(blocks)-1].a1+1)
	h := one.Hunks[0]
	covered := one.covered()
	var free []int
	for n := range covered {
		if !covered[n] && (n == 0 || !covered[n-1]) && (n < from || n > to) {
			free = append(free, n)
		}
	}
	if len(free) == 0 || from == to {
		return false
	}
	at := free[r.IntN(len(free))]
	move := func(lines []string, from, to, at int) string {
		block := slices.Clone(lines[from:to])
		if at > from {
			at -= to - from
		}
		return join(slices.Insert(slices.Delete(slices.Clone(lines), from, to), at, block...))
	}
	grown := len(one.change.new) - len(old)
	after := at
	if at > from {
		after += grown
	}
	ch, ok := NewChange(c.Path, move(old, from, to, at), move(one.change.new, from, to+grown, after))
	if !ok {
		return false
	}
	fresh, ok := ch.Write(c.form)
	if !ok || len(fresh.Hunks) != 1 {
		return false
	}
	fresh.Hunks[0].Lines, fresh.Hunks[0].Anchor = h.Lines, ""
	*c = *fresh
	return true
}

// removedAsAdded writes the first line that a hunk adds in place of the line that it replaces.
func removedAsAdded(r *rand.Rand, c *Case) bool {
	var all []spot
	for i, h := range c.Hunks {
		for j := 1; j < len(h.Lines); j++ {
			if h.Lines[j-1][0] == '-' && h.Lines[j][0] == '+' && trim(h.Lines[j][1:]) != "" {
				all = append(all, spot{i, j})
			}
		}
	}
	if len(all) == 0 {
		return false
	}
	s := all[r.IntN(len(all))]
	lines := c.Hunks[s.hunk].Lines
	lines[s.line-1] = "-" + lines[s.line][1:]
	c.open = true
	return true
}

// renamedSince gives a name of the hunks' lines another spelling in the whole file.
func renamedSince(r *rand.Rand, c *Case) bool {
	all := c.spots(" ", func(text string) bool { return len(tokens.FindString(text)) > 3 })
	if len(all) == 0 {
		return false
	}
	s := all[r.IntN(len(all))]
	names := tokens.FindAllString(c.Hunks[s.hunk].Lines[s.line], -1)
	name := names[r.IntN(len(names))]
	for n, l := range c.change.old {
		if now := tokens.ReplaceAllStringFunc(l, func(t string) string {
			if t == name {
				return "renamed" + t
			}
			return t
		}); now != l {
			c.disk.set(n, now)
		}
	}
	return true
}
