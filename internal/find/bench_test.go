package find

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/guard"
)

// forest makes a tree of 4,000 source files in 400 directories.
func forest(b *testing.B) (*guard.Guard, Options) {
	b.Helper()
	dir, r := b.TempDir(), rand.New(rand.NewPCG(1, 1))
	repository(b, dir)
	files := map[string]string{".gitignore": "*.o\nbuild/\n/dist\n*.log\n!keep.log\n**/tmp/**\n"}
	for i := range 4000 {
		var text strings.Builder
		for range 20 + r.IntN(400) {
			fmt.Fprintf(&text, "\tfunc name%d(a int) error { return call(%d) }\n", r.IntN(1000), r.IntN(1000))
		}
		files[fmt.Sprintf("d%d/e%d/file%d.go", i%20, i%400, i)] = text.String()
	}
	plant(b, dir, files)
	return opened(b, dir, ".")
}

func BenchmarkWalk(b *testing.B) {
	g, o := forest(b)
	b.ReportAllocs()
	for b.Loop() {
		found, _, err := Search(context.Background(), g, o, SearchQuery{Query: "*.none", Mode: Paths})
		if err != nil || len(found) > 0 {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	g, o := forest(b)
	for _, q := range []SearchQuery{
		{Query: "nowhere"}, {Query: "name77("}, {Query: "NOWHERE", IgnoreCase: true}, {Query: "Name77(", IgnoreCase: true},
		{Query: `func name7\d+\([a-z ]+\) error`, Mode: Regexp}, {Query: `name7|call\(99`, Mode: Regexp}, {Query: `\d{4,}`, Mode: Regexp},
		{Query: `[a-z]\d{2}\(\d+\)$`, Mode: Regexp}, {Query: `\berr\w+\b.*nil`, Mode: Regexp},
	} {
		b.Run(fmt.Sprintf("%d/%s", q.Mode, q.Query), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Search(context.Background(), g, o, q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSearchTo prints a match for each of some 880,000 lines.
func BenchmarkSearchTo(b *testing.B) {
	g, o := forest(b)
	b.ReportAllocs()
	for b.Loop() {
		if n, _, err := SearchTo(context.Background(), g, o, SearchQuery{Query: "func"}, io.Discard); err != nil || n == 0 {
			b.Fatal(n, err)
		}
	}
}
