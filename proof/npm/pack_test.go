package npm

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestArchive(t *testing.T) {
	for spec, want := range map[string]string{
		"plain@1.2.3":      "plain-1.2.3.tgz",
		"@scope/name@10.0": "scope-name-10.0.tgz",
	} {
		if got := Archive(spec); got != want {
			t.Errorf("%s: got %s, want %s", spec, got, want)
		}
	}
}

// TestPackKeeps runs without npm. Packages that are there must be returned, and missing ones be an error.
func TestPackKeeps(t *testing.T) {
	base := t.TempDir()
	t.Setenv("EMEND_NPM_DIR", base)
	t.Setenv("PATH", "")
	kept := filepath.Join(base, "archives")
	if err := os.MkdirAll(kept, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(kept, "a-1.0.0.tgz"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if dir, err := Pack(t.Context(), []string{"a@1.0.0"}, io.Discard); err != nil || dir != kept {
		t.Errorf("got %q, %v", dir, err)
	}
	if _, err := Pack(t.Context(), []string{"a@1.0.0", "b@1.0.0"}, io.Discard); err == nil || !strings.Contains(err.Error(), "npm is not installed") {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(base); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}
