package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// trash clear and purge ask a person, and remove something only after a yes.
func TestConfirmAtTerminal(t *testing.T) {
	const patch = "*** Begin Patch\n*** Delete File: f\n*** End Patch\n"
	for _, tt := range []struct {
		verb  string
		types string
		args  []string
		gone  bool
	}{
		{"trash", "y\n", []string{"clear"}, true},
		{"trash", "YES\n", []string{"clear"}, true},
		{"trash", "\n", []string{"clear"}, false},
		{"trash", "n\n", []string{"clear"}, false},
		{"trash", "\x04", []string{"clear"}, false},
		{"purge", "y\n", []string{"--path", "f"}, true},
		{"purge", "no\n", []string{"--path", "f"}, false},
	} {
		dir := workspace(t, map[string]string{"f": "abc\n", "p": patch})
		if s := (person{dir: dir}).run(t, "apply", "p"); s.code != 0 {
			t.Fatalf("%+v", s)
		}
		s := person{dir: dir, types: tt.types}.run(t, append([]string{tt.verb}, tt.args...)...)
		if s.code != 0 || !strings.Contains(s.err, "[y/N]") || !strings.Contains(s.err, "f") || strings.Contains(s.out, "Nothing was removed.") == tt.gone {
			t.Errorf("%s, answered %q: %+v", tt.verb, tt.types, s)
		}
		left, err := filepath.Glob(filepath.Join(dir, ".emend", "slots", "*.0"))
		if err != nil || len(left) == 0 != tt.gone {
			t.Errorf("%s, answered %q: left is %q", tt.verb, tt.types, left)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "f")); err == nil {
			t.Errorf("the file is there: %q", text)
		}
	}
	dir := workspace(t, nil)
	if s := (person{dir: dir}).run(t, "trash", "clear"); s.code != 0 || strings.Contains(s.err, "[y/N]") {
		t.Errorf("asked about nothing: %+v", s)
	}
}
