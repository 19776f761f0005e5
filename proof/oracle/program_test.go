//go:build oracle

package oracle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/proof/npm"
)

// program is Codex's apply_patch.
type program struct {
	path string
	home string // an empty directory
	work string // for scratch trees
}

// install returns the program, fetching it if needed, or skips the test.
func install(t *testing.T) *program {
	t.Helper()
	dir, err := npm.Install(t.Context(), "testdata/codex")
	if err != nil {
		t.Skipf("oracle absent: %v", err)
	}
	path, err := installed(dir)
	if err != nil {
		t.Skipf("oracle absent: %v", err)
	}
	p := &program{path: path, home: t.TempDir(), work: t.TempDir()}
	if got := p.run(t, tcase{patch: "*** Begin Patch\n*** Add File: a\n+b\n*** End Patch\n"}); !got.ok || got.tree["a"] != "b\n" {
		t.Skipf("oracle absent: %s does not work here: %s", path, got.said)
	}
	return p
}

// installed returns the program for this platform below dir.
func installed(dir string) (string, error) {
	found, err := filepath.Glob(filepath.Join(dir, "node_modules", "@openai", "codex-*", "vendor", "*", "bin", "codex*"))
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("no program for this platform in %s", dir)
	}
	return found[0], nil
}

// run gives the program a tree and a patch.
func (p *program) run(t testing.TB, c tcase) outcome {
	t.Helper()
	dir, err := os.MkdirTemp(p.work, "tree")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, data := range c.files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path)
	cmd.Args = []string{"apply_patch"} // under this name the program applies patches
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + p.home}
	cmd.Stdin = strings.NewReader(c.patch)
	said, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{ok: err == nil, tree: readTree(t, dir), said: strings.ReplaceAll(string(said), dir+"/", "")}
}

// readTree reads every file below dir.
func readTree(t testing.TB, dir string) map[string]string {
	tree := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		tree[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
