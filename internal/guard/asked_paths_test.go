package guard

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

func TestAskedPaths(t *testing.T) {
	root, file := t.TempDir(), filepath.Join(t.TempDir(), "policy.toml")
	check(t, os.MkdirAll(filepath.Join(root, ".github", "workflows"), 0o755))
	check(t, os.WriteFile(filepath.Join(root, "b.sql"), []byte("text"), 0o644))
	check(t, os.Symlink(".github/workflows", filepath.Join(root, "w")))
	check(t, os.WriteFile(file, []byte("[read]\nask = [\"*.sql\"]\n[write]\nask = [\"*.sql\", \".github/workflows/ci.yml\"]\ndeny = [\"a.sql\"]\n"), 0o600))
	p, err := ReadPolicy(file, root)
	check(t, err)
	g, err := Open(root, Options{Policy: p})
	check(t, err)
	defer g.Close()
	for _, tc := range []struct {
		path  string
		write bool
		want  []api.AskedPath // nil if it is refused
	}{
		{"b.sql", true, []api.AskedPath{{Path: "b.sql", Write: true, Rule: "*.sql"}}},
		{"B.SQL", true, []api.AskedPath{{Path: "B.SQL", Write: true, Rule: "*.sql"}}}, // a rule that closes a path closes every spelling
		{"b.sql", false, []api.AskedPath{{Path: "b.sql", Write: false, Rule: "*.sql"}}},
		{"free", true, []api.AskedPath{}},
		{"a.sql", true, nil},
		{".env", true, nil},
		// Protected by a built-in rule too, under its name and under another.
		{".github/workflows/ci.yml", true, []api.AskedPath{{Path: ".github/workflows/ci.yml", Write: true, Rule: ".github/workflows/ci.yml"}}},
		{"w/ci.yml", true, []api.AskedPath{{Path: ".github/workflows/ci.yml", Write: true, Rule: ".github/workflows/ci.yml"}}},
	} {
		asks := AskedPaths{CanAsk: true}
		_, err := g.Resolve(tc.path, Request{Write: tc.write, Asked: &asks})
		if (err == nil) != (tc.want != nil) || err == nil && !slices.Equal(asks.List(), tc.want) {
			t.Errorf("%s: %v, %v, want %v", tc.path, asks.List(), err, tc.want)
		}
		_, err = g.Resolve(tc.path, Request{Write: tc.write})
		if len(tc.want) > 0 && (!errors.Is(err, fail.PermissionDenied) || !strings.Contains(err.Error(), tc.want[0].Rule)) {
			t.Errorf("%s with nobody to ask: %v", tc.path, err)
		}
	}
}

// TestAskedPathsGoWithTheEntry: resolving a path for writing asks nothing about its content. Reading it does, and only
// through an entry that was resolved with AskedPaths.
func TestAskedPathsGoWithTheEntry(t *testing.T) {
	root, file := t.TempDir(), filepath.Join(t.TempDir(), "policy.toml")
	check(t, os.WriteFile(filepath.Join(root, "a"), []byte("text"), 0o644))
	check(t, os.WriteFile(file, []byte("[read]\nask = [\"a\"]\n"), 0o600))
	p, err := ReadPolicy(file, root)
	check(t, err)
	g, err := Open(root, Options{Policy: p})
	check(t, err)
	defer g.Close()
	asks := AskedPaths{CanAsk: true}
	e, err := g.Resolve("a", Request{Write: true, Asked: &asks})
	check(t, err)
	if len(asks.List()) != 0 {
		t.Errorf("asked to look: %v", asks.List())
	}
	if _, _, err := g.Load(t.Context(), e); err != nil || !slices.Equal(asks.List(), []api.AskedPath{{Path: "a", Write: false, Rule: "a"}}) {
		t.Errorf("asked to read: %v, %v", asks.List(), err)
	}
	if e, err = g.Resolve("a", Request{Write: true}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := g.Load(t.Context(), e); !errors.Is(err, fail.PermissionDenied) {
		t.Errorf("read with nobody to ask: %v", err)
	}
}
