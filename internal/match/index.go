package match

import (
	"iter"
	"slices"

	"github.com/emend-dev/emend/patch"
)

// Index counts the places of many patterns in one Doc at once, on one rung. It is an Aho-Corasick automaton whose
// letters are lines.
//
// Building it takes time linear in the lines of the Doc and of the patterns. It costs 4 bytes for a line of the Doc, and
// for a line of a pattern 20 bytes and, if its text is new, an entry in a map; while it is built, 12 bytes more for a
// line of a pattern.
type Index struct {
	doc  *Doc
	rung patch.Rung

	letters letters // of folded lines; lines in no pattern have none

	trie

	state []uint32 // by line of the file: the node after it
	added []uint32 // the same, by inserted line
}

// NewIndex returns an empty index with room for patterns. Call Add for each of them, then Build.
func NewIndex(d *Doc, r patch.Rung, patterns int) *Index {
	x := &Index{doc: d, rung: r, letters: newLetters(), trie: newTrie(0)}
	x.patterns = slices.Grow(x.patterns, patterns)
	return x
}

// Reserve makes room for patterns of so many lines in all.
func (x *Index) Reserve(lines int) {
	x.letters.reserve(lines)
	x.rootChild = slices.Grow(x.rootChild, lines)
	x.reserve(lines)
}

// Add adds a pattern and returns its number; equal patterns share one. The empty pattern has number 0 and no places.
func (x *Index) Add(lines iter.Seq[string]) int {
	node, size := uint32(0), 0
	for line := range lines {
		node = x.addChild(node, x.letterOf(Fold(x.rung, line)))
		size++
	}
	if size == 0 {
		return 0
	}
	return x.endPattern(node, size)
}

func (x *Index) letterOf(line string) uint32 {
	sym := x.letters.add(line)
	if int(sym) == len(x.rootChild) {
		x.rootChild = append(x.rootChild, 0)
	}
	return sym
}

// step returns the node after reading line in node.
func (x *Index) step(node uint32, line string) uint32 {
	sym := x.letters.find(Fold(x.rung, line))
	if sym == 0 {
		return 0
	}
	return x.follow(node, sym)
}

// Build finishes the automaton and reads the Doc once.
func (x *Index) Build() {
	d := x.doc
	x.link()
	d.limit += 32 * len(x.letter)
	x.state = make([]uint32, d.file.Len())
	x.added = make([]uint32, len(d.added), cap(d.added))
	n, sum := make([]uint32, len(x.letter)), make([]int, len(x.letter))
	x.readLetters()
	node := uint32(0)
	for s := d.Next(Begin); s != d.End(); s = d.Next(s) {
		if node == 0 && d.neighbours == nil && x.state[s] == 0 { // most lines of a file are in no pattern
			continue
		}
		if d.Inserted(s) {
			node = x.step(node, d.Line(s))
		} else if sym := x.state[s]; sym != 0 {
			node = x.follow(node, sym)
		} else {
			node = 0
		}
		if node != 0 {
			n[node]++
			sum[node] += s
		}
		x.setState(s, node)
	}
	for _, v := range reversed(x.order) { // whatever ends at a node ends at its fail node too
		n[x.fail[v]] += n[v]
		sum[x.fail[v]] += sum[v]
	}
	for i := 1; i < len(x.patterns); i++ {
		p := &x.patterns[i]
		p.count, p.slotSum = int(n[p.node]), sum[p.node]
	}
	x.falls = 0 // a whole walk is always linear: only edits count
	d.indexes = append(d.indexes, x)
}

// readLetters stores the letter of each line of the file where its state goes later.
func (x *Index) readLetters() {
	inParts(x.doc.file.Len(), func(from, to int) {
		for i := from; i < to; i++ {
			if sym := x.letters.find(Fold(x.rung, x.doc.file.Line(i))); sym != 0 { // else leave the memory untouched
				x.state[i] = sym
			}
		}
	})
}

func (x *Index) setState(s Slot, node uint32) {
	if !x.doc.Inserted(s) {
		if x.state[s] != node {
			x.state[s] = node
		}
		return
	}
	i := s - x.doc.file.Len() - 1
	for len(x.added) <= i {
		x.added = append(x.added, 0)
	}
	x.added[i] = node
}

func (x *Index) stateAt(s Slot) uint32 {
	switch {
	case s == Begin:
		return 0
	case x.doc.Inserted(s):
		return x.added[s-x.doc.file.Len()-1]
	}
	return x.state[s]
}

// removePlaces subtracts the places that end at s from the counts; addPlaces adds them.
func (x *Index) removePlaces(s Slot) { x.countPlaces(s, -1) }
func (x *Index) addPlaces(s Slot)    { x.countPlaces(s, +1) }

func (x *Index) countPlaces(s Slot, by int) {
	for i := x.ends[x.stateAt(s)]; i != 0; i = x.patterns[i].next {
		x.patterns[i].count += by
		x.patterns[i].slotSum += by * s
		x.doc.work++
	}
}

// resume reads the Doc again from the slot after first on. There edits were made, up to slot after; lines from fresh on
// are new. It stops where the automaton is in the same state as before, since nothing has changed from there on. Only
// what it reads beyond after counts as work; the rest are lines that the edit names.
func (x *Index) resume(first, after, fresh Slot) {
	d, node := x.doc, x.stateAt(first)
	past := false
	x.falls = 0
	for s := range d.From(d.Next(first)) {
		past = past || s == after
		known := s < fresh || !d.Inserted(s)
		if known && x.stateAt(s) != 0 { // its letter is the last one on the way there
			node = x.follow(node, x.letter[x.stateAt(s)])
		} else {
			node = x.step(node, d.Line(s))
		}
		if known {
			if past {
				d.work++
			}
			if past && (node == x.stateAt(s) || d.work+x.falls > d.limit) {
				break
			}
			x.removePlaces(s)
		}
		x.setState(s, node)
		x.addPlaces(s)
	}
	d.work += x.falls
}

// Patterns returns the number of distinct patterns, including the empty one.
func (x *Index) Patterns() int { return len(x.patterns) }

// Count returns the number of places of pattern p.
func (x *Index) Count(p int) int { return x.patterns[p].count }

// OnlyPlace returns the first slot of pattern p's place. The pattern must have exactly one.
func (x *Index) OnlyPlace(p int) Slot { return x.doc.Back(x.patterns[p].slotSum, x.patterns[p].size-1) }

// LastPlaces returns for every pattern the slots of the last lines of its last place and of the one before that, or
// Begin. It reads the Doc once.
func (x *Index) LastPlaces() [][2]Slot {
	by := make([]lastTwo, len(x.letter))
	at := 0
	for s := range x.doc.From(x.doc.Next(Begin)) {
		at++
		l := &by[x.stateAt(s)]
		*l = lastTwo{ending{at, s}, l.last}
	}
	for _, v := range reversed(x.order) {
		by[x.fail[v]].merge(by[v])
	}
	out := make([][2]Slot, len(x.patterns))
	for i, p := range x.patterns {
		out[i] = [2]Slot{by[p.node].last.slot(), by[p.node].beforeLast.slot()}
	}
	return out
}

// lastTwo are the last two lines at which something ends.
type lastTwo struct{ last, beforeLast ending }

// ending is a line, by its number along the Doc from 1 and its slot. The zero ending is none.
type ending struct {
	at int
	s  Slot
}

func (e ending) slot() Slot {
	if e.at == 0 {
		return Begin
	}
	return e.s
}

func (l *lastTwo) merge(m lastTwo) {
	for _, e := range [2]ending{m.last, m.beforeLast} {
		switch {
		case e.at > l.last.at:
			l.last, l.beforeLast = e, l.last
		case e.at > l.beforeLast.at:
			l.beforeLast = e
		}
	}
}

func reversed[T any](s []T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := len(s) - 1; i >= 0; i-- {
			if !yield(i, s[i]) {
				return
			}
		}
	}
}
