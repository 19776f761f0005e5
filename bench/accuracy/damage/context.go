package damage

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// contextOf writes the hunks again with n lines of context, unique or not.
func contextOf(n int) func(*rand.Rand, *Case) bool {
	return func(_ *rand.Rand, c *Case) bool {
		c.Hunks = c.change.hunks(n)
		return c.form != Beside || beside(c.Hunks)
	}
}

func blankDropped(_ *rand.Rand, c *Case) bool {
	done := false
	for i := range c.Hunks {
		h := &c.Hunks[i]
		n := len(h.Lines)
		h.Lines = slices.DeleteFunc(h.Lines, func(l string) bool { return l[0] == ' ' && trim(l) == "" })
		done = done || len(h.Lines) < n
	}
	return done
}

// lineNumbers adds line numbers as in listings of files.
func lineNumbers(r *rand.Rand, c *Case) bool {
	format := []string{"%6d\t%s", "%d: %s", "%4d | %s", "%d|%s", "%5d→%s"}[r.IntN(5)]
	all := r.IntN(2) == 0
	for i := range c.Hunks {
		h := &c.Hunks[i]
		old := h.From
		for j, l := range h.Lines {
			switch {
			case l[0] != '+':
				old++
				h.Lines[j] = l[:1] + fmt.Sprintf(format, old, l[1:])
			case all:
				h.Lines[j] = l[:1] + fmt.Sprintf(format, old+1, l[1:])
			}
		}
	}
	return true
}

// omissions are texts that stand for omitted lines.
var omissions = []string{"...", "// ...", "# ...", "// ... existing code ...", "\u2026"}

const longest = 40 // omitted lines

// elided omits lines between two changes: it joins two hunks that are not far apart, or shortens one.
func elided(r *rand.Rand, c *Case) bool {
	dot := omissions[r.IntN(len(omissions))]
	var joins, thins []int
	for i, h := range c.Hunks {
		if i+1 < len(c.Hunks) {
			if gap := c.Hunks[i+1].From - h.From - len(h.old()); gap > 0 && gap <= longest && c.Hunks[i+1].Lines[0][0] == ' ' && h.Lines[len(h.Lines)-1][0] == ' ' {
				joins = append(joins, i)
			}
		}
		if from, to := inner(h); to-from >= 3 {
			thins = append(thins, i)
		}
	}
	switch {
	case len(joins) > 0:
		i := joins[r.IntN(len(joins))]
		h, next := &c.Hunks[i], c.Hunks[i+1]
		last := h.Lines[len(h.Lines)-1]
		in := last[1 : 1+indent(last[1:])]
		h.Lines, h.To = slices.Concat(h.Lines, []string{" " + in + dot}, next.Lines), next.To
		c.Hunks = slices.Delete(c.Hunks, i+1, i+2)
	case len(thins) > 0:
		h := &c.Hunks[thins[r.IntN(len(thins))]]
		from, to := inner(*h)
		in := h.Lines[from][1 : 1+indent(h.Lines[from][1:])]
		h.Lines = slices.Replace(h.Lines, from, to, " "+in+dot)
	default:
		return false
	}
	return true
}

// inner returns the longest run of context between two changes of h, except a line at each end.
func inner(h Hunk) (from, to int) {
	changed := func(l string) bool { return l[0] != ' ' }
	first := slices.IndexFunc(h.Lines, changed)
	for i := first; i >= 0 && i < len(h.Lines); {
		n := i + 1
		for n < len(h.Lines) && h.Lines[n][0] == ' ' {
			n++
		}
		if n < len(h.Lines) && n-1-(i+2) > to-from {
			from, to = i+2, n-1
		}
		i = n
	}
	return from, to
}

func outOfOrder(r *rand.Rand, c *Case) bool {
	if len(c.Hunks) < 2 {
		return false
	}
	switch r.IntN(3) {
	case 0:
		slices.Reverse(c.Hunks)
	case 1:
		i := r.IntN(len(c.Hunks) - 1)
		c.Hunks[i], c.Hunks[i+1] = c.Hunks[i+1], c.Hunks[i]
	default:
		last := c.Hunks[len(c.Hunks)-1]
		c.Hunks = slices.Insert(c.Hunks[:len(c.Hunks)-1:len(c.Hunks)-1], r.IntN(len(c.Hunks)-1), last)
	}
	return true
}

// wrapped adds a change of the whole text.
func (c *Case) wrapped(next func(string) string) bool {
	before := c.wrap
	c.wrap = func(text string) string {
		if before != nil {
			text = before(text)
		}
		return next(text)
	}
	return true
}

func noEnd(_ *rand.Rand, c *Case) bool {
	return c.wrapped(func(text string) string { return strings.Replace(text, "*** End Patch\n", "", 1) })
}

func fenced(r *rand.Rand, c *Case) bool {
	above := []string{"", "Here is the patch:\n\n", "I will change the file as follows.\n\n"}[r.IntN(3)]
	mark := []string{"```", "```diff", "```patch"}[r.IntN(3)]
	below := []string{"", "\nThis should do it.\n"}[r.IntN(2)]
	return c.wrapped(func(text string) string { return above + mark + "\n" + text + "```\n" + below })
}

func jsonWrapped(_ *rand.Rand, c *Case) bool {
	return c.wrapped(func(text string) string { return fmt.Sprintf("{\"patch\": %s}", quote(text)) })
}

func crlfPatch(_ *rand.Rand, c *Case) bool {
	return c.wrapped(func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") })
}

func crlfFile(_ *rand.Rand, c *Case) bool {
	c.disk.crlf = true
	return true
}
