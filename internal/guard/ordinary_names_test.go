package guard

import (
	"strings"
	"testing"
)

// FuzzProtectsReading: for every name, the quick check agrees with the rules applied to the folded name.
func FuzzProtectsReading(f *testing.F) {
	for _, name := range []string{"a.go", ".env", ".ENV.x", "k.PEM", "k.key. .", "k.key:s", "GIT~1", "git~1.", "git~2", "id_rsa", "İd_rsa", "ID_RſA", "ｋ.kеy", ".git",
		".netrc", "k.\u212aey", "emend", "EMEND ", "e", "", ":", ".", "x.kEy\u200b", "\xffx.key", ".Emend"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		folded := fold(name)
		want := false
		for i := range builtinRules {
			if builtinRules[i].protects&reading != 0 {
				first, _, _ := strings.Cut(builtinRules[i].pattern, "/")
				want = want || matchName(strings.ToLower(first), folded)
			}
		}
		if got := protectsReading(name); got != want {
			t.Errorf("touched(%q) = %v", name, got)
		}
	})
}

// TestOrdinaryNames: names that are common in source trees need only the quick check.
func TestOrdinaryNames(t *testing.T) {
	for _, name := range []string{"main.go", "README.md", "zz", "package.json", "a.txt", "Makefile", "gopher.html"} {
		if !isOrdinary(name) {
			t.Errorf("%q does not", name)
		}
	}
}

func BenchmarkProtectsReading(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		for _, name := range []string{"main_test.go", "README.md", "inflate.py", ".gitignore"} {
			if protectsReading(name) {
				b.Fatal(name)
			}
		}
	}
}

// matchName compares a name with a pattern that has at most one star, in the plainest way.
func matchName(pattern, name string) bool {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

// TestEdgeBits: each name in a rule for reading has a bit of its own. A name without a bit would no longer be protected.
func TestEdgeBits(t *testing.T) {
	if n := len(readPatterns); n > 63 {
		t.Errorf("%d names and 63 bits", n)
	}
}
