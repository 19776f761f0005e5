package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// fromDir is filepath.Rel.
func TestFromDir(t *testing.T) {
	for _, base := range []string{".", "a", "a/b", "a/b/c", "b/a", "ab"} {
		for _, path := range []string{".", "a", "a/b", "a/b/c", "ab/c", "a/bc", "b", "a/b/c/d e", "x/a/b"} {
			want, err := filepath.Rel(filepath.FromSlash(base), filepath.FromSlash(path))
			if got := fromDir(base, path); err != nil || got != filepath.ToSlash(want) {
				t.Errorf("%s from %s: %s, want %s (%v)", path, base, got, want, err)
			}
		}
	}
	if got := fromDir("a", "/x"); got != "/x" {
		t.Errorf("an absolute path: %s", got)
	}
}

// A pathWriter translates the path at the beginning of each line, whatever the blocks in which the lines come.
func TestPathWriter(t *testing.T) {
	for _, tt := range []struct{ base, in, want string }{
		{"", "a/b:1:x\n", "a/b:1:x\n"},
		{"a", "a/b:1:a/b\n", "b:1:a/b\n"},
		{"a", "ab:1:x\n", "../ab:1:x\n"},
		{"a/b", "a/c:1:x\na/b/c:2:y\nd\n", "../c:1:x\nc:2:y\n../../d\n"},
		{"a/b", "a/b/\n", "./\n"},
		{"a/b", "a/\n", "../\n"},
	} {
		for _, block := range []int{1, 4, 100} {
			var got strings.Builder
			w := (&app{base: tt.base}).shownPaths(&got)
			for rest := tt.in; rest != ""; rest = rest[min(block, len(rest)):] {
				if _, err := w.Write([]byte(rest[:min(block, len(rest))])); err != nil {
					t.Fatal(err)
				}
			}
			if got.String() != tt.want {
				t.Errorf("from %q, in blocks of %d: %q, want %q", tt.base, block, got.String(), tt.want)
			}
		}
	}
}
