package regex

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// alphabet puts characters that an expression does not distinguish into one class, so that a table by state and class is small.
type alphabet struct {
	bytes     [256]uint8 // the class of a byte, or undecided
	bounds    []rune     // the characters at which another class begins
	class     []uint8    // the class that begins there
	sample    []rune     // one character of each class
	wordEdges bool       // the expression has \b or \B, so that word characters have classes of their own
}

// The first classes.
const (
	undecided uint8 = iota // no class: a byte that cannot be judged alone
	lineEnd                // LF, and CR in front of it
	firstClass
)

const (
	maxClasses = 250
	// maxCompared is how many comparisons of a character with a set may be made to find the classes.
	maxCompared = 1 << 17
)

// newAlphabet returns nil if there are too many classes.
func newAlphabet(prog *syntax.Prog) *alphabet {
	a := &alphabet{wordEdges: hasWordEdges(prog)}
	sets := setsOf(prog)
	a.bounds = a.boundsOf(sets)
	if len(sets)*len(a.bounds) > maxCompared || !a.classify(sets) {
		return nil
	}
	for c := range a.bytes {
		if c < utf8.RuneSelf && c != '\r' {
			a.bytes[c] = a.classOf(rune(c))
		}
	}
	a.bytes['\n'] = lineEnd
	return a
}

func hasWordEdges(prog *syntax.Prog) bool {
	return slices.ContainsFunc(prog.Inst, func(in syntax.Inst) bool {
		return in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
	})
}

// setsOf returns the instructions that read a character, one for each different set.
func setsOf(prog *syntax.Prog) (out []*syntax.Inst) {
	seen := map[string]bool{}
	for i := range prog.Inst {
		in := &prog.Inst[i]
		if !readsRune(in) {
			continue
		}
		if key := setKey(in); !seen[key] {
			seen[key] = true
			out = append(out, in)
		}
	}
	return out
}

// setKey identifies a set by its numbers: as text, half of a surrogate pair would be the same as U+FFFD.
func setKey(in *syntax.Inst) string {
	key := binary.LittleEndian.AppendUint32([]byte{byte(in.Op)}, in.Arg)
	for _, r := range in.Rune {
		key = binary.LittleEndian.AppendUint32(key, uint32(r))
	}
	return string(key)
}

func readsRune(in *syntax.Inst) bool {
	switch in.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

// boundsOf returns the characters at which a set begins, or has just ended.
func (a *alphabet) boundsOf(sets []*syntax.Inst) []rune {
	out := []rune{0}
	add := func(lo, hi rune) { out = append(out, lo, hi+1) }
	if a.wordEdges {
		for _, r := range []string{"09", "AZ", "__", "az"} {
			add(rune(r[0]), rune(r[1]))
		}
	}
	for _, in := range sets {
		if len(in.Rune) == 1 {
			add(in.Rune[0], in.Rune[0])
			for r := unicode.SimpleFold(in.Rune[0]); r != in.Rune[0]; r = unicode.SimpleFold(r) {
				add(r, r)
			}
			continue
		}
		for i := 0; i+1 < len(in.Rune); i += 2 {
			add(in.Rune[i], in.Rune[i+1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// classify gives one class to all characters that are in the same sets. It reports false if there are too many classes.
func (a *alphabet) classify(sets []*syntax.Inst) bool {
	a.sample = make([]rune, firstClass)
	known := map[string]uint8{}
	key := make([]byte, len(sets)+1)
	for _, r := range a.bounds {
		for i, in := range sets {
			key[i] = bit(in.MatchRune(r))
		}
		key[len(sets)] = bit(a.wordEdges && syntax.IsWordChar(r))
		c, ok := known[string(key)]
		if !ok {
			if len(a.sample) == maxClasses {
				return false
			}
			c = uint8(len(a.sample))
			known[string(key)], a.sample = c, append(a.sample, r)
		}
		a.class = append(a.class, c)
	}
	return true
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// classOf returns the class of a character that does not end a line.
func (a *alphabet) classOf(r rune) uint8 {
	i, ok := slices.BinarySearch(a.bounds, r)
	if !ok {
		i--
	}
	return a.class[i]
}

// nonASCII returns the classes of the characters beyond ASCII.
func (a *alphabet) nonASCII() []uint8 {
	i, ok := slices.BinarySearch(a.bounds, utf8.RuneSelf)
	if !ok {
		i--
	}
	return a.class[i:]
}

// classAt returns the class of the character at the beginning of b, and how many bytes it takes.
func (a *alphabet) classAt(b []byte) (class uint8, size int) {
	if b[0] == '\r' && len(b) > 1 && b[1] == '\n' {
		return lineEnd, 2
	}
	if class = a.bytes[b[0]]; class != undecided {
		return class, 1
	}
	r, size := utf8.DecodeRune(b)
	return a.classOf(r), size
}
