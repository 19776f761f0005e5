package guard

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// protectsReading reports whether a rule for reading may apply to a name, whatever leads to it. A listing asks about every
// name that it meets, and for nearly all of them the first two and the last two bytes decide.
func protectsReading(name string) bool {
	if isOrdinary(name) {
		return false
	}
	folded := fold(name)
	if slices.ContainsFunc(rulesByName[folded], func(r *rule) bool { return r.protects&reading != 0 }) {
		return true
	}
	for i := range readPatterns {
		if readPatterns[i].star && readPatterns[i].match(folded) {
			return true
		}
	}
	return false
}

// readPatterns are the first names of the rules that protect from reading: whatever the others protect is below these.
var readPatterns = func() (out []namePattern) {
	for i := range builtinRules {
		if r := &builtinRules[i]; r.protects&reading != 0 && !slices.Contains(out, r.names[0]) {
			out = append(out, r.names[0])
		}
	}
	return out
}()

// edgeBits has one bit for each of the readPatterns: in first and second under the bytes that a name may begin with if it folds
// to one that the pattern matches, in beforeLast and last under those that it may end with.
type edgeBits struct{ first, second, beforeLast, last [256]uint64 }

// otherLetters is the bit of names that fold to one with other letters: see [fold].
const otherLetters = 1 << 63

var readEdges = func() (e edgeBits) {
	for i, r := range readPatterns {
		end := r.after
		if !r.star {
			end = r.before
		}
		setEdge(&e.first, r.before[:min(1, len(r.before))], 1<<i)
		setEdge(&e.second, r.before[min(1, len(r.before)):min(2, len(r.before))], 1<<i)
		setEdge(&e.beforeLast, end[max(0, len(end)-2):max(0, len(end)-1)], 1<<i)
		setEdge(&e.last, end[max(0, len(end)-1):], 1<<i)
	}
	setEdge(&e.first, "g", otherLetters) // git~1
	setEdge(&e.second, "i", otherLetters)
	setEdge(&e.beforeLast, "~", otherLetters)
	setEdge(&e.last, "1", otherLetters)
	return e
}()

// setEdge sets a bit under a letter in both cases, or under every byte for a star.
func setEdge(table *[256]uint64, letter string, bit uint64) {
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
	if len(name) < 2 {
		return false
	}
	beforeLast, last := name[len(name)-2], name[len(name)-1]
	if last == '.' || last == ' ' {
		return false // fold takes it off
	}
	if e := &readEdges; e.first[name[0]]&e.second[name[1]]&e.beforeLast[beforeLast]&e.last[last] != 0 {
		return false
	}
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf || name[i] == ':' { // fold decides about letters beyond ASCII, and about NTFS streams
			return false
		}
	}
	return true
}
