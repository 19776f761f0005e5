package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/dialect"
)

// BenchmarkText reads and plans texts, usual ones and those that are meant to hurt, for sizes that double: what a byte of text and file
// costs must not grow.
func BenchmarkText(b *testing.B) {
	for _, tt := range []struct {
		name  string
		d     *dialect.Dialect
		make  func(n int) (text, file string)
		fails bool
	}{
		{"right numbers among equal lines", dialect.Unified, func(n int) (string, string) { return equalDiff(n, false) }, false},
		{"the last number is wrong", dialect.Unified, func(n int) (string, string) { return equalDiff(n, true) }, true},
		{"no numbers", dialect.Unified, func(n int) (string, string) { return numberedDiff(n, "@@") }, false},
		{"wrong numbers", dialect.Unified, func(n int) (string, string) { return numberedDiff(n, "@@ -1,3 +1,3 @@") }, false},
		{"one file, many times", dialect.Unified, func(n int) (string, string) { return manyTimes(n) }, false},
		{"blocks", dialect.SearchReplace, func(n int) (string, string) { return blockText(n, false, false) }, false},
		{"blocks in the reverse order", dialect.SearchReplace, func(n int) (string, string) { return blockText(n, true, false) }, false},
		{"blocks with line numbers, one wrong", dialect.SearchReplace, func(n int) (string, string) { return blockText(n, false, true) }, false},
		{"blocks that stand nowhere", dialect.SearchReplace, func(n int) (string, string) {
			text, file := blockText(n, false, false)
			return text, strings.ReplaceAll(file, "line", "LINE")
		}, true},
		{"one block of all lines", dialect.SearchReplace, oneBlock, false},
	} {
		for n := 1 << 13; n <= 1<<17; n *= 2 {
			text, file := tt.make(n)
			b.Run(fmt.Sprintf("%s/%s/lines=%d", tt.d.Name, tt.name, n), func(b *testing.B) {
				o := dialect.Options{}
				for b.Loop() {
					parsed, err := tt.d.Parse(text, o)
					if err == nil {
						_, err = Build(b.Context(), parsed.Patch, tt.d.Rules(o), Memory{"f": file}, Options{Print: tt.d.PrintHunk})
					}
					if (err != nil) != tt.fails {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(text)+len(file)), "ns/byte")
			})
		}
	}
}

const diffHead = "--- a/f\n+++ b/f\n"

// equalDiff changes every tenth line of a file whose lines are all the same.
func equalDiff(n int, wrong bool) (text, file string) {
	var b strings.Builder
	b.WriteString(diffHead)
	for i := 5; i < n; i += 10 {
		to := i
		if wrong && i+10 >= n {
			to++
		}
		fmt.Fprintf(&b, "@@ -%d,1 +%d,1 @@\n-x\n+y\n", i, to)
	}
	return b.String(), strings.Repeat("x\n", n)
}

func numberedLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// numberedDiff changes every tenth line of a file whose lines are all different.
func numberedDiff(n int, heading string) (text, file string) {
	var b strings.Builder
	b.WriteString(diffHead)
	for i := 5; i+1 < n; i += 10 {
		fmt.Fprintf(&b, "%s\n line %d\n-line %d\n+LINE %d\n line %d\n", heading, i-1, i, i, i+1)
	}
	return b.String(), numberedLines(n)
}

// manyTimes has several diffs of one file, which apply in order.
func manyTimes(n int) (text, file string) {
	var b strings.Builder
	for i := range 8 {
		fmt.Fprintf(&b, "%s@@\n-line %d\n+LINE %d\n", diffHead, i, i)
	}
	return b.String(), numberedLines(n)
}

func blockText(n int, reversed, misnumbered bool) (text, file string) {
	var all []string
	for i := 5; i < n; i += 10 {
		start := ""
		if misnumbered {
			start = fmt.Sprintf(":start_line:%d\n-------\n", i+1+i/(n-10))
		}
		all = append(all, fmt.Sprintf("<<<<<<< SEARCH\n%sline %d\n=======\nLINE %d\n>>>>>>> REPLACE\n", start, i, i))
	}
	if reversed {
		for i, k := 0, len(all)-1; i < k; i, k = i+1, k-1 {
			all[i], all[k] = all[k], all[i]
		}
	}
	return "f\n" + strings.Join(all, ""), numberedLines(n)
}

// oneBlock replaces all lines of a file at once.
func oneBlock(n int) (text, file string) {
	file = numberedLines(n)
	return "f\n<<<<<<< SEARCH\n" + file + "=======\n" + strings.ReplaceAll(file, "line", "LINE") + ">>>>>>> REPLACE\n", file
}
