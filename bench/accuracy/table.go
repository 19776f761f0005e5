package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// grid is a table of a page. Its first column is text, the others are figures unless all are text.
type grid struct {
	head  []string
	rows  [][]string
	words bool
}

func (g *grid) row(cells ...string) { g.rows = append(g.rows, cells) }

func (g *grid) write(w io.Writer) {
	width := make([]int, len(g.head))
	for _, r := range append([][]string{g.head}, g.rows...) {
		for i, c := range r {
			width[i] = max(width[i], utf8.RuneCountInString(c), 4)
		}
	}
	line := func(cells []string) {
		for i, c := range cells {
			fmt.Fprintf(w, "| %s%s ", c, strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)))
		}
		fmt.Fprintln(w, "|")
	}
	fmt.Fprintln(w)
	line(g.head)
	rule := slices.Repeat([]string{map[bool]string{false: "---:", true: "---"}[g.words]}, len(g.head))
	rule[0] = "---"
	line(rule)
	for _, r := range g.rows {
		line(r)
	}
}

// share formats a part of a whole in percent, with the count if it is small enough for rounding to hide it.
func share(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	out := fmt.Sprintf("%.1f", 100*float64(part)/float64(whole))
	if part > 0 && (part < 10 || out == "0.0") || part < whole && (whole-part < 10 || out == "100.0") {
		return fmt.Sprintf("%s (%d)", out, part)
	}
	return out
}

// question is a column of a table: a figure of a count, and whether more is better.
type question struct {
	title, words string
	of           func(*count) (part, whole int)
	less         bool
}

var questions = []question{
	{title: "Landed at first", words: "The file is what it is to be, byte for byte.", of: func(c *count) (int, int) { return c.landed, c.n }},
	{title: "Landed wrong", words: "Success was reported, and the file is another.", of: func(c *count) (int, int) { return c.wrong, c.n }, less: true},
	{title: "Landed, at first or after one repair", words: "The client sends what the refusal tells it to send, once. The refusals of the programs that are not emend have nothing that " +
		"can be\nfollowed without thinking: theirs is what landed at first.", of: func(c *count) (int, int) { return c.inTheEnd(), c.n }},
	{title: "Refused, and the file was changed all the same", words: "Conflict markers of `git apply --3way`, the hunks that GNU patch could place.", of: func(c *count) (int, int) { return c.left, c.n }, less: true},
}

// cells returns the figures of systems for a kind, with the best ones marked.
func (q question) cells(systems []string, at func(system string) *count) (out []string) {
	best, worst := -1.0, 2.0
	rate := func(c *count) float64 {
		part, whole := q.of(c)
		if q.less {
			part = whole - part
		}
		return float64(part) / float64(whole)
	}
	for _, s := range systems {
		if c := at(s); c.n > 0 {
			best, worst = max(best, rate(c)), min(worst, rate(c))
		}
	}
	for _, s := range systems {
		c := at(s)
		cell := share(q.of(c))
		if c.n > 0 && best > worst && rate(c) == best {
			cell = "**" + cell + "**"
		}
		out = append(out, cell)
	}
	return out
}

// byKind writes a table of one question: rows are kinds, columns are systems.
func (t *tally) byKind(w io.Writer, q question, systems []string) {
	g := grid{head: append([]string{"damage", "n"}, systems...)}
	for _, k := range t.kinds {
		most := 0
		for _, s := range systems {
			most = max(most, t.at(s, k).n)
		}
		g.row(append([]string{k, fmt.Sprint(most)}, q.cells(systems, func(s string) *count { return t.at(s, k) })...)...)
	}
	shared := t.shared(systems)
	name := "all"
	if len(shared) < len(t.kinds) {
		name = "all that everybody has"
	}
	g.row(append([]string{name, ""}, q.cells(systems, func(s string) *count { return t.total(s, shared) })...)...)
	g.write(w)
}

// totals writes a table of all questions over the kinds that all systems have: rows are systems.
func (t *tally) totals(w io.Writer, systems []string) {
	shared := t.shared(systems)
	total := func(s string) *count { return t.total(s, shared) }
	if len(shared) < len(t.kinds) {
		fmt.Fprintf(w, "\nOver %d of %d kinds, those that everybody has.\n", len(shared), len(t.kinds))
	}
	g := grid{head: []string{"", "asked", "landed", "refused", "wrong", "after one repair", "wrong after it", "refused, changed", "not to be told"}}
	columns := map[string][]string{}
	for _, q := range []question{questions[0], {of: func(c *count) (int, int) { return c.refused, c.n }, less: true}, questions[1], questions[2],
		{of: func(c *count) (int, int) { return c.rewrong, c.n }, less: true}, questions[3]} {
		for i, cell := range q.cells(systems, total) {
			columns[systems[i]] = append(columns[systems[i]], cell)
		}
	}
	for _, s := range systems {
		c := total(s)
		g.row(append(append([]string{s, fmt.Sprint(c.n)}, columns[s]...), fmt.Sprint(c.untellable))...)
	}
	g.write(w)
}
