package indent

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend/patch"
)

// Pairs maps each indent of a hunk's old lines to the indent of the lines that they match in the file.
type Pairs map[string]string

// Add notes a pair. It reports false if the hunk's indent is paired with another one already.
func (p Pairs) Add(hunk, file string) bool {
	if to, ok := p[hunk]; ok && to != file {
		return false
	}
	p[hunk] = file
	return true
}

// Seen collects the pairs of a hunk's old lines.
type Seen struct {
	all, removed Pairs
	blanks       Pairs // of lines of nothing but white space; nil if the hunk adds none
	uneven       bool  // one indent became several

	further []string // the prefixes by which lines of context stand further right than in the file

	// Moved is set by Pairs if only the context was moved. Then the added lines have to show that they were not: see RunsFit.
	Moved bool
}

// NewSeen returns an empty Seen for a hunk of these lines.
func NewSeen(lines []patch.Line) *Seen {
	s := &Seen{all: Pairs{}, removed: Pairs{}}
	if slices.ContainsFunc(lines, func(l patch.Line) bool { return l.Mark() == '+' && l.Text() != "" && strings.TrimSpace(l.Text()) == "" }) {
		s.blanks = Pairs{}
		if slices.ContainsFunc(lines, func(l patch.Line) bool { return l.Mark() == '+' && l.Text() == "" }) {
			s.blanks.Add("", "") // it was not indented along with the others
		}
	}
	return s
}

// Add notes that an old line of the hunk is a line of the file.
func (s *Seen) Add(line patch.Line, file string) {
	mine, rest := Cut(line.Text())
	theirs, _ := Cut(file)
	if rest == "" {
		if s.blanks != nil {
			s.blanks.Add(mine, theirs)
		}
		return
	}
	s.uneven = !s.all.Add(mine, theirs) || s.uneven
	if line.Mark() == '-' && mine != "" {
		s.removed.Add(mine, theirs)
	}
	if more, ok := strings.CutSuffix(mine, theirs); ok && more != "" && line.Mark() == ' ' && !slices.Contains(s.further, more) {
		s.further = append(s.further, more)
	}
}

// Pairs returns the pairs by which the added lines are indented. If removed lines stand as deep in the hunk as in the file, and
// the lines of context do not, only the context was moved: what replaces the removed lines is indented as they are. But a tab width that
// explains all is one that also explains lines of less than a tab. It fails if one indent became several.
func (s *Seen) Pairs() (Pairs, bool) {
	if _, ok := tabsOf(s.all); ok && !s.uneven {
		return s.all, true
	}
	if len(s.removed) > 0 && s.removed.Same() && (s.uneven || !s.all.Same()) {
		s.Moved = true
		return s.removed, true
	}
	return s.all, !s.uneven
}

// Blanks returns the pairs of lines that have nothing but white space.
func (s *Seen) Blanks() Pairs { return s.blanks }

// Same reports whether no indent differs.
func (p Pairs) Same() bool {
	for hunk, file := range p {
		if hunk != file {
			return false
		}
	}
	return true
}

// Prefix returns what every indent has more at its front in the file, or less. It reports false if that is not the same
// for all.
func (p Pairs) Prefix() (more, less string, ok bool) {
	first := true
	for hunk, file := range p {
		m, gains := strings.CutSuffix(file, hunk)
		l, loses := strings.CutSuffix(hunk, file)
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
