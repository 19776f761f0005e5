//go:build oracle

package oracle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// program is Codex's apply_patch.
type program struct {
	path string
	home string // its HOME, empty
	work string // where its scratch trees go
}

// install returns the program, fetched if it is not there yet, or skips the test.
func install(t *testing.T) *program {
	t.Helper()
	dir, err := cacheDir()
	if err != nil {
		t.Fatal(err)
	}
	path, err := installed(dir)
	if err != nil {
		path, err = fetch(t.Context(), dir)
	}
	if err != nil {
		t.Skipf("oracle absent: %v", err)
	}
	p := &program{path: path, home: t.TempDir(), work: t.TempDir()}
	if got := p.run(t, tcase{patch: "*** Begin Patch\n*** Add File: a\n+b\n*** End Patch\n"}); !got.ok || got.tree["a"] != "b\n" {
		t.Skipf("oracle absent: %s does not work here: %s", path, got.said)
	}
	return p
}

// cacheDir is a directory for exactly the version that is pinned.
func cacheDir() (string, error) {
	lock, err := os.ReadFile("testdata/codex/package-lock.json")
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(string(lock), `"@openai/codex": "`)
	version, _, ok := strings.Cut(rest, `"`)
	if !ok {
		return "", errors.New("testdata/codex/package-lock.json does not say which version")
	}
	base := os.Getenv("EMEND_ORACLE_DIR")
	if base == "" {
		if base, err = os.UserCacheDir(); err != nil {
			return "", err
		}
		base = filepath.Join(base, "emend-oracle")
	}
	return filepath.Join(base, version), nil
}

// installed finds the platform's program below dir.
func installed(dir string) (string, error) {
	found, err := filepath.Glob(filepath.Join(dir, "node_modules", "@openai", "codex-*", "vendor", "*", "bin", "codex*"))
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("no program for this platform in %s", dir)
	}
	return found[0], nil
}

// fetch installs what the lock file names: npm refuses anything with another checksum.
func fetch(ctx context.Context, dir string) (string, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", errors.New("npm is not installed")
	}
	scratch, err := os.MkdirTemp("", "emend-oracle")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	if err := os.CopyFS(filepath.Join(scratch, "pkg"), os.DirFS("testdata/codex")); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1")
	cmd.Dir = filepath.Join(scratch, "pkg")
	cmd.Env = npmEnv(scratch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w: %s", err, bytes.TrimSpace(out))
	}
	if err := publish(filepath.Join(scratch, "pkg"), dir); err != nil {
		return "", err
	}
	return installed(dir)
}

// npmEnv is an empty environment but for the ways to the registry: npm must not meet the user's own settings.
func npmEnv(home string) []string {
	env := []string{"HOME=" + home, "npm_config_cache=" + filepath.Join(home, "cache")}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(strings.ToUpper(kv), "=")
		switch name {
		case "PATH", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "NPM_CONFIG_REGISTRY":
			env = append(env, kv)
		}
	}
	return env
}

// publish puts a finished installation in its place. Two tests that fetch at once both leave a whole one.
func publish(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	err := os.Rename(from, to)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTEMPTY) {
		return nil
	}
	if errors.Is(err, syscall.EXDEV) {
		return os.CopyFS(to, os.DirFS(from))
	}
	return err
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
	cmd.Args = []string{"apply_patch"} // the name under which it is this program
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
