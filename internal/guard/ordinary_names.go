package guard

import (
	"strings"
	"unicode/utf8"
)

// protectsReading reports whether a rule for reading may apply to a name, whatever leads to it. A listing asks about every
// name that it meets, and for nearly all of them the first and the last byte decide.
func protectsReading(name string) bool {
	if isOrdinary(name) {
		return false
	}
	folded := fold(name)
	for i := range readPatterns {
		if readPatterns[i].match(folded) {
			return true
		}
	}
	return false
}

// readPatterns are the names in the rules that protect from reading.
var readPatterns = func() (out []namePattern) {
	for i := range builtinRules {
		if builtinRules[i].protects&reading != 0 {
			out = append(out, ruleNames[i]...)
		}
	}
	return out
}()

// edgeBits has one bit for each of the readPatterns: in first under the bytes that a name may begin with if it folds to one
// that the pattern matches, in last under those that it may end with.
type edgeBits struct{ first, last [256]uint32 }

// otherLetters is the bit of names that fold to one with other letters: see [fold].
const otherLetters = 1 << 31

var readEdges = func() (e edgeBits) {
	for i, r := range readPatterns {
		end := r.after
		if !r.star {
			end = r.before
		}
		setEdge(&e.first, r.before[:min(1, len(r.before))], 1<<i)
		setEdge(&e.last, end[max(0, len(end)-1):], 1<<i)
	}
	e.first['g'], e.first['G'] = e.first['g']|otherLetters, e.first['G']|otherLetters // git~1
	e.last['1'] |= otherLetters
	e.last['.'], e.last[' '] = ^uint32(0), ^uint32(0) // what fold takes off the end
	return e
}()

// setEdge sets a bit under a letter in both cases, or under every byte for a star.
func setEdge(table *[256]uint32, letter string, bit uint32) {
	if letter == "" {
		for c := range table {
			table[c] |= bit
		}
		return
	}
	table[letter[0]] |= bit
	table[strings.ToUpper(letter)[0]] |= bit
}

// isOrdinary reports whether certainly no rule for reading matches a name. It looks at no more bytes than it has to.
func isOrdinary(name string) bool {
	if name == "" || readEdges.first[name[0]]&readEdges.last[name[len(name)-1]] != 0 {
		return false
	}
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf || name[i] == ':' { // fold decides about letters beyond ASCII, and about NTFS streams
			return false
		}
	}
	return true
}
