package regex

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

// state is a DFA's position between two characters: the instructions that are next, for every place in the line where a match
// can have begun. Instructions that test for the beginning or end of a line or word wait for the next character.
type state struct {
	insts []uint32
	flags flags
}

// flags are what the waiting instructions of a state need to know.
type flags uint8

const (
	waiting   flags = 1 << iota // some instructions wait
	atBegin                     // of the line
	afterWord                   // the character before is a word character
)

const (
	// maxMemory is how much a DFA may remember, in numbers of four bytes.
	maxMemory = 1 << 16
	// maxWork is how many instructions it may look at to make states: some ten milliseconds of work.
	maxWork = 1 << 20
	// maxInsts is how many instructions its program may have.
	maxInsts = 2000
)

const beginOps = syntax.EmptyBeginLine | syntax.EmptyBeginText

// makeFirstStates makes the states that every DFA has. It reports false if every line matches, so that there is nothing to
// look for, and if there are too many states already.
func (d *DFA) makeFirstStates() bool {
	d.table, d.states = make([]int32, len(d.sample)), make([]state, 1)
	d.current.added, d.following.added = make([]uint32, len(d.insts)), make([]uint32, len(d.insts))
	d.following.clear()
	match := d.add(&d.following, d.start, 0, false)
	d.idle = d.stateOf(&d.following, 0)
	d.following.clear()
	match = d.add(&d.following, d.start, beginOps, false) || match
	d.lineStart = d.stateOf(&d.following, atBegin)
	return !match && d.idle > 0 && d.lineStart > 0 && d.findLeaves()
}

// findLeaves finds the bytes that lead away from the idle state.
func (d *DFA) findLeaves() bool {
	leaves := make([]bool, len(d.sample))
	for c := lineEnd; int(c) < len(leaves); c++ {
		to := d.next(d.idle, c)
		if to == gaveUp {
			return false
		}
		leaves[c] = to != d.idle
	}
	nonASCII := slices.ContainsFunc(d.nonASCII(), func(c uint8) bool { return leaves[c] })
	for c := range d.leaves {
		switch class := d.bytes[c]; {
		case class != undecided:
			d.leaves[c] = leaves[class]
		case c == '\r':
			d.leaves[c] = leaves[d.classOf('\r')]
		default:
			d.leaves[c] = nonASCII
		}
	}
	return true
}

// next returns the state after s when a character of the class comes.
func (d *DFA) next(s int32, class uint8) int32 {
	at := int(s) + int(class)
	to := d.table[at]
	if to == unknown {
		if to = d.makeNext(d.states[int(s)/len(d.sample)], class); to != gaveUp {
			d.table[at] = to
		}
	}
	return to
}

// makeNext computes what next returns.
func (d *DFA) makeNext(s state, class uint8) int32 {
	if d.work > maxWork {
		return gaveUp
	}
	insts := s.insts
	if s.flags&waiting != 0 {
		d.current.clear()
		for _, pc := range insts {
			if d.add(&d.current, pc, d.emptyOps(s.flags, class), true) {
				return matched
			}
		}
		insts = d.current.list
	}
	if class == lineEnd {
		return d.lineStart
	}
	d.following.clear()
	r := d.sample[class]
	for _, pc := range insts {
		if in := &d.insts[pc]; in.MatchRune(r) && d.add(&d.following, in.Out, 0, false) {
			return matched
		}
	}
	d.work += len(insts)
	if d.add(&d.following, d.start, 0, false) {
		return matched
	}
	return d.stateOf(&d.following, d.wordFlag(class))
}

// emptyOps returns the empty-width operations that hold between a state with the flags and a character of the class.
func (d *DFA) emptyOps(f flags, class uint8) (ops syntax.EmptyOp) {
	if f&atBegin != 0 {
		ops = beginOps
	}
	if class == lineEnd {
		ops |= syntax.EmptyEndLine | syntax.EmptyEndText
	}
	if (f&afterWord != 0) != (d.wordFlag(class) != 0) {
		return ops | syntax.EmptyWordBoundary
	}
	return ops | syntax.EmptyNoWordBoundary
}

func (d *DFA) wordFlag(class uint8) flags {
	if d.wordEdges && class != lineEnd && syntax.IsWordChar(d.sample[class]) {
		return afterWord
	}
	return 0
}

// add adds to m an instruction, or the instructions that follow it without reading a character, and reports whether that is a
// match. With decided set, an empty-width instruction is followed if it holds in ops. Without, it waits for the next character,
// unless it needs a beginning of the line that ops lacks: that does not come again.
func (d *DFA) add(m *instSet, pc uint32, ops syntax.EmptyOp, decided bool) bool {
	for m.insert(pc) {
		d.work++
		switch in := &d.insts[pc]; in.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstFail:
			return false
		case syntax.InstAlt, syntax.InstAltMatch:
			if d.add(m, in.Out, ops, decided) {
				return true
			}
			pc = in.Arg
		case syntax.InstCapture, syntax.InstNop:
			pc = in.Out
		case syntax.InstEmptyWidth:
			need := syntax.EmptyOp(in.Arg)
			if !decided && need&beginOps&^ops == 0 {
				m.list, m.waiting = append(m.list, pc), true
			}
			if !decided || need&^ops != 0 {
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

// stateOf returns the state that has the instructions of m, and makes it if it is new.
func (d *DFA) stateOf(m *instSet, f flags) int32 {
	if f |= waiting; !m.waiting {
		f = 0
	}
	slices.Sort(m.list)
	d.key = append(d.key[:0], byte(f))
	for _, pc := range m.list {
		d.key = binary.LittleEndian.AppendUint16(d.key, uint16(pc))
	}
	if n, ok := d.index[string(d.key)]; ok {
		return n
	}
	d.memory += len(m.list) + 8
	if len(d.table)+len(d.sample)+d.memory > maxMemory {
		return gaveUp
	}
	n := int32(len(d.table))
	d.table = append(d.table, make([]int32, len(d.sample))...)
	d.states = append(d.states, state{slices.Clone(m.list), f})
	d.index[string(d.key)] = n
	return n
}

// instSet is a set of instructions, in the order in which they were added.
type instSet struct {
	list    []uint32
	waiting bool
	added   []uint32 // by instruction: the round in which it was last added
	round   uint32
}

func (m *instSet) clear() { m.list, m.waiting, m.round = m.list[:0], false, m.round+1 }

func (m *instSet) insert(pc uint32) bool {
	if m.added[pc] == m.round {
		return false
	}
	m.added[pc] = m.round
	return true
}
