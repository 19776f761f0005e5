package damage

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// The forms of the numbers in listings.
const (
	numbersBar   = "%d| %s"
	numbersColon = "%d: %s"
	numbersCat   = "%6d\t%s"
	numbersL     = "L%d: %s"
)

// numbered puts line numbers between the marks and the lines, half of the time on added lines too.
func numbered(format string) func(*rand.Rand, *Case) bool {
	return func(r *rand.Rand, c *Case) bool {
		all := r.IntN(2) == 0
		for i := range c.Hunks {
			c.Hunks[i].number(all, func(mark string, n int, text string) string { return mark + fmt.Sprintf(format, n, text) })
		}
		return true
	}
}

// numbersFirst puts line numbers before the marks.
func numbersFirst(r *rand.Rand, c *Case) bool {
	format := []string{numbersBar, numbersColon, numbersCat, numbersL}[r.IntN(4)]
	c.spells(func(i int, lines []string) []string {
		h := Hunk{Lines: lines, From: c.Hunks[i].From}
		h.number(true, func(mark string, n int, text string) string { return fmt.Sprintf(format, n, mark+text) })
		return h.Lines
	})
	return true
}

// number rewrites the lines of h with their numbers: those of the file, and for added lines those that follow.
func (h *Hunk) number(added bool, write func(mark string, n int, text string) string) {
	old, now := h.From, h.From
	for j, l := range h.Lines {
		switch l[0] {
		case '+':
			if now++; added {
				h.Lines[j] = write("+", now, l[1:])
			}
		default:
			if old++; l[0] == ' ' {
				now = old
			}
			h.Lines[j] = write(l[:1], old, l[1:])
		}
	}
}

// marksMissing leaves out the space before all lines of context.
func marksMissing(_ *rand.Rand, c *Case) bool {
	c.spells(func(_ int, lines []string) []string {
		for j, l := range lines {
			lines[j] = strings.TrimPrefix(l, " ")
		}
		return lines
	})
	return len(c.spots(" ", func(text string) bool { return trim(text) != "" })) > 0
}

// oneMarkMissing leaves out the space before one line of context.
func oneMarkMissing(r *rand.Rand, c *Case) bool {
	all := c.spots(" ", func(text string) bool { return trim(text) != "" })
	if len(all) == 0 {
		return false
	}
	at := all[r.IntN(len(all))]
	c.spells(func(i int, lines []string) []string {
		if i == at.hunk {
			lines[at.line] = lines[at.line][1:]
		}
		return lines
	})
	return true
}

// innerFence puts a Markdown fence inside of the envelope, around the section or around its hunks.
func innerFence(r *rand.Rand, c *Case) bool {
	mark := []string{"```", "```diff", "```patch"}[r.IntN(3)]
	below := []string{"*** Begin Patch\n", "*** Update File: "}[r.IntN(2)]
	return c.wrapped(func(text string) string {
		at := 0
		if n := strings.Index(text, below); n >= 0 {
			at = n + strings.Index(text[n:], "\n") + 1
		}
		body, end := strings.CutSuffix(text[at:], "*** End Patch\n")
		out := text[:at] + mark + "\n" + body + "```\n"
		if end {
			out += "*** End Patch\n"
		}
		return out
	})
}

// entities are the characters that HTML escapes, as entities.
var (
	entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
	brackets = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
)

func hasEntity(text string) bool {
	for _, e := range []string{"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#34;"} {
		if strings.Contains(text, e) {
			return true
		}
	}
	return false
}

// hasCurly reports whether a text has typographic quotes.
func hasCurly(text string) bool { return strings.ContainsAny(text, "\u2018\u2019\u201C\u201D") }

// encoded writes context and removed lines in another way, and added lines too if all is true. What cannot be read back for sure
// is open: added lines that have the other way already while it is the way of the context, or a file that has it.
func encoded(all bool, choose func(r *rand.Rand) func(string) string, has func(string) bool) func(*rand.Rand, *Case) bool {
	return func(r *rand.Rand, c *Case) bool {
		change := choose(r)
		old, added := false, false
		c.each(func(mark byte, text string) string {
			now := change(text)
			if mark == '+' {
				added = added || now != text
				c.open = c.open || has(text)
				if !all {
					return text
				}
			}
			old = old || mark != '+' && now != text
			return now
		})
		c.open = c.open || all && has(c.change.Old)
		return old && (added || !all)
	}
}

func asHTML(r *rand.Rand) func(string) string {
	if r.IntN(2) == 0 {
		return entities.Replace
	}
	return brackets.Replace
}

func asCurly(*rand.Rand) func(string) string { return curl }

// curl replaces straight quotes by typographic ones.
func curl(text string) string {
	text = strings.ReplaceAll(text, "'", "\u2019")
	for open := true; strings.Contains(text, `"`); open = !open {
		text = strings.Replace(text, `"`, map[bool]string{true: "\u201C", false: "\u201D"}[open], 1)
	}
	return text
}

// doubledEscapes escapes quotes and backslashes once more on every line, or only quotes where there is no backslash.
func doubledEscapes(r *rand.Rand, c *Case) bool {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	if r.IntN(2) == 0 && !strings.Contains(c.change.Old+c.change.New, `\`) {
		escape = strings.NewReplacer(`"`, `\"`)
	}
	seen := false
	c.each(func(mark byte, text string) string {
		now := escape.Replace(text)
		seen = seen || mark != '+' && now != text
		return now
	})
	return seen
}

// literalNewlines writes some ends of lines as a backslash and an n: all of the text, all of one hunk, or one.
func literalNewlines(r *rand.Rand, c *Case) bool {
	for _, h := range c.Hunks {
		for _, l := range h.Lines {
			c.open = c.open || strings.Contains(l, `\n`)
		}
	}
	at := r.IntN(len(c.Hunks))
	n := len(c.Hunks[at].Lines)
	switch r.IntN(3) {
	case 0:
		return c.wrapped(func(text string) string { return strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", `\n`) + "\n" })
	case 1:
		c.joinLines(at, 0, n)
	default:
		if n < 2 {
			return false
		}
		from := r.IntN(n - 1)
		c.joinLines(at, from, from+2)
	}
	return n > 1
}

// joinLines writes lines of one hunk as one line.
func (c *Case) joinLines(hunk, from, to int) {
	c.spells(func(i int, lines []string) []string {
		if i != hunk {
			return lines
		}
		return append(append(lines[:from:from], strings.Join(lines[from:to], `\n`)), lines[to:]...)
	})
}

// cutOff ends the text in the middle of a line of the last hunk, with an end line behind it or without. Often the line is one of
// the context below the last change, and nothing of the change is lost. But who sees such a text does not know that, so only a
// refusal is right.
func cutOff(ended bool) func(*rand.Rand, *Case) bool {
	return func(r *rand.Rand, c *Case) bool {
		last := len(c.Hunks) - 1
		h := &c.Hunks[last]
		_, below := h.edges()
		harmless := r.IntN(2) == 0
		all := c.spots(" -+", func(text string) bool { return len(trim(text)) >= 4 })
		var fit []int
		for _, s := range all {
			if s.hunk == last && s.line > 0 && (!harmless || s.line >= len(h.Lines)-below) {
				fit = append(fit, s.line)
			}
		}
		if len(fit) == 0 {
			return false
		}
		at := fit[r.IntN(len(fit))]
		c.lost = true
		line := h.Lines[at]
		from := 1 + indent(line[1:]) + 1 // behind the first letter
		end := from + r.IntN(len(trim(line[1:]))-2)
		for end < len(line) && !utf8.RuneStart(line[end]) {
			end++
		}
		h.Lines = append(h.Lines[:at:at], line[:end])
		if ended {
			return true
		}
		c.cut = true
		return c.wrapped(func(text string) string { return strings.TrimSuffix(strings.TrimSuffix(text, "*** End Patch\n"), "\n") })
	}
}
