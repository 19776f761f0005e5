package match

import (
	"hash/maphash"
	"slices"
)

// letters numbers texts, from 1: a hash table that asks of a text that it does not have little more than its hash. Most
// lines of a file are in no pattern. It costs 24 bytes a text, and 16 to 32 for its places in the table.
type letters struct {
	seed  maphash.Seed
	table []place // a power of two, at most half full
	texts []string
}

// place is one of the table: a letter and some bits of the hash of its text. Letter 0 is none.
type place struct{ tag, letter uint32 }

func newLetters() letters {
	return letters{seed: maphash.MakeSeed(), table: make([]place, 16), texts: make([]string, 1)}
}

// reserve makes room for n texts more.
func (l *letters) reserve(n int) {
	l.texts = slices.Grow(l.texts, n)
	for size := len(l.table); ; size *= 2 {
		if 2*(len(l.texts)+n) <= size {
			l.resize(size)
			return
		}
	}
}

// of is the letter of text, or 0.
func (l *letters) of(text string) uint32 {
	return l.hashed(maphash.String(l.seed, text), text)
}

func (l *letters) hashed(h uint64, text string) uint32 {
	for i := h; ; i++ {
		p := l.table[i&uint64(len(l.table)-1)]
		if p.letter == 0 || p.tag == uint32(h>>32) && l.texts[p.letter] == text {
			return p.letter
		}
	}
}

// add is the letter of text, a new one where it has none.
func (l *letters) add(text string) uint32 {
	h := maphash.String(l.seed, text)
	if known := l.hashed(h, text); known != 0 {
		return known
	}
	l.texts = append(l.texts, text)
	if 2*len(l.texts) > len(l.table) {
		l.resize(2 * len(l.table)) // with the new one
	} else {
		l.put(h, uint32(len(l.texts)-1))
	}
	return uint32(len(l.texts) - 1)
}

func (l *letters) resize(size int) {
	if size == len(l.table) {
		return
	}
	l.table = make([]place, size)
	for i := 1; i < len(l.texts); i++ {
		l.put(maphash.String(l.seed, l.texts[i]), uint32(i))
	}
}

func (l *letters) put(h uint64, letter uint32) {
	i := h
	for l.table[i&uint64(len(l.table)-1)].letter != 0 {
		i++
	}
	l.table[i&uint64(len(l.table)-1)] = place{uint32(h >> 32), letter}
}
