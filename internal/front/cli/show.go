package cli

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
)

// The colours of a diff on a terminal.
const (
	reset = "\x1b[m"
	bold  = "\x1b[1m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	cyan  = "\x1b[36m"
)

// paint wraps s in a colour where colour is wanted.
func (a *app) paint(color, s string) string {
	if !a.color() || color == "" || s == "" {
		return s
	}
	return color + s + reset
}

// showPlan prints a plan for people: what would be done, where every hunk landed, the diff.
func (a *app) showPlan(p *emend.Plan) {
	fmt.Fprintln(a.out, p.Summary())
	for _, note := range append(p.Skipped(), p.Passed()...) {
		fmt.Fprintln(a.out, "Note: "+report.Escape(note))
	}
	for _, f := range p.Files() {
		fmt.Fprintln(a.out)
		for i, h := range f.Hunks() {
			if h.Skipped {
				continue
			}
			fmt.Fprintf(a.out, "%s hunk %d: line %d, %s\n", a.paint(bold, report.Escape(f.Path())), i+1, h.Line, report.How(h))
		}
		a.showDiff(f.Diff())
	}
}

func (a *app) showDiff(diff string) {
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		fmt.Fprintln(a.out, a.paint(diffColor(line), report.Escape(line)))
	}
}

func diffColor(line string) string {
	switch {
	case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "),
		strings.HasPrefix(line, "rename "), strings.HasPrefix(line, "new file"), strings.HasPrefix(line, "deleted file"):
		return bold
	case strings.HasPrefix(line, "@@"):
		return cyan
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	}
	return ""
}

// showRefusal prints the dialect's own words where it has them, and then every failure with what would help.
func (a *app) showRefusal(r *emend.Refusal) {
	own, all := r.Result().Text(), r.Explain()
	if own != all {
		fmt.Fprintf(a.err, "emend: %s\n", report.Escape(own))
	}
	fmt.Fprintf(a.err, "emend: %s\n", all)
}
