package dialect

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// shapes are texts of n lines, or n pieces, that could make a reader walk back.
var shapes = []struct {
	name string
	text func(n int) string
}{
	{"sections", func(n int) string { return in(strings.Repeat("*** Delete File: c\n", n)) }},
	{"added lines", func(n int) string { return in("*** Add File: a\n" + strings.Repeat("+x\n", n)) }},
	{"hunks", func(n int) string { return up(strings.Repeat("@@ f\n-a\n+b\n", n/3)) }},
	{"stacked anchors", func(n int) string { return up(strings.Repeat("@@ f\n", n) + "-a") }},
	{"empty lines", func(n int) string { return up("@@\n-a\n" + strings.Repeat("\n", n) + "-b") }},
	{"empty lines at the end", func(n int) string { return up("@@\n-a\n" + strings.Repeat("\n", n)) }},
	{"empty lines around", func(n int) string { return strings.Repeat("\n", n) + up("-a") + strings.Repeat("\n", n) }},
	{"markers inside", func(n int) string { return up("-a\n" + strings.Repeat(" *** End Patch\n", n)) }},
	{"begins", func(n int) string { return strings.Repeat("*** Begin Patch\n", n) }},
	{"padded begins", func(n int) string { return strings.Repeat(" *** Begin Patch\n", n) }},
	{"envelopes", func(n int) string { return strings.Repeat(in("*** Delete File: c"), n/3) }},
	{"fences", func(n int) string { return strings.Repeat("```\n", n) + up("-a") + strings.Repeat("```\n", n) }},
	{"spread fences", func(n int) string {
		return strings.Repeat("\n", n) + strings.Repeat("```\n", n) + up("-a") + strings.Repeat("```\n", n) + strings.Repeat("\n", n)
	}},
	{"one line", func(n int) string { return up("-" + strings.Repeat("x", 16*n)) }},
	{"one line of spaces", func(n int) string { return strings.Repeat(" ", 16*n) + "x\n" + up("@@", "-a") }},
	{"one anchor of stars", func(n int) string { return up("@@ " + strings.Repeat(" @@", n) + "\n-a") }},
	{"one path of arrows", func(n int) string { return in("*** Move File: " + strings.Repeat(" -> ", n)) }},
	{"one JSON string", func(n int) string { return fmt.Sprintf("%q", up("@@\n"+strings.Repeat("-a\n", n))) }},
	{"open JSON", func(n int) string { return strings.Repeat("{", n) + `"*** Begin Patch` }},
	{"no newline markers", func(n int) string { return up("@@\n-a\n" + strings.Repeat(noNewline+"\n", n)) }},
	{"carriage returns", func(n int) string { return up("@@\n" + strings.Repeat("-a\r\n", n)) }},
}

// A reader that is not linear takes far longer for these.
func TestLongTexts(t *testing.T) {
	const n = 100_000
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			text := s.text(n)
			start := time.Now()
			for _, d := range All {
				for _, o := range []Options{{}, {Lenient: true}} {
					if got, err := d.Parse(text, o); err == nil {
						d.Print(got.Patch)
					} else if err := saneRefusal(err, text); err != nil {
						t.Errorf("%s: %v", d.Name, err)
					}
				}
			}
			Detect(text)
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("%d bytes took %v", len(text), took)
			}
		})
	}
}

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
