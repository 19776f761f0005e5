package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/front/web/paint"
)

// TestPages: rows from any number on equal those of the whole diff, colours included, and one call has a bound.
func TestPages(t *testing.T) {
	text := large(3000, 7)
	f := Parse(text)
	for _, split := range []bool{false, true} {
		whole := f.Rows(0, f.Len(split), split)
		for _, from := range []int{-1, 0, 1, 399, 400, 502, 503, 504, 574, 575, 576, 577, 1234, f.Len(split) - 1, f.Len(split), f.Len(split) + 9} {
			part := Parse(text).Rows(from, 50, split)
			want := whole[min(max(from, 0), len(whole)):]
			if want = want[:min(50, len(want))]; fmt.Sprint(part) != fmt.Sprint(want) {
				t.Errorf("split %t: the rows from %d are not those of the whole", split, from)
			}
		}
	}
	for _, r := range f.Rows(570, 10, false) {
		if r.New == 503 && r.Left.Runs[0].Parts[0].Class != string(paint.Comment) {
			t.Errorf("a line in a comment is painted as %+v", r.Left.Runs)
		}
	}
	wide := hunk(0, 9000, strings.Repeat("+"+strings.Repeat("x\x01", 900)+"\n", 9000))
	if n := len(Parse(wide).Rows(0, 9000, false)); n == 0 || n > 1000 {
		t.Errorf("%d rows of very wide lines at once", n)
	}
}

// large returns a diff of about n lines, where one of every few lines is changed, now and then inside a comment.
func large(n, every int) string {
	var b strings.Builder
	b.WriteString("diff --git a/large.go b/large.go\n--- a/large.go\n+++ b/large.go\n")
	fmt.Fprintf(&b, "@@ -1,%d +1,%d @@\n", n, n)
	for i := range n {
		switch s := fmt.Sprintf("\tx%d := call(%q, %d) // what it is for", i, "text", i); {
		case i%every == 0:
			fmt.Fprintf(&b, "-%s\n+%s\n", s, strings.Replace(s, "text", "another text", 1))
		case i%500 == 1:
			b.WriteString(" /* a comment\n")
		case i%500 == 4:
			b.WriteString(" ends here */\n")
		default:
			fmt.Fprintf(&b, " %s\n", s)
		}
	}
	return b.String()
}

// BenchmarkLarge times a diff of 50,000 lines: reading it, its first rows, and rows in the middle.
func BenchmarkLarge(b *testing.B) {
	for name, text := range map[string]string{"one in five": large(42_000, 5), "one block": block(25_000), "runs of sixteen": runs(1562)} {
		b.Run("parse/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Parse(text)
			}
		})
		for _, split := range []bool{false, true} {
			b.Run(fmt.Sprintf("first400/split=%t/%s", split, name), func(b *testing.B) {
				for b.Loop() {
					f := Parse(text)
					f.Rows(0, 400, split)
				}
			})
		}
		b.Run("rows2000/"+name, func(b *testing.B) {
			f := Parse(text)
			for b.Loop() {
				f.Rows(20_000, 2000, false)
			}
		})
	}
}

// block replaces n lines by n others.
func block(n int) string {
	var a, b strings.Builder
	for i := range n {
		fmt.Fprintf(&a, "-\tx%d := call(%q, %d)\n", i, "text", i)
		fmt.Fprintf(&b, "+\ty%d := call(%q, %d)\n", i, "text", i)
	}
	return fmt.Sprintf("@@ -1,%d +1,%d @@\n%s%s", n, n, a.String(), b.String())
}

// runs returns n runs of maxRun changed lines, which take longest to pair.
func runs(n int) string {
	var b strings.Builder
	for i := range n {
		for _, sign := range "-+" {
			for k := range maxRun {
				fmt.Fprintf(&b, "%c\tx%d := call(%q, a%d, b%d, c%d, d%d) // %d e f g h i j\n", sign, i, "text", k, k, k, k, sign)
			}
		}
		b.WriteString(" same\n")
	}
	return fmt.Sprintf("@@ -1,%d +1,%d @@\n%s", (maxRun+1)*n, (maxRun+1)*n, b.String())
}
