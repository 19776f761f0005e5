package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/bench/accuracy/damage"
	"znkr.io/diff/textdiff"
)

// find is a patch that a peer landed wrong, small enough to read.
type find struct {
	change      int
	kind        damage.Kind
	peer        string
	patch, said string
	diff        string // from the truth to what it wrote
	ours        string // what emend does with it
	size        int
}

// readable is the largest number of lines of other people's code that is shown at once.
const readable = 25

// quota is the number of the ten finds for each peer.
var quota = []struct {
	peer string
	n    int
}{{codex, 6}, {gitApply, 1}, {threeWay, 1}, {gnu, 2}}

// findOf returns the case if it is small enough.
func findOf(change int, k damage.Kind, p *peer, c *damage.Case, t *trial, ours *trial) []find {
	if strings.Count(t.text, "\n") > readable {
		return nil
	}
	diff := body(textdiff.Unified(c.Want, t.first.got))
	if strings.Count(diff, "\n") > readable {
		return nil
	}
	f := find{change: change, kind: k, peer: p.name, patch: t.text, said: t.first.words(), diff: diff, ours: fateOf(ours)}
	f.size = len(t.text) + len(diff)
	return []find{f}
}

// body returns a diff without the names of its files.
func body(diff string) string {
	if at := strings.Index(diff, "@@"); at >= 0 {
		return diff[at:]
	}
	return diff
}

// fateOf describes what emend did.
func fateOf(t *trial) string {
	switch {
	case t == nil:
		return "was not asked: it cannot say the change."
	case t.first.outcome != refused:
		return fmt.Sprintf("%v.", t.first.outcome)
	case !t.offered:
		return "refused:\n\n" + indented(t.first.words())
	}
	return fmt.Sprintf("refused, and what it offered instead %v:\n\n%s", t.second.outcome, indented(t.first.words()))
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ") + "\n"
}

// tenFinds selects the smallest finds: for each peer its quota and then any others, no kind twice for one peer and no module twice.
func (b *bench) tenFinds() (out []find) {
	all := slices.Clone(b.picked)
	slices.SortStableFunc(all, func(x, y find) int { return cmp.Or(x.size-y.size, x.change-y.change) })
	taken := map[string]bool{}
	take := func(n int, fits func(f find) bool) {
		for _, f := range all {
			module, kind := b.corpus.pairs[f.change].Module, f.peer+": "+f.kind.Name
			if n > 0 && fits(f) && !taken[module] && !taken[kind] {
				taken[module], taken[kind] = true, true
				out = append(out, f)
				n--
			}
		}
	}
	for _, q := range quota {
		take(q.n, func(f find) bool { return f.peer == q.peer })
	}
	take(10-len(out), func(find) bool { return true })
	return out
}

// wrongs returns WRONG.md.
func (b *bench) wrongs() string {
	var w strings.Builder
	all := b.tenFinds()
	fmt.Fprintf(&w, "# Patches that landed wrong, and were called a success\n\nWritten by `go -C bench run ./accuracy -out accuracy`, from real changes of published modules. "+
		"Of what the programs\nlanded wrong these are among the smallest, chosen by rule: a quota for each program, no kind of damage twice for one of them,\n"+
		"no module twice. How often it happens is in [RESULTS.md](RESULTS.md).\n\nIn what is shown `→` is a tab, `·` a space at the end of a line, and `␍` a carriage return. git and GNU patch knew the\nfiles by other names.\n")
	for i, f := range all {
		p := b.corpus.pairs[f.change]
		fmt.Fprintf(&w, "\n## %d. %s: %s\n\n`%s` of %s, from %s to %s. The damage: %s.\n\nThe patch as it was sent:\n\n%s\n", i+1, f.peer, f.kind.Name,
			p.Path, p.Module, p.From, p.To, f.kind.Doc, indented(visible(f.patch)))
		said := "It said nothing, with exit status 0."
		if f.said != "" {
			said = "It said, with exit status 0:\n\n" + strings.TrimRight(indented(f.said), "\n")
		}
		fmt.Fprintf(&w, "%s\n\nWhat it wrote (`+`) against the truth (`-`):\n\n%s\nemend, with the same hunks: %s", said, indented(visible(f.diff)), f.ours)
		if !strings.HasSuffix(f.ours, "\n") {
			w.WriteString("\n")
		}
	}
	return w.String()
}

// visible makes tabs and carriage returns visible, which often matter, and leaves no white space at the end of a line.
func visible(text string) string {
	lines := strings.Split(strings.NewReplacer("\t", "→   ", "\r", "␍").Replace(text), "\n")
	for i, l := range lines {
		if cut := strings.TrimRight(l, " "); i < len(lines)-1 || l != "" {
			lines[i] = cut + strings.Repeat("·", len(l)-len(cut))
		}
	}
	return strings.Join(lines, "\n")
}
