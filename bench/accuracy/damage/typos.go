package damage

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// spot is a line of a hunk.
type spot struct{ hunk, line int }

// spots returns the lines of the hunks that have one of marks and that fit.
func (c *Case) spots(marks string, fits func(text string) bool) (out []spot) {
	for i, h := range c.Hunks {
		for j, l := range h.Lines {
			if strings.Contains(marks, l[:1]) && fits(l[1:]) {
				out = append(out, spot{i, j})
			}
		}
	}
	return out
}

// rewrite changes the text of a line, and keeps its mark.
func (c *Case) rewrite(s spot, change func(text string) string) {
	line := &c.Hunks[s.hunk].Lines[s.line]
	*line = (*line)[:1] + change((*line)[1:])
}

// mistake is a small mistake in a line.
type mistake struct {
	fits func(text string) bool
	in   func(r *rand.Rand, c *Case, text string) string
}

var (
	typo  = mistake{word.MatchString, func(r *rand.Rand, _ *Case, text string) string { return mistype(r, text) }}
	token = mistake{tokens.MatchString, func(r *rand.Rand, c *Case, text string) string { return c.replaceToken(r, text) }}
)

// inOne makes a mistake in one line with one of marks.
func (m mistake) inOne(marks string) func(*rand.Rand, *Case) bool {
	return func(r *rand.Rand, c *Case) bool {
		all := c.spots(marks, m.fits)
		if len(all) == 0 {
			return false
		}
		c.rewrite(all[r.IntN(len(all))], func(text string) string { return m.in(r, c, text) })
		return true
	}
}

// inAll makes a mistake in a line of context and in a removed line of every hunk. Each hunk must have one of them.
func (m mistake) inAll(r *rand.Rand, c *Case) bool {
	done := map[int]bool{}
	for _, mark := range []string{" ", "-"} {
		all := c.spots(mark, m.fits)
		for i := range c.Hunks {
			own := slices.DeleteFunc(slices.Clone(all), func(at spot) bool { return at.hunk != i })
			if len(own) > 0 {
				c.rewrite(own[r.IntN(len(own))], func(text string) string { return m.in(r, c, text) })
				done[i] = true
			}
		}
	}
	return len(done) == len(c.Hunks)
}

// mistype makes a typing mistake in one word.
func mistype(r *rand.Rand, text string) string {
	at := word.FindAllStringIndex(text, -1)
	w := at[r.IntN(len(at))]
	was := text[w[0]:w[1]]
	n := 1 + r.IntN(len(was)-2)
	now := was[:n] + was[n:n+1] + was[n:] // a letter twice
	switch r.IntN(3) {
	case 0: // a letter is missing
		now = was[:n] + was[n+1:]
	case 1: // two letters are exchanged
		if was[n] != was[n+1] {
			now = was[:n] + was[n+1:n+2] + was[n:n+1] + was[n+2:]
		}
	}
	return text[:w[0]] + now + text[w[1]:]
}

// tokens matches names and numbers.
var tokens = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]{2,}|[0-9]+`)

// replaceToken puts another name of the file in place of a name, or another number in place of a number.
func (c *Case) replaceToken(r *rand.Rand, text string) string {
	at := tokens.FindAllStringIndex(text, -1)
	w := at[r.IntN(len(at))]
	was, digits := text[w[0]:w[1]], text[w[0]] >= '0' && text[w[0]] <= '9'
	now := "another"
	if digits {
		now = was + "1"
	}
	for range 20 {
		found := tokens.FindAllString(c.change.old[r.IntN(len(c.change.old))], -1)
		if len(found) == 0 {
			continue
		}
		f := found[r.IntN(len(found))]
		if f != was && (f[0] >= '0' && f[0] <= '9') == digits {
			now = f
			break
		}
	}
	return text[:w[0]] + now + text[w[1]:]
}

// inventions are lines that models make up.
var inventions = []string{
	"const settings = loadSettings(defaults);", "if err := prepare(ctx, request); err != nil {", "# initialize the worker pool",
	"self.registry.refresh(force=True)", "return computeTotals(rows, limit)", "logger.debug(\"entering the main loop\")",
	"let pending = queue.drainAll();", "assert response.status == 200", "// see the note on retries below", "options: { verbose: true },",
}

// invent returns n invented lines, with an indentation.
func invent(r *rand.Rand, in string, n int) (out []string) {
	for _, i := range r.Perm(len(inventions))[:n] {
		out = append(out, " "+in+inventions[i])
	}
	return out
}

// invented puts invented lines around one hunk: above its context or in place of it, and below as well if both is true.
func invented(both bool) func(*rand.Rand, *Case) bool {
	return func(r *rand.Rand, c *Case) bool {
		h := &c.Hunks[r.IntN(len(c.Hunks))]
		if len(h.Lines) == 0 {
			return false
		}
		in := h.indent()
		above, n := h.edges()
		cut := above * r.IntN(2)
		lines := slices.Concat(invent(r, in, min(len(inventions), max(cut, 1+r.IntN(3)))), h.Lines[cut:])
		if both {
			keep := len(lines) - n*r.IntN(2)
			lines = append(lines[:keep:keep], invent(r, in, 1+r.IntN(3))...)
		}
		h.Lines = lines
		return true
	}
}

// edges returns how many lines of context h begins and ends with.
func (h Hunk) edges() (above, below int) {
	for above < len(h.Lines) && h.Lines[above][0] == ' ' {
		above++
	}
	for below < len(h.Lines) && h.Lines[len(h.Lines)-1-below][0] == ' ' {
		below++
	}
	return above, below
}

var (
	anyWord  = regexp.MustCompile(`[A-Za-z]{2,}`)
	synonyms = strings.Fields("amber basin cedar delta ember fjord grove haven inlet jetty knoll ledge maple north ocean pearl quarry ridge shore tower umber valley willow zephyr")
)

// contextRewritten puts another word in place of every word of the context.
func contextRewritten(r *rand.Rand, c *Case) bool {
	for _, s := range c.spots(" ", anyWord.MatchString) {
		c.rewrite(s, func(text string) string {
			return anyWord.ReplaceAllStringFunc(text, func(string) string { return synonyms[r.IntN(len(synonyms))] })
		})
	}
	return len(c.spots(" ", anyWord.MatchString)) > 0
}

// similarBlock puts the context of a similar place of the file above a change, and often below it too.
func similarBlock(r *rand.Rand, c *Case) bool {
	w := c.change.words(c.change.Old)
	for _, i := range r.Perm(len(c.Hunks)) {
		h := &c.Hunks[i]
		above, below := h.edges()
		if above == len(h.Lines) {
			continue
		}
		for j := above - 1; j >= 0; j-- {
			line := h.Lines[j][1:]
			if trim(line) == "" {
				continue
			}
			var others []int
			for n, share := range w.shares(line) {
				if share > 0 && w.lines[n] != line && (n < h.From || n >= h.To) {
					others = append(others, n)
				}
			}
			if len(others) == 0 {
				continue
			}
			off := others[r.IntN(len(others))] - (h.From + j)
			done := c.borrow(h, 0, above, off)
			if r.IntN(2) == 0 {
				done = c.borrow(h, len(h.Lines)-below, len(h.Lines), off) || done
			}
			if done {
				return true
			}
		}
	}
	return false
}

// borrow gives the context of h, lines from up to to, the text that stands off lines further down.
func (c *Case) borrow(h *Hunk, from, to, off int) bool {
	olds := 0
	for _, l := range h.Lines[:from] {
		if l[0] != '+' {
			olds++
		}
	}
	done := false
	for j := from; j < to; j++ {
		if n := h.From + olds + j - from + off; n >= 0 && n < len(c.change.old) {
			done = done || h.Lines[j] != " "+c.change.old[n]
			h.Lines[j] = " " + c.change.old[n]
		}
	}
	return done
}

// contextShifted writes the context of one hunk further right, and nothing else of it. Where the hunk removes nothing, and its
// added lines are indented as well, it looks like one of which all lines stand further right.
func contextShifted(r *rand.Rand, c *Case) bool {
	h := &c.Hunks[r.IntN(len(c.Hunks))]
	more := []string{"    ", "  ", "\t"}[r.IntN(3)]
	seen := false
	for j, l := range h.Lines {
		if l[0] == ' ' && trim(l) != "" {
			h.Lines[j], seen = " "+more+l[1:], true
		}
	}
	c.lossy = c.lossy || len(h.removed()) == 0 && !slices.ContainsFunc(h.Lines, func(l string) bool {
		return l[0] == '+' && trim(l[1:]) != "" && !strings.HasPrefix(l[1:], more)
	})
	return seen
}

// mixedShift writes the lines of context of one hunk further right, each by another width.
func mixedShift(r *rand.Rand, c *Case) bool {
	h := &c.Hunks[r.IntN(len(c.Hunks))]
	unit := []string{"    ", "  ", "\t"}[r.IntN(3)]
	widths := map[int]bool{}
	for j, l := range h.Lines {
		if l[0] == ' ' && trim(l) != "" {
			n := r.IntN(3)
			h.Lines[j], widths[n] = " "+strings.Repeat(unit, n)+l[1:], true
		}
	}
	c.open = c.open || len(h.removed()) == 0
	return len(widths) > 1
}
