package find

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/emend-dev/emend/internal/guard"
)

// TestLeavesOut compares with what git says, where git has a say.
func TestLeavesOut(t *testing.T) {
	top := t.TempDir()
	for p, text := range map[string]string{
		".gitignore": "dist/\n/build\n*.tmp\n!keep.tmp\n", "pkg/.gitignore": "out\n!dist\n", "pkg/sub/a": "", ".git/info/exclude": "excluded\n",
	} {
		p = filepath.Join(top, p)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g, err := guard.Open(top, guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	rules := NewRules(g, Options{})
	git, _ := exec.LookPath("git")
	if git != "" {
		if out, err := exec.Command(git, "-C", top, "init", "-q").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if err := os.WriteFile(filepath.Join(top, ".git/info/exclude"), []byte("excluded\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for p, want := range map[string]bool{
		"dist": true, "src/dist": true, "src/dist/deep/er": true, "build": true, "src/build": false, "pkg": false, "pkg/out": true, "pkg/sub/out": true,
		"pkg/dist": false, "a.tmp": true, "keep.tmp": false, "excluded": true, "new/place": false,
	} {
		if got := rules.LeavesOut(p); got != want {
			t.Errorf("%s: %v, want %v", p, got, want)
		}
		if git == "" {
			continue
		}
		err := exec.Command(git, "-C", top, "-c", "core.excludesFile=", "check-ignore", "-q", p+"/").Run()
		if said := err == nil; said != want {
			t.Errorf("%s: git says %v", p, said)
		}
	}
	for _, p := range []string{"node_modules", "src/node_modules/x"} {
		if !rules.LeavesOut(p) {
			t.Errorf("%s is not left out", p)
		}
	}
}
