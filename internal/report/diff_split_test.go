package report

import (
	"strings"
	"testing"
)

// FuzzParts checks that split diffs are the text again when they are joined, and that of emend's own diffs every part
// begins with the header of a file.
func FuzzParts(f *testing.F) {
	f.Add("")
	f.Add("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-x\n+y\ndiff --git a/b b/b\n")
	f.Add("\ndiff --git ")
	f.Add("diff --git \ndiff --git \n\n")
	f.Fuzz(func(t *testing.T, diff string) {
		parts := SplitDiff(diff)
		if got := strings.Join(parts, ""); got != diff {
			t.Fatalf("%q became %q", diff, got)
		}
		for i, p := range parts {
			if p == "" || i > 0 && !strings.HasPrefix(p, diffHeader) {
				t.Fatalf("part %d of %q is %q", i, diff, p)
			}
			DiffOf(parts, i, "a/b", "a/c")
		}
	})
}

func TestPartOf(t *testing.T) {
	a := "diff --git a/x/f b/x/f\n+1\n"
	b := "diff --git a/x/f b/x/f\n+2\n"
	moved := "diff --git a/x/f b/y/g\nrename from x/f\nrename to y/g\n"
	odd := "diff --git \"a/li\\012ne\" \"b/li\\012ne\"\n+3\n"
	all := []string{a, b, moved, odd}
	for _, tc := range []struct {
		i              int
		from, to, want string
	}{
		{0, "x/f", "", a},
		{1, "x/f", "", b},
		{1, "top/x/f", "", b}, // the workspace was below the top
		{7, "x/f", "", a},
		{0, "sub/x/f", "sub/y/g", moved},
		{0, "sub/x/f", "other/y/g", ""},
		{3, "li\nne", "", odd},
		{0, "g", "", ""},
		{0, "f", "", ""}, // the end of one path is another path
	} {
		if got := DiffOf(all, tc.i, tc.from, tc.to); got != tc.want {
			t.Errorf("%d %q %q: %q, want %q", tc.i, tc.from, tc.to, got, tc.want)
		}
	}
}
