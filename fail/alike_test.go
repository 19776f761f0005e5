package fail

import (
	"slices"
	"strings"
	"testing"
)

func TestAlike(t *testing.T) {
	names := []string{"main.go", "main_test.go", "README.md", "mian.go", "a", "b", "Makefile", "startLine"}
	for name, want := range map[string][]string{
		"main.go": {"main.go", "mian.go"}, "Main.go": {"main.go", "mian.go"}, "readme.md": {"README.md"}, "main.py": {"main.go"},
		"x": nil, "makefil": {"Makefile"}, "other.txt": nil, "": nil, "A": {"a"}, "start_line": {"startLine"}, "strtLine": {"startLine"},
		strings.Repeat("x", 1<<20): nil,
	} {
		if got := Alike(name, names); !slices.Equal(got, want) {
			t.Errorf("%.20q: %q, want %q", name, got, want)
		}
	}
}

// TestDistance: against the plain recursion.
func TestDistance(t *testing.T) {
	var slow func(a, b string) int
	slow = func(a, b string) int {
		if a == "" || b == "" {
			return len(a) + len(b)
		}
		change := 1
		if a[0] == b[0] {
			change = 0
		}
		d := min(slow(a[1:], b[1:])+change, slow(a[1:], b)+1, slow(a, b[1:])+1)
		if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
			d = min(d, slow(a[2:], b[2:])+1)
		}
		return d
	}
	words := []string{"", "a", "ab", "ba", "abc", "acb", "bca", "abcd", "badc", "aabb", "bbaa", "abab"}
	for _, a := range words {
		for _, b := range words {
			for most := range 6 {
				if got, want := distance(a, b, most), min(slow(a, b), most+1); got != want {
					t.Errorf("%q to %q, at most %d: %d, want %d", a, b, most, got, want)
				}
			}
		}
	}
}
