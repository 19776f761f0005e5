package find

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestGlobTo: GlobTo writes what Glob returns, up to the limit.
func TestGlobTo(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a.go": "", "a/b.go": "", "a/b/c.go": "", "a-b/x": "", "new\nline/\x1b[m.go": "", "é/\xff": "", ".env": ""})
	g, o := opened(t, dir, ".")
	for _, pattern := range []string{"**", "**/*.go", "a/**", "none"} {
		for most := range 10 {
			q := GlobQuery{Pattern: pattern, Limit: most}
			list, was, err := Glob(context.Background(), g, o, q)
			must(t, err)
			var got strings.Builder
			n, is, err := GlobTo(context.Background(), g, o, q, &got)
			must(t, err)
			var want strings.Builder
			for _, f := range list {
				want.WriteString(strings.NewReplacer("\n", `\n`, "\x1b", `\x1b`, "\xff", `\xff`).Replace(f.Path))
				if f.Type() == "directory" {
					want.WriteString("/")
				}
				want.WriteString("\n")
			}
			if got.String() != want.String() || n != len(list) || is != was {
				t.Errorf("%q, %d: %d, %+v, %q; Glob: %d, %+v, %q", pattern, most, n, is, got.String(), len(list), was, want.String())
			}
		}
	}
}

// TestGlobToBroken: the walk ends if writing fails, and returns the error.
func TestGlobToBroken(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("d%d/f", i)] = ""
	}
	plant(t, dir, files)
	g, o := opened(t, dir, ".")
	if n, _, err := GlobTo(context.Background(), g, o, GlobQuery{Pattern: "**"}, &broken{10}); !errors.Is(err, errBroken) || n == 0 || n > 100 {
		t.Errorf("%d, %v", n, err)
	}
}

func BenchmarkGlobTo(b *testing.B) {
	g, o := forest(b)
	for _, pattern := range []string{"**", "**/*7.go", "d1/**/*.go"} {
		b.Run(strings.ReplaceAll(pattern, "/", "|"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if n, _, err := GlobTo(context.Background(), g, o, GlobQuery{Pattern: pattern}, io.Discard); err != nil || n == 0 {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkList(b *testing.B) {
	g, o := forest(b)
	o.NamesOnly = true
	b.ReportAllocs()
	for b.Loop() {
		if list, _, err := List(context.Background(), g, o, ListQuery{Depth: 8, Limit: 1000}); err != nil || len(list) != 1000 {
			b.Fatal(err)
		}
	}
}
