package find

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// alphabet puts characters that an expression does not tell apart into one class, so that a table by state and class
// is small.
type alphabet struct {
	bytes  [256]uint8 // the class of a byte, or second
	from   []rune     // where in Unicode another class begins
	class  []uint8    // and which
	sample []rune     // a character of each class
	edges  bool       // the expression has \b or \B, and letters are told from what is between words
}

// The first classes.
const (
	second  uint8 = iota // no class: a byte that cannot be judged alone
	lineEnd              // LF, and CR in front of it
	firstClass
)

const (
	mostClasses = 250
	// mostCompared is how many characters may be compared with sets to make classes.
	mostCompared = 1 << 17
)

// newAlphabet is nil when there are too many classes.
func newAlphabet(prog *syntax.Prog) *alphabet {
	a := &alphabet{edges: hasEdges(prog)}
	sets := setsOf(prog)
	a.from = a.bounds(sets)
	if len(sets)*len(a.from) > mostCompared || !a.classify(sets) {
		return nil
	}
	for c := range a.bytes {
		if c < utf8.RuneSelf && c != '\r' {
			a.bytes[c] = a.of(rune(c))
		}
	}
	a.bytes['\n'] = lineEnd
	return a
}

func hasEdges(prog *syntax.Prog) bool {
	return slices.ContainsFunc(prog.Inst, func(in syntax.Inst) bool {
		return in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
	})
}

// setsOf are the instructions that read a character, each different set once.
func setsOf(prog *syntax.Prog) (out []*syntax.Inst) {
	seen := map[string]bool{}
	for i := range prog.Inst {
		in := &prog.Inst[i]
		if !readsOne(in) {
			continue
		}
		if key := spelled(in); !seen[key] {
			seen[key] = true
			out = append(out, in)
		}
	}
	return out
}

// spelled is a set by its numbers: as text, a half of a surrogate pair would be the same as U+FFFD.
func spelled(in *syntax.Inst) string {
	key := binary.LittleEndian.AppendUint32([]byte{byte(in.Op)}, in.Arg)
	for _, r := range in.Rune {
		key = binary.LittleEndian.AppendUint32(key, uint32(r))
	}
	return string(key)
}

func readsOne(in *syntax.Inst) bool {
	switch in.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

// bounds are the characters at which a set begins or has just ended.
func (a *alphabet) bounds(sets []*syntax.Inst) []rune {
	out := []rune{0}
	add := func(lo, hi rune) { out = append(out, lo, hi+1) }
	if a.edges {
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

// classify gives what lies between two bounds the class of what is in the same sets.
func (a *alphabet) classify(sets []*syntax.Inst) bool {
	a.sample = make([]rune, firstClass)
	known := map[string]uint8{}
	key := make([]byte, len(sets)+1)
	for _, r := range a.from {
		for i, in := range sets {
			key[i] = bit(in.MatchRune(r))
		}
		key[len(sets)] = bit(a.edges && syntax.IsWordChar(r))
		c, ok := known[string(key)]
		if !ok {
			if len(a.sample) == mostClasses {
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

// of is the class of a character that does not end a line.
func (a *alphabet) of(r rune) uint8 {
	i, ok := slices.BinarySearch(a.from, r)
	if !ok {
		i--
	}
	return a.class[i]
}

// beyond are the classes of characters that are no ASCII.
func (a *alphabet) beyond() []uint8 {
	i, ok := slices.BinarySearch(a.from, utf8.RuneSelf)
	if !ok {
		i--
	}
	return a.class[i:]
}

// read is the class of the character that begins at b, and how many bytes it takes.
func (a *alphabet) read(b []byte) (class uint8, size int) {
	if b[0] == '\r' && len(b) > 1 && b[1] == '\n' {
		return lineEnd, 2
	}
	if class = a.bytes[b[0]]; class != second {
		return class, 1
	}
	r, size := utf8.DecodeRune(b)
	return a.of(r), size
}
