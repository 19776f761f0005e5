package find

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzPair: two bytes at once find what a look at every place finds, wherever the block and the search begin and end.
func FuzzPair(f *testing.F) {
	for _, n := range []int{0, 1, 15, 16, 17, 31, 64} {
		fill := strings.Repeat("r", n)
		f.Add("error", fill+"eRror"+fill+"error", uint8(n/2), true)
		f.Add("error", fill+"eRror"+fill+"error", uint8(n/2), false)
	}
	f.Add("a\x01", strings.Repeat("!", 20)+"A!a\x01", uint8(3), true)
	f.Fuzz(func(t *testing.T, text, block string, from uint8, fold bool) {
		if len(text) < 2 || int(from) > len(block) {
			return
		}
		p := newProbe(text, fold)
		p.also = p.second()
		want := int(from)
		for want < len(block) && !p.here([]byte(block[want:]), p.text) {
			want++
		}
		// The block has memory behind it that is not to be read, and that would match.
		b := append([]byte(block), bytes.Repeat([]byte(text), 8)...)[:len(block)]
		if got := p.pair(b, int(from)); got != want {
			t.Errorf("%q in %q from %d: %d, want %d", text, block, from, got, want)
		}
	})
}
