package match

import (
	"iter"
	"slices"

	"github.com/emend-dev/emend/patch"
)

// Index counts the places of many patterns in one Doc at once, on one rung. It is an Aho-Corasick automaton whose
// letters are lines.
//
// Building it takes time linear in the lines of the Doc and of the patterns. It costs 4 bytes for a line of the
// Doc, and for a line of a pattern 20 bytes and, where its text is new, an entry in a map; while it is built, 12
// bytes more for a line of a pattern.
type Index struct {
	doc  *Doc
	rung patch.Rung

	syms letters // of folded lines; a line in no pattern has none

	trie

	state []uint32 // by slot of the file: the node after that line
	added []uint32 // by inserted line
}

// NewIndex begins an index for about so many patterns. Add them, then Build.
func NewIndex(d *Doc, r patch.Rung, patterns int) *Index {
	x := &Index{doc: d, rung: r, syms: newLetters(), trie: newTrie(0)}
	x.pats = slices.Grow(x.pats, patterns)
	return x
}

// Reserve makes room for so many lines of patterns.
func (x *Index) Reserve(lines int) {
	x.syms.reserve(lines)
	x.top = slices.Grow(x.top, lines)
	x.reserve(lines)
}

// Add takes a pattern and returns its number; equal patterns share one. The empty pattern is number 0 and has no
// places.
func (x *Index) Add(lines iter.Seq[string]) int {
	node, size := uint32(0), 0
	for line := range lines {
		node = x.grow(node, x.letter(Fold(x.rung, line)))
		size++
	}
	if size == 0 {
		return 0
	}
	return x.end(node, size)
}

func (x *Index) letter(line string) uint32 {
	sym := x.syms.add(line)
	if int(sym) == len(x.top) {
		x.top = append(x.top, 0)
	}
	return sym
}

// step is the node after reading line in node.
func (x *Index) step(node uint32, line string) uint32 {
	sym := x.syms.of(Fold(x.rung, line))
	if sym == 0 {
		return 0
	}
	return x.follow(node, sym)
}

// Build finishes the automaton and reads the Doc once.
func (x *Index) Build() {
	d := x.doc
	x.link()
	d.limit += 32 * len(x.sym)
	x.state = make([]uint32, d.file.Len())
	x.added = make([]uint32, len(d.added), cap(d.added))
	n, sum := make([]uint32, len(x.sym)), make([]int, len(x.sym))
	x.spell()
	node := uint32(0)
	for s := d.Next(Begin); s != d.End(); s = d.Next(s) {
		if node == 0 && d.near == nil && x.state[s] == 0 { // most lines of a file are in no pattern
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
		x.set(s, node)
	}
	for _, v := range backward(x.order) { // what ends at a node ends at its fail node too
		n[x.fail[v]] += n[v]
		sum[x.fail[v]] += sum[v]
	}
	for i := 1; i < len(x.pats); i++ {
		p := &x.pats[i]
		p.n, p.sum = int(n[p.node]), sum[p.node]
	}
	x.falls = 0 // a whole walk is linear by nature: only edits count
	d.indexes = append(d.indexes, x)
}

// spell puts the letters of the file's lines where their states go.
func (x *Index) spell() {
	inParts(x.doc.file.Len(), func(from, to int) {
		for i := from; i < to; i++ {
			if sym := x.syms.of(Fold(x.rung, x.doc.file.Line(i))); sym != 0 { // else its memory may stay untouched
				x.state[i] = sym
			}
		}
	})
}

func (x *Index) set(s Slot, node uint32) {
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

func (x *Index) at(s Slot) uint32 {
	switch {
	case s == Begin:
		return 0
	case x.doc.Inserted(s):
		return x.added[s-x.doc.file.Len()-1]
	}
	return x.state[s]
}

// forget takes the places that end at s out of the counts, learn puts them in.
func (x *Index) forget(s Slot) { x.tally(s, -1) }
func (x *Index) learn(s Slot)  { x.tally(s, +1) }

func (x *Index) tally(s Slot, by int) {
	for i := x.hit[x.at(s)]; i != 0; i = x.pats[i].next {
		x.pats[i].n += by
		x.pats[i].sum += by * s
		x.doc.work++
	}
}

// resume reads on after first, where edits were made up to after with the slots from fresh on, until the automaton
// is in the state that it was in before: from there on nothing has changed. Only what it reads behind after counts
// as work; the rest are lines that the edit names.
func (x *Index) resume(first, after, fresh Slot) {
	d, node := x.doc, x.at(first)
	past := false
	x.falls = 0
	for s := range d.From(d.Next(first)) {
		past = past || s == after
		known := s < fresh || !d.Inserted(s)
		if known && x.at(s) != 0 { // its letter is the last that led there
			node = x.follow(node, x.sym[x.at(s)])
		} else {
			node = x.step(node, d.Line(s))
		}
		if known {
			if past {
				d.work++
			}
			if past && (node == x.at(s) || d.work+x.falls > d.limit) {
				break
			}
			x.forget(s)
		}
		x.set(s, node)
		x.learn(s)
	}
	d.work += x.falls
}

// Patterns is the number of distinct patterns, the empty one included.
func (x *Index) Patterns() int { return len(x.pats) }

// Count is the number of places of pattern p.
func (x *Index) Count(p int) int { return x.pats[p].n }

// Only is the first slot of pattern p's only place. It must have exactly one.
func (x *Index) Only(p int) Slot { return x.doc.Back(x.pats[p].sum, x.pats[p].size-1) }

// Lasts is, for every pattern, the slots of the last lines of its last and its last but one place, or Begin. It
// reads the Doc once.
func (x *Index) Lasts() [][2]Slot {
	by := make([]lasts, len(x.sym))
	at := 0
	for s := range x.doc.From(x.doc.Next(Begin)) {
		at++
		l := &by[x.at(s)]
		*l = lasts{ending{at, s}, l.last}
	}
	for _, v := range backward(x.order) {
		by[x.fail[v]].merge(by[v])
	}
	out := make([][2]Slot, len(x.pats))
	for i, p := range x.pats {
		out[i] = [2]Slot{by[p.node].last.slot(), by[p.node].but.slot()}
	}
	return out
}

// lasts are the last and the last but one line where something ends.
type lasts struct{ last, but ending }

// ending is a line by its number along the Doc, from 1, and its slot. The zero ending is none.
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

func (l *lasts) merge(m lasts) {
	for _, e := range [2]ending{m.last, m.but} {
		switch {
		case e.at > l.last.at:
			l.last, l.but = e, l.last
		case e.at > l.but.at:
			l.but = e
		}
	}
}

func backward[T any](s []T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := len(s) - 1; i >= 0; i-- {
			if !yield(i, s[i]) {
				return
			}
		}
	}
}
