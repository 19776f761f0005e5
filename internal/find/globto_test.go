package find

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestGlobTo: what is written is what Glob returns, as far as it is wanted.
func TestGlobTo(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a.go": "", "a/b.go": "", "a/b/c.go": "", "a-b/x": "", "new\nline/\x1b[m.go": "", "é/\xff": "", ".env": ""})
	g, o := opened(t, dir, ".")
	for _, pattern := range []string{"**", "**/*.go", "a/**", "none"} {
		for most := range 10 {
			q := Globbing{Pattern: pattern, Most: most}
			list, was, err := Glob(context.Background(), g, o, q)
			must(t, err)
			var got strings.Builder
			n, is, err := GlobTo(context.Background(), g, o, q, &got)
			must(t, err)
			want := ""
			for _, f := range list {
				want += strings.NewReplacer("\n", `\n`, "\x1b", `\x1b`, "\xff", `\xff`).Replace(f.Path)
				if f.Type() == "directory" {
					want += "/"
				}
				want += "\n"
			}
			if got.String() != want || n != len(list) || is != was {
				t.Errorf("%q, %d: %d, %+v, %q; Glob: %d, %+v, %q", pattern, most, n, is, got.String(), len(list), was, want)
			}
		}
	}
}

// TestGlobToBroken: the walk ends when nothing more can be written, and says why.
func TestGlobToBroken(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("d%d/f", i)] = ""
	}
	plant(t, dir, files)
	g, o := opened(t, dir, ".")
	if n, _, err := GlobTo(context.Background(), g, o, Globbing{Pattern: "**"}, &broken{10}); !errors.Is(err, errBroken) || n == 0 || n > 100 {
		t.Errorf("%d, %v", n, err)
	}
}
