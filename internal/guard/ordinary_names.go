package guard

import (
	"strings"
	"unicode/utf8"
)

// touched reports whether a rule may have something to say of a name when it is read, whatever leads to it. A walk asks
// of every name that it meets, and of nearly all of them the first byte and the last one tell.
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

// readNames are the names in the rules that protect from reading.
var readPatterns = func() (out []namePattern) {
	for i := range builtinRules {
		if builtinRules[i].protects&reading != 0 {
			out = append(out, ruleNames[i]...)
		}
	}
	return out
}()

// edges has a bit for each of the names in the rules: in first under the bytes that a name may begin with which folds to
// one that the rule means, in last under those that it may end with.
type edgeBits struct{ first, last [256]uint32 }

// beyond is the bit of the names that fold to one with other letters: see [fold].
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

// edge sets a bit under a letter, small and large, or under every byte for a star.
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

// ordinary reports whether a name is certainly none that a rule for reading means. It looks at no more than it has to.
func isOrdinary(name string) bool {
	if name == "" || readEdges.first[name[0]]&readEdges.last[name[len(name)-1]] != 0 {
		return false
	}
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf || name[i] == ':' { // letters and streams are left to fold
			return false
		}
	}
	return true
}
