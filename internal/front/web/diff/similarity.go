package diff

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
)

// maxWords limits the words of a line that are compared.
const maxWords = 32

// lineWords holds the words of a line, ordered by their hashes.
type lineWords struct {
	text   string // trimmed
	words  [maxWords]word
	n      int
	weight int32 // the sum over all words
}

type word struct {
	hash   uint32
	weight int32
}

var seed = maphash.MakeSeed()

// wordsOf cuts a line into words and single other characters. Blanks are left out. A character weighs less than a word.
func wordsOf(s string) (b lineWords) {
	b.text = strings.TrimSpace(s)
	for i := 0; i < len(s) && b.n < maxWords; {
		j := i
		for j < len(s) && inWord(s[j]) {
			j++
		}
		weight := int32(2 + min(j-i, 12))
		if j == i {
			j++
			weight = 1
		}
		if c := s[i]; c > ' ' {
			b.words[b.n] = word{uint32(maphash.String(seed, s[i:j])), weight}
			b.n++
			b.weight += weight
		}
		i = j
	}
	slices.SortFunc(b.words[:b.n], func(x, y word) int { return cmp.Compare(x.hash, y.hash) })
	return b
}

func inWord(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// similarity returns the weight of the words that two lines have in common, or 0 if that is too little for one line to be the
// other one edited.
func (b *lineWords) similarity(c *lineWords) (sum int32) {
	if b.weight == 0 && c.weight == 0 {
		return 1
	}
	for i, j := 0, 0; i < b.n && j < c.n; {
		x, y := b.words[i], c.words[j]
		if x.hash == y.hash {
			sum += x.weight
		}
		if x.hash <= y.hash {
			i++
		}
		if x.hash >= y.hash {
			j++
		}
	}
	whole := sum == min(b.weight, c.weight) && sum >= 6 // one line is the other with something added
	if 5*sum < 2*max(b.weight, c.weight) && !whole && !sameEnds(b.text, c.text) {
		return 0
	}
	return sum + 1
}

// maxEndBytes limits the bytes that are compared at each end of two lines.
const maxEndBytes = 100

// sameEnds reports whether two lines begin and end alike, with more than half of each in these ends.
func sameEnds(a, b string) bool {
	n := min(len(a), len(b))
	i := 0
	for i < min(n, maxEndBytes) && a[i] == b[i] {
		i++
	}
	j := 0
	for j < min(n-i, maxEndBytes) && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	return 2*(i+j) > max(len(a), len(b))
}
