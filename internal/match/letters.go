package match

import (
	"hash/maphash"
	"slices"
)

// letters numbers texts from 1, in a hash table for which looking up an unknown text costs little more than hashing it:
// most lines of a file are in no pattern. It costs 24 bytes for a text, and 16 to 32 for its cells in the table.
type letters struct {
	seed  maphash.Seed
	table []cell // a power of two, at most half full
	texts []string
}

// cell is one cell of the table: a letter and some bits of the hash of its text. Letter 0 means empty.
type cell struct{ tag, letter uint32 }

func newLetters() letters {
	return letters{seed: maphash.MakeSeed(), table: make([]cell, 16), texts: make([]string, 1)}
}

// reserve makes room for n more texts.
func (l *letters) reserve(n int) {
	l.texts = slices.Grow(l.texts, n)
	for size := len(l.table); ; size *= 2 {
		if 2*(len(l.texts)+n) <= size {
			l.resize(size)
			return
		}
	}
}

// find returns the letter of text, or 0.
func (l *letters) find(text string) uint32 {
	return l.findHashed(maphash.String(l.seed, text), text)
}

func (l *letters) findHashed(h uint64, text string) uint32 {
	for i := h; ; i++ {
		p := l.table[i&uint64(len(l.table)-1)]
		if p.letter == 0 || p.tag == uint32(h>>32) && l.texts[p.letter] == text {
			return p.letter
		}
	}
}

// add returns the letter of text, a new one if it has none.
func (l *letters) add(text string) uint32 {
	h := maphash.String(l.seed, text)
	if known := l.findHashed(h, text); known != 0 {
		return known
	}
	l.texts = append(l.texts, text)
	if 2*len(l.texts) > len(l.table) {
		l.resize(2 * len(l.table)) // with the new one
	} else {
		l.insert(h, uint32(len(l.texts)-1))
	}
	return uint32(len(l.texts) - 1)
}

func (l *letters) resize(size int) {
	if size == len(l.table) {
		return
	}
	l.table = make([]cell, size)
	for i := 1; i < len(l.texts); i++ {
		l.insert(maphash.String(l.seed, l.texts[i]), uint32(i))
	}
}

func (l *letters) insert(h uint64, letter uint32) {
	i := h
	for l.table[i&uint64(len(l.table)-1)].letter != 0 {
		i++
	}
	l.table[i&uint64(len(l.table)-1)] = cell{uint32(h >> 32), letter}
}
