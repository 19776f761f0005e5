package guard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRunBounds(t *testing.T) {
	t.Setenv("HOME", "/home/x")
	root := t.TempDir()
	for _, tt := range []struct {
		text  string
		age   time.Duration
		write []string
		bad   string
	}{
		{"", 0, nil, ""},
		{"[run]\nage = \"2w\"\nwrite = [\"/var/cache/x/\", \"~/.cache/go-build\"]", 14 * 24 * time.Hour, []string{"/var/cache/x", "/home/x/.cache/go-build"}, ""},
		{"[run]\nage = \"any\"", 0, nil, ""},
		{"[run]\nage = \"2w\"\nwrite = [\"/a\"]\n[workspace.\"ROOT\".run]\nage = \"any\"\nwrite = [\"/b\"]", 0, []string{"/a", "/b"}, ""},
		{"[run]\nwrite = [\"/a\"]\n[workspace.\"/elsewhere\".run]\nwrite = [\"/b\"]", 0, []string{"/a"}, ""},
		{"[run]\nage = \"2\"", 0, nil, "run.age"},
		{"[run]\nwrite = [\"a\"]", 0, nil, "run.write"},
		{"[run]\nwrite = [\"/a/..\"]", 0, nil, "run.write"},
		{"[run]\nwrite = \"/a\"", 0, nil, "write"},
	} {
		file := filepath.Join(t.TempDir(), "policy.toml")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(tt.text, "ROOT", root)), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := ReadPolicy(file, root)
		age, write := p.RunBounds()
		if age != tt.age || !slices.Equal(write, tt.write) || (err != nil) != (tt.bad != "") || err != nil && !strings.Contains(err.Error(), tt.bad) {
			t.Errorf("%q: %v, %q, %v", tt.text, age, write, err)
		}
	}
}
