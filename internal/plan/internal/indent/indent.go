// Package indent finds how the indentation of a file differs from that of a hunk, and indents the hunk's added lines
// as the file is.
//
// It sees pairs of indents only. It does not know where a hunk stands or which lines match.
package indent

import (
	"slices"
	"strings"
	"unicode"

	"github.com/emend-dev/emend/patch"
)

// Cut splits line after its leading white space.
func Cut(line string) (indent, rest string) {
	rest = strings.TrimLeftFunc(line, unicode.IsSpace)
	return line[:len(line)-len(rest)], rest
}

// Added reports whether one of lines is added and begins with a space or a tab.
func Added(lines []patch.Line) bool {
	return slices.ContainsFunc(lines, func(l patch.Line) bool {
		return l.Mark() == '+' && len(l) > 1 && (l[1] == ' ' || l[1] == '\t')
	})
}

// Adds reports whether one of lines is added and not empty, and whether one has more than white space.
func Adds(lines []patch.Line) (adds, words bool) {
	for _, l := range lines {
		if l.Mark() == '+' {
			adds, words = adds || l.Text() != "", words || strings.TrimSpace(l.Text()) != ""
		}
	}
	return adds, words
}

// Shift changes the indentation of added lines from the hunk's to the file's. An indent that was seen on a matched line
// becomes what it is there; any other follows a rule. The zero Shift changes nothing.
type Shift struct {
	Blank bool // lines of nothing but white space follow the rule too

	seen    Pairs
	blanks  Pairs
	rule    func(indent string) (string, bool)
	changes bool
	prefix  bool // the rule adds or cuts off a prefix
	mixed   bool // some indents differ and others do not, or two became one, and no rule says why: one that differs may be a mistake in its line
}

// NewShift returns the shift that explains the pairs, and the tab width that they prove, if they do. Pairs that differ in
// nothing prove nothing: then agreed, the tab width of other hunks, is the rule if it explains them.
func NewShift(pairs Pairs, agreed Tabs) (Shift, Tabs) {
	if t, ok := tabsOf(pairs); ok {
		return Shift{seen: pairs, rule: t.apply, Blank: true, changes: true}, t
	}
	if pairs.Same() && agreed != (Tabs{}) && agreed.Explain(pairs) {
		return Shift{seen: pairs, rule: agreed.apply, Blank: true, changes: true}, Tabs{}
	}
	_, _, alike := pairs.Prefix()
	mixed, depths := false, map[string]bool{}
	for hunk, file := range pairs {
		mixed = mixed || !alike && (hunk == file && hunk != "" || depths[file])
		depths[file] = true
	}
	return Shift{seen: pairs, rule: prefixRule(pairs), changes: !pairs.Same(), prefix: true, mixed: mixed}, Tabs{}
}

// prefixRule returns the rule that adds or cuts off the prefix in which all pairs differ. If there is no such prefix,
// the rule knows no indent.
func prefixRule(pairs Pairs) func(string) (string, bool) {
	more, less, ok := pairs.Prefix()
	switch {
	case ok && more == "" && less == "":
		return func(in string) (string, bool) { return in, true }
	case ok && less == "":
		return func(in string) (string, bool) { return more + in, true }
	case ok:
		return func(in string) (string, bool) { return strings.CutPrefix(in, less) }
	}
	return func(string) (string, bool) { return "", false }
}

// WithBlanks returns s, which goes by the pairs of lines of nothing but white space for such lines.
func (s Shift) WithBlanks(pairs Pairs) Shift {
	s.blanks = pairs
	return s
}

// Changes reports whether the shift may change a line.
func (s Shift) Changes() bool { return s.changes }

// Apply returns line as the file would indent it. The line must be one for which Try succeeds.
func (s Shift) Apply(line string) string {
	out, _ := s.Try(line)
	return out
}

// Try returns line as the file would indent it. It reports false if nothing says how.
func (s Shift) Try(line string) (string, bool) {
	if s.seen == nil || line == "" {
		return line, true
	}
	in, rest := Cut(line)
	if rest == "" {
		return s.blank(in)
	}
	if to, ok := s.seen[in]; ok {
		return to + rest, !s.mixed || to == in
	}
	to, ok := s.rule(in)
	return to + rest, ok
}

// blank returns a line of nothing but white space as the file would have it. Where the hunk stands deeper than the file, such a line
// is cut like the others, or stays, as the hunk's old blank lines do. If these do not say, it is cut only if nothing is left of it.
func (s Shift) blank(line string) (string, bool) {
	to, ok := s.rule(line)
	switch {
	case !ok:
		return line, true
	case s.Blank:
		return to, true
	case len(to) >= len(line):
		return line, true
	}
	cut, stay := false, false
	for hunk, file := range s.blanks {
		without, ok := s.rule(hunk)
		cut = cut || ok && without == file
		stay = stay || hunk == file && hunk != ""
	}
	switch {
	case cut == stay:
		return to, to == "" && len(s.blanks) == 0
	case stay:
		return line, true
	}
	return to, true
}
