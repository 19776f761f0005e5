package find

import (
	"bytes"
	"regexp/syntax"
)

// automaton says which lines an expression matches, and not where in them. It goes through a block of many lines once,
// with one look into a table for each character. Its states are made as the text leads to them (see step).
//
// It is for one goroutine; clone makes another. When its states become too many it gives up for good, and what it has
// said until then is right.
type automaton struct {
	*alphabet
	insts []syntax.Inst
	start uint32

	next    []int32   // by state and class: a state, matched, or unknown
	begins  int32     // the state at the beginning of a line
	home    int32     // the state in a line of which nothing can be part of a match yet; it is less than all others
	away    [256]bool // the bytes that lead away from home, or that are to be looked at twice
	numbers map[string]int32
	states  []state
	now     reached
	then    reached
	key     []byte
	kept    int // how many instructions all states have
	made    int // how many instructions were looked at
}

// What next has beside states. A state is the index of its row in the table, so that none is 0.
const (
	unknown int32 = 0
	matched int32 = -1
	tooMany int32 = -2
)

// newAutomaton is nil for an expression that matches every line, and for one that is too large.
func newAutomaton(tree *syntax.Regexp) *automaton {
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > mostInsts {
		return nil
	}
	al := newAlphabet(prog)
	if al == nil {
		return nil
	}
	return (&automaton{alphabet: al, insts: prog.Inst, start: uint32(prog.Start)}).clone()
}

func (a *automaton) clone() *automaton {
	if a == nil {
		return nil
	}
	c := &automaton{alphabet: a.alphabet, insts: a.insts, start: a.start, numbers: map[string]int32{}}
	if !c.first() {
		return nil
	}
	return c
}

// find returns a place in the first line that matches at or after from, which is the beginning of a line; -1 when there
// is none. When it gives up it returns the beginning of the line that it is in, and false.
func (a *automaton) find(block []byte, from int) (at int, ok bool) {
	if from == len(block) {
		return -1, true
	}
	s, i := a.begins, from
	for i < len(block) {
		s, i = a.run(block, s, i)
		if i == len(block) {
			break
		}
		class, size := a.read(block[i:])
		if s = a.follow(s, class); s < unknown {
			return a.stopped(block, s, i)
		}
		i += size
	}
	if block[i-1] != '\n' {
		if s = a.follow(s, lineEnd); s < unknown {
			return a.stopped(block, s, i)
		}
	}
	return -1, true
}

// run goes on while the table says how. It returns the state and the place where it does not.
func (a *automaton) run(block []byte, s int32, i int) (int32, int) {
	next, home, class := a.next, a.home, &a.bytes
	if s == home {
		i = a.rest(block, i)
	}
	for i < len(block) {
		to := next[int(s)+int(class[block[i]])]
		if to > home {
			s = to
			i++
			continue
		}
		if to != home {
			return s, i
		}
		s, i = to, a.rest(block, i+1)
	}
	return s, i
}

// rest is where, at or after i, a byte leads away from home.
func (a *automaton) rest(b []byte, i int) int {
	away := &a.away
	for ; i+8 <= len(b); i += 8 {
		c := b[i : i+8 : i+8]
		if away[c[0]] || away[c[1]] || away[c[2]] || away[c[3]] || away[c[4]] || away[c[5]] || away[c[6]] || away[c[7]] {
			break
		}
	}
	for i < len(b) && !away[b[i]] {
		i++
	}
	return i
}

// stopped is what find returns when s is no state.
func (a *automaton) stopped(block []byte, s int32, i int) (int, bool) {
	if s == matched {
		return i, true
	}
	return bytes.LastIndexByte(block[:i], '\n') + 1, false
}

// has reports whether a line, which has no end, matches.
func (a *automaton) has(line []byte) (has, ok bool) {
	if len(line) == 0 {
		s := a.follow(a.begins, lineEnd)
		return s == matched, s != tooMany
	}
	at, ok := a.find(line, 0)
	return at >= 0, ok
}
