package indent

import "strings"

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
