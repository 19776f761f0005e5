package indent

import "strings"

// Tabs says that the file has tabs where the hunk has spaces, a fixed number for each tab, or the other way round. The
// zero Tabs says nothing.
type Tabs struct {
	width  int
	spaces bool // the file has the spaces
}

// disputed stands for tab widths of several hunks that contradict one another.
var disputed = Tabs{width: -1}

// And returns what t and other prove together.
func (t Tabs) And(other Tabs) Tabs {
	switch {
	case other == (Tabs{}):
		return t
	case t == (Tabs{}):
		return other
	case t != other:
		return disputed
	}
	return t
}

// apply returns an indent of the hunk as the file has it. Spaces that make no whole tab stay behind the tabs, as in
// comments that are aligned by one space.
func (t Tabs) apply(in string) (string, bool) {
	switch {
	case t == disputed:
		return in, in == ""
	case t.spaces:
		rest := strings.TrimLeft(in, "\t")
		return strings.Repeat(" ", t.width*(len(in)-len(rest))) + rest, strings.Trim(rest, " ") == ""
	}
	return strings.Repeat("\t", len(in)/t.width) + strings.Repeat(" ", len(in)%t.width), strings.Trim(in, " ") == ""
}

// Explain reports whether t turns the first indent of every pair into the second.
func (t Tabs) Explain(pairs Pairs) bool {
	for hunk, file := range pairs {
		if got, ok := t.apply(hunk); !ok || got != file {
			return false
		}
	}
	return true
}

// tabsOf returns the Tabs that explain pairs of which at least one differs. Only the usual widths count.
func tabsOf(pairs Pairs) (Tabs, bool) {
	if pairs.Same() {
		return Tabs{}, false
	}
	for _, w := range []int{4, 2, 8, 3} {
		for _, t := range []Tabs{{width: w}, {width: w, spaces: true}} {
			if t.Explain(pairs) {
				return t, true
			}
		}
	}
	return Tabs{}, false
}
