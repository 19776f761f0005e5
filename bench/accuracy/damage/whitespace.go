package damage

import (
	"math/rand/v2"
	"strings"
)

// each calls change for every line of the hunks, without its mark, and reports whether a line was changed.
func (c *Case) each(change func(mark byte, text string) string) bool {
	done := false
	for i := range c.Hunks {
		for j, l := range c.Hunks[i].Lines {
			now := l[:1] + change(l[0], l[1:])
			done = done || now != l
			c.Hunks[i].Lines[j] = now
		}
	}
	return done
}

func trailingGained(r *rand.Rand, c *Case) bool {
	return c.each(func(mark byte, text string) string {
		if mark == '+' || r.IntN(2) == 0 {
			return text
		}
		return text + strings.Repeat(" ", 1+r.IntN(4))
	})
}

func trailingLost(r *rand.Rand, c *Case) bool {
	tail := []string{" ", "  ", "\t"}[r.IntN(3)]
	return c.changeFileLines(r, func(text string) string { return text + tail })
}

// changeFileLines calls change for some of the old lines that the hunks show, and puts the result into the file. The patch keeps them as
// they were.
func (c *Case) changeFileLines(r *rand.Rand, change func(text string) string) bool {
	for _, h := range c.Hunks {
		for _, n := range h.shown() {
			was := c.disk.line(n, c.change.old[n])
			if now := change(was); now != was && r.IntN(2) == 0 {
				c.disk.set(n, now)
			}
		}
	}
	return len(c.disk.lines) > 0
}

func (d *disk) set(n int, now string) {
	if d.lines == nil {
		d.lines = map[int]string{}
	}
	d.lines[n] = now
}

func tabsAsSpaces(r *rand.Rand, c *Case) bool {
	width := strings.Repeat(" ", []int{4, 4, 4, 2, 8}[r.IntN(5)])
	seen := false
	c.each(func(mark byte, text string) string {
		rest := strings.TrimLeft(text, "\t")
		tabs := len(text) - len(rest)
		seen = seen || tabs > 0 && mark != '+'
		spaces := len(rest) - len(strings.TrimLeft(rest, " "))
		c.lossy = c.lossy || mark == '+' && spaces >= len(width) // tabs or spaces before?
		return strings.Repeat(width, tabs) + rest
	})
	return seen
}

func spacesAsTabs(_ *rand.Rand, c *Case) bool {
	unit := 4
	for _, h := range c.Hunks {
		for _, l := range h.Lines {
			text := l[1:]
			n := len(text) - len(strings.TrimLeft(text, " "))
			if strings.HasPrefix(text[n:], "\t") {
				return false // mixed
			}
			if n%4 != 0 && n%2 == 0 && text[n:] != "" && !strings.HasPrefix(text[n:], "*") {
				unit = 2
			}
		}
	}
	seen := false
	c.each(func(mark byte, text string) string {
		rest := strings.TrimLeft(text, " ")
		n := len(text) - len(rest)
		seen = seen || n >= unit && mark != '+'
		return strings.Repeat("\t", n/unit) + strings.Repeat(" ", n%unit) + rest
	})
	return seen
}

func shifted(r *rand.Rand, c *Case) bool {
	h := &c.Hunks[r.IntN(len(c.Hunks))]
	common := h.indent()
	more := "    "
	if strings.HasPrefix(common, "\t") {
		more = "\t"
	}
	right := common == "" || r.IntN(3) == 0
	seen := false
	for j, l := range h.Lines {
		text := l[1:]
		if trim(text) == "" {
			continue
		}
		seen = seen || l[0] != '+'
		if right {
			h.Lines[j] = l[:1] + more + text
		} else {
			h.Lines[j] = l[:1] + text[len(common):]
		}
	}
	return seen
}

// indent returns the common indentation of all lines of h that are not blank.
func (h Hunk) indent() string {
	common, first := "", true
	for _, l := range h.Lines {
		text := l[1:]
		if trim(text) == "" {
			continue
		}
		if first {
			common, first = text[:indent(text)], false
		}
		for !strings.HasPrefix(text, common) {
			common = common[:len(common)-1]
		}
	}
	return common
}
