package find

import (
	"bytes"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/find/internal/regex"
)

// FuzzLiteral: a text is found where it is, also in a block that begins like it again and again.
func FuzzLiteral(f *testing.F) {
	for _, text := range []string{"x", "abab", strings.Repeat("a", 40), strings.Repeat("ab", 40) + "c", strings.Repeat("aab", 20), "Needle"} {
		f.Add(text, strings.Repeat("a", 39)+"b"+strings.Repeat("aB", 100)+text, uint8(0), false)
		f.Add(text, strings.Repeat("ab", 39)+"x"+strings.Repeat("aAb", 100)+text+text, uint8(3), true)
	}
	f.Fuzz(func(t *testing.T, text, block string, twice uint8, fold bool) {
		if text == "" || fold && regex.ASCIICasePart(text) != text {
			return
		}
		block = strings.Repeat(block, 1+int(twice)%4)
		look, in := text, block
		if fold {
			look, in = lowered(text), lowered(block)
		}
		for _, tired := range []int{0, len(block) + 1} {
			p := newLiteral(text, fold)
			p.found, p.wasted = [2]int{-1, -1}, tired
			for from := 0; from <= len(block); {
				got, want := p.next([]byte(block), from), strings.Index(in[from:], look)
				if want >= 0 {
					want += from
				}
				if again := p.next([]byte(block), from); got != want || again != got {
					t.Fatalf("%q in %q from %d, tired %d: %d and %d, want %d", text, block, from, tired, got, again, want)
				}
				if got < 0 {
					break
				}
				from = got + 1
			}
		}
	})
}

// lowered is strings.ToLower for ASCII alone, byte by byte.
func lowered(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = lowerOf(b[i])
	}
	return string(b)
}

// TestLiteralStopsComparing: a long text that nearly matches at every place is not compared at every place.
func TestLiteralStopsComparing(t *testing.T) {
	for _, fold := range []bool{false, true} {
		const long = maxQuery / 2
		p := newLiteral(strings.Repeat("a", 2*long), fold)
		block := bytes.Repeat([]byte(strings.Repeat("a", 2*long-1)+"b"), 8)
		p.found = [2]int{-1, -1}
		if at := p.next(block, 0); at >= 0 || p.wasted > len(block)+2*long {
			t.Errorf("fold %t: at %d, %d bytes compared for nothing", fold, at, p.wasted)
		}
	}
}
