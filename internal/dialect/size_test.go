package dialect

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// The lines of a hunk are the bytes of the text, not copies of them.
func TestLinesAreNotCopied(t *testing.T) {
	text := up("@@", " a", "-"+strings.Repeat("x", 1<<20))
	got, err := Emend.Parse(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	from, to := uintptr(unsafe.Pointer(unsafe.StringData(text))), uintptr(len(text))
	for _, l := range got.Patch.Sections[0].Hunks[0].Lines {
		if at := uintptr(unsafe.Pointer(unsafe.StringData(string(l)))) - from; at >= to {
			t.Errorf("a line of %d bytes was copied", len(l))
		}
	}
	runtime.KeepAlive(text)
}

func BenchmarkParse(b *testing.B) {
	for _, d := range All {
		for n := 1000; n <= 64_000; n *= 2 {
			text := benchText(n)
			switch d {
			case Unified:
				text = benchDiff(n)
			case SearchReplace:
				text = benchBlocks(n)
			}
			b.Run(fmt.Sprintf("%s/%d", d.Name, n), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := d.Parse(text, Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// benchText is a patch of about n lines that every dialect reads.
func benchText(n int) string {
	var lines []string
	for i := 0; len(lines) < n; i++ {
		lines = append(lines, fmt.Sprintf("*** Update File: dir/file%d.go", i))
		for k := range 8 {
			lines = append(lines, fmt.Sprintf("@@ func f%d() {", k), " \tif x == nil {", "-\t\treturn nil", "+\t\treturn errors.New(\"x is nil\")", " \t}")
		}
	}
	return in(lines...)
}

// benchDiff is a unified diff of about n lines.
func benchDiff(n int) string {
	var b strings.Builder
	for i := 0; i*42 < n; i++ {
		fmt.Fprintf(&b, "diff --git a/dir/file%d.go b/dir/file%d.go\n--- a/dir/file%d.go\n+++ b/dir/file%d.go\n", i, i, i, i)
		for k := range 8 {
			fmt.Fprintf(&b, "@@ -%d,3 +%d,3 @@ func f%d() {\n \tif x == nil {\n-\t\treturn nil\n+\t\treturn errors.New(\"x is nil\")\n \t}\n", 10*k+1, 10*k+1, k)
		}
	}
	return b.String()
}

// benchBlocks is about n lines of SEARCH/REPLACE blocks.
func benchBlocks(n int) string {
	var b strings.Builder
	for i := 0; i*8 < n; i++ {
		fmt.Fprintf(&b, "dir/file%d.go\n<<<<<<< SEARCH\n\tif x == nil {\n\t\treturn nil\n=======\n\tif x == nil {\n\t\treturn errX\n>>>>>>> REPLACE\n", i)
	}
	return b.String()
}

// BenchmarkHostile reads texts that are meant to cost more than their size: the time for a line must not grow with n.
func BenchmarkHostile(b *testing.B) {
	const head = "--- a/f\n+++ b/f\n"
	mail := "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n\n"
	numbers := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d\n", i)
		}
		return b.String()
	}
	for _, tt := range []struct {
		name string
		d    *Dialect
		text func(n int) string
	}{
		{"empty lines below a whole hunk", Unified, func(n int) string { return head + "@@ -1 +1 @@\n-a\n+b\n" + strings.Repeat("\n", n) + " c\n" }},
		{"empty lines between hunks", Unified, func(n int) string { return head + strings.Repeat("@@ -1 +1 @@\n-a\n\n\n", n/4) }},
		{"signatures", Unified, func(n int) string { return mail + head + "@@\n-a\n" + strings.Repeat("-- \n", n) }},
		{"half headers", Unified, func(n int) string { return head + "@@ -1,9 +1,9 @@\n-a\n" + strings.Repeat("--- a\n", n) }},
		{"headers", Unified, func(n int) string { return strings.Repeat(head, n/2) }},
		{"git's lines", Unified, func(n int) string { return strings.Repeat("diff --git a/f b/f\n", n) }},
		{"hunks of one line", Unified, func(n int) string { return head + strings.Repeat("@@\n-a\n", n/2) }},
		{"one long line", Unified, func(n int) string { return head + "@@\n-" + strings.Repeat("--- ", n) }},
		{"fences", Unified, func(n int) string { return strings.Repeat("```\n", n) + head + "@@\n-a\n" }},
		{"an indented diff", Unified, func(n int) string { return strings.ReplaceAll(" "+head+"@@\n"+strings.Repeat("-a\n", n), "\n", "\n ") }},
		{"half headers, indented", Unified, func(n int) string { return strings.Repeat(" --- a\n", n) }},
		{"spaces behind a name", Unified, func(n int) string { return "--- a" + strings.Repeat(" ", n) + "x\n+++ a\n@@\n-a\n" }},
		{"marks of a word diff below a whole hunk", Unified, func(n int) string { return head + "@@ -1 +1 @@\n-a\n+b\n" + strings.Repeat("[-x\n", n) }},
		{"JSON", Unified, func(n int) string { return `{"patch":"` + strings.Repeat(`--- a\n+++ a\n@@\n-b\n`, n/4) + `"}` }},
		{"last marks of another length", SearchReplace, func(n int) string {
			return strings.Repeat("f\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>> REPLACE\n", n/6)
		}},
		{"one block without its end", SearchReplace, func(n int) string { return "f\n<<<<<<< SEARCH\na\n=======\n" + strings.Repeat(">>>>>> REPLACE\n", n) }},
		{"text that may be a path", SearchReplace, func(n int) string { return strings.Repeat("**", n) + "\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n" }},
		{"a block of other lines", SearchReplace, func(n int) string {
			return "f\n<<<<<<< SEARCH\n" + numbers(n/2) + "=======\n" + strings.Repeat("x\n", n/2) + ">>>>>>> REPLACE\n"
		}},
		{"a block of lines in another order", SearchReplace, func(n int) string {
			return "f\n<<<<<<< SEARCH\n" + strings.Repeat("a\nb\nc\n", n/6) + "=======\n" + strings.Repeat("c\nb\na\n", n/6) + ">>>>>>> REPLACE\n"
		}},
		{"blocks in blocks", SearchReplace, func(n int) string { return strings.Repeat("<<<<<<< SEARCH\n", n) }},
		{"paths", SearchReplace, func(n int) string { return strings.Repeat("f\n", n) + "<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n" }},
		{"backslashes", SearchReplace, func(n int) string {
			return "f\n<<<<<<< SEARCH\n" + strings.Repeat("\\", n) + "\n=======\n>>>>>>> REPLACE\n"
		}},
	} {
		for n := 16_000; n <= 256_000; n *= 4 {
			text := tt.text(n)
			b.Run(fmt.Sprintf("%s/%d", tt.name, n), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					Detect(text)                             //nolint:errcheck // only the time counts
					tt.d.Parse(text, Options{Lenient: true}) //nolint:errcheck // see above
				}
			})
		}
	}
}
