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
	{title: "Landed wrong", words: "Success was reported, and the file is another.", of: func(c *count) (int, int) { return c.wrong, c.judged() }, less: true},
	{title: "Landed, at first or after one repair", words: "The client sends what the refusal tells it to send, once. The refusals of the programs that are not emend have nothing that " +
		"can be\nfollowed without thinking: theirs is what landed at first.", of: func(c *count) (int, int) { return c.inTheEnd(), c.n }},
	{title: "Landed wrong after one repair", words: "It was refused at first.", of: func(c *count) (int, int) { return c.rewrong, c.judged() }, less: true},
	{title: "Refused, and the file was changed all the same", words: "Conflict markers of `git apply --3way`, the hunks that GNU patch could place.", of: func(c *count) (int, int) { return c.left, c.n }, less: true},
}

// marked marks the best of rates among cells. A rate below zero is none.
func (q question) marked(cells []string, rates []float64) []string {
	best, worst := -1.0, 2.0
	value := func(rate float64) float64 {
		if q.less {
			return 1 - rate
		}
		return rate
	}
	for _, r := range rates {
		if r >= 0 {
			best, worst = max(best, value(r)), min(worst, value(r))
		}
	}
	for i, r := range rates {
		if r >= 0 && best > worst && value(r) == best {
			cells[i] = "**" + cells[i] + "**"
		}
	}
	return cells
}

// cells returns the figures of systems for a kind, with the best ones marked.
func (q question) cells(systems []string, at func(system string) *count) []string {
	var out []string
	var rates []float64
	for _, s := range systems {
		part, whole := q.of(at(s))
		out = append(out, share(part, whole))
		rates = append(rates, -1)
		if whole > 0 {
			rates[len(rates)-1] = float64(part) / float64(whole)
		}
	}
	return q.marked(out, rates)
}

// means returns the figures of systems over kinds that weigh the same, with the best ones marked.
func (q question) means(t *tally, systems, kinds []string) []string {
	var out []string
	var rates []float64
	for _, s := range systems {
		rate, n := t.mean(s, kinds, q.of)
		cell := percent(rate)
		if n == 0 {
			rate, cell = -1, "–"
		}
		out, rates = append(out, cell), append(rates, rate)
	}
	return q.marked(out, rates)
}

// percent formats a mean. One that is not zero is never shown as zero.
func percent(rate float64) string {
	out := fmt.Sprintf("%.1f", 100*rate)
	if out == "0.0" && rate > 0 {
		return fmt.Sprintf("%.3f", 100*rate)
	}
	return out
}

// byKind writes a table of one question: rows are kinds, columns are systems. n is the number of cases that the question is about.
func (t *tally) byKind(w io.Writer, q question, systems []string) {
	g := grid{head: append([]string{"damage", "n"}, systems...)}
	for _, k := range t.kinds {
		most := 0
		for _, s := range systems {
			_, n := q.of(t.at(s, k))
			most = max(most, n)
		}
		g.row(append([]string{k, fmt.Sprint(most)}, q.cells(systems, func(s string) *count { return t.at(s, k) })...)...)
	}
	shared := t.shared(systems)
	name := "mean of all"
	if len(shared) < len(t.kinds) {
		name = "mean of all that everybody has"
	}
	g.row(append([]string{name, ""}, q.means(t, systems, shared)...)...)
	g.write(w)
}

// totals writes a table of all questions over the kinds that all systems have, each kind with the same weight: rows are systems.
func (t *tally) totals(w io.Writer, systems []string) {
	shared := t.shared(systems)
	if len(shared) < len(t.kinds) {
		fmt.Fprintf(w, "\nOver %d of %d kinds, those that everybody has.\n", len(shared), len(t.kinds))
	}
	g := grid{head: []string{"", "cases", "landed", "refused", "wrong", "after one repair", "wrong after it", "refused, changed", "only a refusal is right", "not to be told"}}
	columns := map[string][]string{}
	for _, q := range []question{questions[0], {of: func(c *count) (int, int) { return c.refused, c.n }, less: true}, questions[1], questions[2],
		questions[3], questions[4]} {
		for i, cell := range q.means(t, systems, shared) {
			columns[systems[i]] = append(columns[systems[i]], cell)
		}
	}
	for _, s := range systems {
		c := t.total(s, shared)
		g.row(append(append([]string{s, fmt.Sprint(c.n)}, columns[s]...), fmt.Sprint(c.onlyRefusal), fmt.Sprint(c.untellable))...)
	}
	g.write(w)
}
