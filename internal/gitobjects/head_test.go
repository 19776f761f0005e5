package gitobjects

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBranch(t *testing.T) {
	dir := t.TempDir()
	if got := Branch(dir); got != "" {
		t.Errorf("without a repository: %q", got)
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := Branch(dir); got != "" {
		t.Errorf("without HEAD: %q", got)
	}
	for head, want := range map[string]string{
		"ref: refs/heads/main\n": "main", "ref: refs/heads/fix/cart": "fix/cart", strings.Repeat("ab", 20) + "\n": "ababababa", "nonsense": "", "": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte(head), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := Branch(dir); got != want {
			t.Errorf("%q: %q, want %q", head, got, want)
		}
	}
}
