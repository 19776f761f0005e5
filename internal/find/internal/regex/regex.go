// Package regex reads regular expressions for a search through many lines, faster than package regexp does where it can.
//
// A [DFA] says which lines an expression matches. [RequiredLiterals] are texts one of which every match contains, so that a
// search can look for them first. [Size] is the cost of an expression before it is compiled.
//
// The package does not parse expressions, and it does not say where in a line a match is: both are left to regexp/syntax and
// regexp, and the DFA is made from the program that regexp/syntax compiles.
package regex

import (
	"bytes"
	"regexp/syntax"
)

// DFA is a deterministic automaton that says which lines an expression matches, but not where in them. It reads a block of
// many lines once, with one table lookup for each character. It makes its states when the text first leads to them.
//
// It is for one goroutine; Clone makes another. When its states become too many it gives up for good, and what it has
// said until then is right.
type DFA struct {
	*alphabet
	insts []syntax.Inst
	start uint32

	table     []int32   // by state and class: a state, matched, or unknown
	lineStart int32     // the state at the beginning of a line
	idle      int32     // the state in a line when no match can have begun yet; it is less than all others
	leaves    [256]bool // the bytes that lead away from idle, or that cannot be judged alone
	index     map[string]int32
	states    []state
	current   instSet
	following instSet
	key       []byte
	memory    int // how many instructions all states have
	work      int // how many instructions were looked at
}

// The values of the table that are no states. A state is the index of its row in the table, so that none is 0.
const (
	unknown int32 = 0
	matched int32 = -1
	gaveUp  int32 = -2
)

// NewDFA returns nil for an expression that matches every line, and for one that is too large.
func NewDFA(tree *syntax.Regexp) *DFA {
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > maxInsts {
		return nil
	}
	al := newAlphabet(prog)
	if al == nil {
		return nil
	}
	return (&DFA{alphabet: al, insts: prog.Inst, start: uint32(prog.Start)}).Clone()
}

// Clone returns a DFA for the same expression without states, for another goroutine. The clone of nil is nil.
func (d *DFA) Clone() *DFA {
	if d == nil {
		return nil
	}
	c := &DFA{alphabet: d.alphabet, insts: d.insts, start: d.start, index: map[string]int32{}}
	if !c.makeFirstStates() {
		return nil
	}
	return c
}

// Find returns a place in the first line of the block that matches, at or after from, which is the beginning of a line; -1 if
// no line matches. If it gives up it returns the beginning of the line that it is in, and false.
func (d *DFA) Find(block []byte, from int) (at int, ok bool) {
	if from == len(block) {
		return -1, true
	}
	s, i := d.lineStart, from
	for i < len(block) {
		s, i = d.run(block, s, i)
		if i == len(block) {
			break
		}
		class, size := d.classAt(block[i:])
		if s = d.next(s, class); s < unknown {
			return d.result(block, s, i)
		}
		i += size
	}
	if block[i-1] != '\n' {
		if s = d.next(s, lineEnd); s < unknown {
			return d.result(block, s, i)
		}
	}
	return -1, true
}

// run goes on while the table has the next state. It returns the state and the place where it stopped.
func (d *DFA) run(block []byte, s int32, i int) (int32, int) {
	table, idle, class := d.table, d.idle, &d.bytes
	if s == idle {
		i = d.skipIdle(block, i)
	}
	for i < len(block) {
		to := table[int(s)+int(class[block[i]])]
		if to > idle {
			s = to
			i++
			continue
		}
		if to != idle {
			return s, i
		}
		s, i = to, d.skipIdle(block, i+1)
	}
	return s, i
}

// skipIdle returns the first place at or after i whose byte leads away from the idle state.
func (d *DFA) skipIdle(b []byte, i int) int {
	leaves := &d.leaves
	for ; i+8 <= len(b); i += 8 {
		c := b[i : i+8 : i+8]
		if leaves[c[0]] || leaves[c[1]] || leaves[c[2]] || leaves[c[3]] || leaves[c[4]] || leaves[c[5]] || leaves[c[6]] || leaves[c[7]] {
			break
		}
	}
	for i < len(b) && !leaves[b[i]] {
		i++
	}
	return i
}

// result is what Find returns when s is no state.
func (d *DFA) result(block []byte, s int32, i int) (int, bool) {
	if s == matched {
		return i, true
	}
	return bytes.LastIndexByte(block[:i], '\n') + 1, false
}

// Match reports whether the line, given without its end, matches. ok is false if the DFA has given up.
func (d *DFA) Match(line []byte) (match, ok bool) {
	if len(line) == 0 {
		s := d.next(d.lineStart, lineEnd)
		return s == matched, s != gaveUp
	}
	at, ok := d.Find(line, 0)
	return at >= 0, ok
}
