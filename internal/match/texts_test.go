package match

import (
	"slices"
	"strings"
	"testing"
)

// FuzzTexts: the places are those that looking for each text by itself finds.
func FuzzTexts(f *testing.F) {
	f.Add("abcabca", "abc", "bca", "a")
	f.Add("aaaa", "a", "aa", "aaa")
	f.Add("aaaa", "aa", "aa", "")
	f.Add("\xff\x00\xff", "\xff", "\x00", "\xff\x00\xff\x00")
	f.Fuzz(func(t *testing.T, hay, a, b, c string) {
		texts := []string{a, b, c}
		x := NewTexts(hay, texts)
		got, wanted := map[int][]int{}, map[int]bool{}
		for i := range texts {
			wanted[x.Pattern(i)] = i != 1 || b == a || b == c
		}
		for p, at := range x.Places(wanted) {
			got[p] = append(got[p], at)
		}
		for i, s := range texts {
			var want []int
			for at := range len(hay) {
				if s != "" && strings.HasPrefix(hay[at:], s) {
					want = append(want, at)
				}
			}
			if x.Count(i) != len(want) {
				t.Errorf("%q in %q: %d places, want %d", s, hay, x.Count(i), len(want))
			}
			if wanted[x.Pattern(i)] && !slices.Equal(got[x.Pattern(i)], want) {
				t.Errorf("%q in %q: at %v, want %v", s, hay, got[x.Pattern(i)], want)
			}
		}
	})
}
