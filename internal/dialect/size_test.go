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
