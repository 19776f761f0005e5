package find

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

// state is where an automaton is between two characters: the instructions that are next, for every place in the line
// where a match can have begun. Those that ask whether a line begins or ends, or a word, wait for the character that
// comes.
type state struct {
	insts []uint32
	about about
}

// about is what those that wait need to know.
type about uint8

const (
	asks      about = 1 << iota // there are any
	atBegin                     // of the line
	afterWord                   // the character before is one of a word
)

const (
	// mostKept is how much an automaton may remember, in numbers of four bytes.
	mostKept = 1 << 16
	// mostMade is how many instructions it may look at to make states: some ten milliseconds of work.
	mostMade = 1 << 20
	// mostInsts is how large its expression may be.
	mostInsts = 2000
)

const beginOps = syntax.EmptyBeginLine | syntax.EmptyBeginText

// first makes the states that are always there. It reports false when there is nothing to look for: every line matches.
func (a *automaton) first() bool {
	a.next, a.states = make([]int32, len(a.sample)), make([]state, 1)
	a.now.seen, a.then.seen = make([]uint32, len(a.insts)), make([]uint32, len(a.insts))
	a.then.clear()
	match := a.add(&a.then, a.start, 0, false)
	a.home = a.number(&a.then, 0)
	a.then.clear()
	match = a.add(&a.then, a.start, beginOps, false) || match
	a.begins = a.number(&a.then, atBegin)
	return !match && a.home > 0 && a.begins > 0 && a.leave()
}

// leave finds the bytes that lead away from home.
func (a *automaton) leave() bool {
	far := make([]bool, len(a.sample))
	for c := lineEnd; int(c) < len(far); c++ {
		to := a.follow(a.home, c)
		if to == tooMany {
			return false
		}
		far[c] = to != a.home
	}
	beyond := slices.ContainsFunc(a.beyond(), func(c uint8) bool { return far[c] })
	for c := range a.away {
		switch class := a.bytes[c]; {
		case class != second:
			a.away[c] = far[class]
		case c == '\r':
			a.away[c] = far[a.of('\r')]
		default:
			a.away[c] = beyond
		}
	}
	return true
}

// follow is the state after s when a character of the class comes.
func (a *automaton) follow(s int32, class uint8) int32 {
	at := int(s) + int(class)
	to := a.next[at]
	if to == unknown {
		if to = a.step(a.states[int(s)/len(a.sample)], class); to != tooMany {
			a.next[at] = to
		}
	}
	return to
}

// step makes the state that follows.
func (a *automaton) step(s state, class uint8) int32 {
	if a.made > mostMade {
		return tooMany
	}
	insts := s.insts
	if s.about&asks != 0 {
		a.now.clear()
		for _, pc := range insts {
			if a.add(&a.now, pc, a.holds(s.about, class), true) {
				return matched
			}
		}
		insts = a.now.list
	}
	if class == lineEnd {
		return a.begins
	}
	a.then.clear()
	r := a.sample[class]
	for _, pc := range insts {
		if in := &a.insts[pc]; in.MatchRune(r) && a.add(&a.then, in.Out, 0, false) {
			return matched
		}
	}
	a.made += len(insts)
	if a.add(&a.then, a.start, 0, false) {
		return matched
	}
	return a.number(&a.then, a.after(class))
}

// holds is what is true between a state and a character.
func (a *automaton) holds(s about, class uint8) (ops syntax.EmptyOp) {
	if s&atBegin != 0 {
		ops = beginOps
	}
	if class == lineEnd {
		ops |= syntax.EmptyEndLine | syntax.EmptyEndText
	}
	if (s&afterWord != 0) != (a.after(class) != 0) {
		return ops | syntax.EmptyWordBoundary
	}
	return ops | syntax.EmptyNoWordBoundary
}

func (a *automaton) after(class uint8) about {
	if a.edges && class != lineEnd && syntax.IsWordChar(a.sample[class]) {
		return afterWord
	}
	return 0
}

// add takes an instruction, or what follows from it without a character, into m, and reports whether that is a match.
// What asks for a place is followed where ops holds or, when nothing was asked yet, waits; but the beginning of a line
// does not come again.
func (a *automaton) add(m *reached, pc uint32, ops syntax.EmptyOp, asked bool) bool {
	for m.put(pc) {
		a.made++
		switch in := &a.insts[pc]; in.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstFail:
			return false
		case syntax.InstAlt, syntax.InstAltMatch:
			if a.add(m, in.Out, ops, asked) {
				return true
			}
			pc = in.Arg
		case syntax.InstCapture, syntax.InstNop:
			pc = in.Out
		case syntax.InstEmptyWidth:
			need := syntax.EmptyOp(in.Arg)
			if !asked && need&beginOps&^ops == 0 {
				m.list, m.asks = append(m.list, pc), true
			}
			if !asked || need&^ops != 0 {
				return false
			}
			pc = in.Out
		default:
			m.list = append(m.list, pc)
			return false
		}
	}
	return false
}

// number is the state that has the instructions of m.
func (a *automaton) number(m *reached, is about) int32 {
	if is |= asks; !m.asks {
		is = 0
	}
	slices.Sort(m.list)
	a.key = append(a.key[:0], byte(is))
	for _, pc := range m.list {
		a.key = binary.LittleEndian.AppendUint16(a.key, uint16(pc))
	}
	if n, ok := a.numbers[string(a.key)]; ok {
		return n
	}
	a.kept += len(m.list) + 8
	if len(a.next)+len(a.sample)+a.kept > mostKept {
		return tooMany
	}
	n := int32(len(a.next))
	a.next = append(a.next, make([]int32, len(a.sample))...)
	a.states = append(a.states, state{slices.Clone(m.list), is})
	a.numbers[string(a.key)] = n
	return n
}

// reached are instructions, each of them once.
type reached struct {
	list []uint32
	asks bool
	seen []uint32 // when an instruction was last put in
	time uint32
}

func (m *reached) clear() { m.list, m.asks, m.time = m.list[:0], false, m.time+1 }

func (m *reached) put(pc uint32) bool {
	if m.seen[pc] == m.time {
		return false
	}
	m.seen[pc] = m.time
	return true
}
