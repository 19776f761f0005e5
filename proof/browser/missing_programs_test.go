package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAbsent runs this test program without a browser, and without npm. It must name what is absent, and not fail.
func TestAbsent(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ without, run, want string }{
		{"chromium", "^(TestStranger|TestAxeEmpty|TestLoad)$", "NOT RUN: chromium is not installed"},
		{"npm", "^TestAxeComplains$", "NOT RUN: axe: npm ci of testdata/axe: npm is not installed"},
	} {
		if c.without == "npm" {
			needBrowser(t)
		}
		cmd := exec.Command(self, "-test.v", "-test.count=1", "-test.run", c.run)
		cmd.Env = append(os.Environ(), "PATH="+pathWith(t, "go", "git", "chromium"), "EMEND_NPM_DIR="+t.TempDir())
		if c.without == "chromium" {
			cmd.Env = append(cmd.Env, "PATH="+pathWith(t, "go", "git"), "EMEND_CHROMIUM=")
		}
		out, err := cmd.CombinedOutput()
		if text := string(out); err != nil || !strings.Contains(text, c.want) || strings.Contains(text, "--- PASS") {
			t.Errorf("without %s: %v\n%s", c.without, err, text)
		}
	}
}

// pathWith returns a PATH with links to these programs only.
func pathWith(t *testing.T, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range programs {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
