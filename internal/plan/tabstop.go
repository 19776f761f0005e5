package plan

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend/patch"
)

// tabstop says that the file has tabs where the patch has spaces, so many for each, or the other way round. The zero
// tabstop says nothing.
type tabstop struct {
	width  int
	spaces bool // the spaces are the file's
}

// disputed is what hunks say together that do not agree.
var disputed = tabstop{width: -1}

// apply is an indent of the patch as the file would have it. Spaces that make no whole tab stay behind the tabs, as in
// comments that are aligned by one.
func (t tabstop) apply(in string) (string, bool) {
	switch {
	case t == disputed:
		return in, in == ""
	case t.spaces:
		rest := strings.TrimLeft(in, "\t")
		return strings.Repeat(" ", t.width*(len(in)-len(rest))) + rest, only(rest, ' ')
	}
	return strings.Repeat("\t", len(in)/t.width) + strings.Repeat(" ", len(in)%t.width), only(in, ' ')
}

// explains reports whether every pair is as t says.
func (t tabstop) explains(pairs map[string]string) bool {
	for in, to := range pairs {
		if got, ok := t.apply(in); !ok || got != to {
			return false
		}
	}
	return true
}

// tabstopOf is the one that explains pairs of which one at least differs. Only usual widths count.
func tabstopOf(pairs map[string]string) (tabstop, bool) {
	if same(pairs) {
		return tabstop{}, false
	}
	for _, w := range []int{4, 2, 8, 3} {
		for _, t := range []tabstop{{width: w}, {width: w, spaces: true}} {
			if t.explains(pairs) {
				return t, true
			}
		}
	}
	return tabstop{}, false
}

// same reports whether no indent differs.
func same(pairs map[string]string) bool {
	for in, to := range pairs {
		if in != to {
			return false
		}
	}
	return true
}

// agreed is the tabstop that some hunks of the section have proved, for those that prove nothing: a patch that is written
// in spaces is so from its first line to its last. It reports false where no hunk could need it.
func (p *placer) agreed() (tabstop, bool) {
	var out tabstop
	needy := false
	for k := range p.spots {
		switch t := p.spots[k].tabs; {
		case t == (tabstop{}):
			needy = needy || slices.ContainsFunc(p.hunks[k].Lines, indented)
		case out == (tabstop{}):
			out = t
		case t != out:
			out = disputed
		}
	}
	return out, needy && out != (tabstop{})
}

// indented reports whether a line is added and begins with white space.
func indented(l patch.Line) bool {
	return l.Mark() == '+' && len(l) > 1 && (l[1] == ' ' || l[1] == '\t')
}
