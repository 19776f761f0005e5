package plan

import (
	"slices"
	"strings"
	"unicode"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// shift is how indentation must change between a hunk and the place it matched: the indents seen on matched
// lines, and a rule for others. The zero shift changes nothing.
type shift struct {
	seen  map[string]string
	rule  func(indent string) (string, bool)
	blank bool // the rule is for lines of nothing but white space, too
}

func (s shift) apply(line string) string {
	out, _ := s.try(line)
	return out
}

func (s shift) try(line string) (string, bool) {
	if s.seen == nil || line == "" {
		return line, true
	}
	in, rest := dent(line)
	if rest == "" {
		if to, ok := s.rule(in); ok && s.blank {
			return to, true
		}
		return line, true
	}
	if to, ok := s.seen[in]; ok {
		return to + rest, true
	}
	to, ok := s.rule(in)
	return to + rest, ok
}

// dent splits line after its leading white space.
func dent(line string) (indent, rest string) {
	rest = strings.TrimLeftFunc(line, unicode.IsSpace)
	return line[:len(line)-len(rest)], rest
}

// shift finds what made hunk k's lines match where it was placed. It fails when they do not all shift alike, or
// when an added line has an indent that says nothing of where it belongs. A hunk whose own lines are no evidence goes by
// what the other hunks of the section have agreed on.
func (p *placer) shift(k int) (shift, bool) {
	s := &p.spots[k]
	if s.rung < patch.Whitespace && p.tabs == (tabstop{}) || !slices.ContainsFunc(p.hunks[k].Lines, indented) && s.rung < patch.Whitespace {
		return shift{}, true
	}
	adds := func(l patch.Line) bool { return l.Mark() == '+' && strings.TrimSpace(l.Text()) != "" }
	if !slices.ContainsFunc(p.hunks[k].Lines, adds) {
		return shift{}, true
	}
	pairs, ok := p.indents(k)
	if !ok {
		return shift{}, false
	}
	out, proved := shiftBy(pairs)
	if s.tabs = proved; same(pairs) && p.tabs != (tabstop{}) && p.tabs.explains(pairs) {
		out.rule, out.blank = p.tabs.apply, true
	}
	for _, l := range p.hunks[k].Lines {
		if l.Mark() != '+' {
			continue
		}
		if _, ok := out.try(l.Text()); !ok {
			return shift{}, false
		}
	}
	return out, true
}

// shiftBy is the shift that pairs tell of, and the tabstop, if it is one.
func shiftBy(pairs map[string]string) (shift, tabstop) {
	if t, ok := tabstopOf(pairs); ok {
		return shift{seen: pairs, rule: t.apply, blank: true}, t
	}
	return shift{seen: pairs, rule: shiftRule(pairs)}, tabstop{}
}

// indents maps each indent on the hunk's old lines to the one in the file.
func (p *placer) indents(k int) (map[string]string, bool) {
	s := &p.spots[k]
	h := &p.hunks[k]
	pairs := map[string]string{}
	at := s.first
	for _, l := range h.Lines[:len(h.Lines)-s.try.cut] {
		if !l.Old() {
			continue
		}
		mine, rest := dent(l.Text())
		theirs, _ := dent(p.doc.Line(at))
		if rest != "" {
			if to, ok := pairs[mine]; ok && to != theirs {
				return nil, false
			}
			pairs[mine] = theirs
		}
		at = p.doc.Next(at)
	}
	if s.try.lead && len(pairs) == 0 { // models write anchors without their indent: they count only where no line does
		mine, _ := dent(h.Anchors[0])
		pairs[mine], _ = dent(p.doc.Line(p.doc.Prev(s.first)))
	}
	return pairs, true
}

// shiftRule finds the one change that explains every pair: nothing, a prefix more, or a prefix less. Where none does, only
// the indents that were seen can be changed.
func shiftRule(pairs map[string]string) func(string) (string, bool) {
	more, less, ok := prefixes(pairs)
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

// prefixes is what all pairs gain or lose at the front, if it is the same for all.
func prefixes(pairs map[string]string) (more, less string, ok bool) {
	first := true
	for in, to := range pairs {
		m, gains := strings.CutSuffix(to, in)
		l, loses := strings.CutSuffix(in, to)
		switch {
		case gains:
			l = ""
		case loses:
			m = ""
		default:
			return "", "", false
		}
		if !first && (m != more || l != less) {
			return "", "", false
		}
		more, less, first = m, l, false
	}
	return more, less, true
}

func only(s string, c byte) bool { return strings.Trim(s, string(c)) == "" }

func (p *placer) crooked(k int) *fail.Error {
	s := &p.spots[k]
	return &fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Hunk: k + 1, Line: s.start + 1, Old: p.hunks[k].Old(),
		Msg:  "its lines match only when indentation is ignored, and no single shift of it fits every line",
		Hint: "Re-read the file and copy the indentation exactly, tabs as tabs."}
}
