// Package npm fetches packages from the npm registry for tests and benchmarks: programs to run, in the versions and with the
// checksums of a lock file, and published packages to read as text. None of them is a part of emend.
package npm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Install installs the packages of lock, a directory with package.json and package-lock.json. It returns the directory that has
// them in node_modules. They are fetched once and kept in EMEND_NPM_DIR, or emend-npm in the user's cache directory. No script
// of a package runs.
func Install(ctx context.Context, lock string) (string, error) {
	text, err := os.ReadFile(filepath.Join(lock, "package-lock.json"))
	if err != nil {
		return "", err
	}
	base, err := cache()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	dir := filepath.Join(base, filepath.Base(lock)+"-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
		return dir, nil
	}
	return dir, fetch(ctx, lock, dir)
}

// InstallWithin installs what an installed package asks for in a package of its own below it, as its script would after its
// installation: dir has a package.json and an npm-shrinkwrap.json, which came with the package and have its checksum.
func InstallWithin(ctx context.Context, dir string) error {
	done := filepath.Join(dir, "node_modules", ".complete")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	home, err := os.MkdirTemp(filepath.Dir(dir), "fetch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	if err := run(ctx, dir, home, "ci", "--omit=dev", "--legacy-peer-deps", "--no-audit", "--no-fund"); err != nil {
		return fmt.Errorf("npm ci in %s: %w", dir, err)
	}
	return os.WriteFile(done, nil, 0o666)
}

// cache returns the directory that keeps everything.
func cache() (string, error) {
	if base := os.Getenv("EMEND_NPM_DIR"); base != "" {
		return base, nil
	}
	base, err := os.UserCacheDir()
	return filepath.Join(base, "emend-npm"), err
}

// fetch installs the packages of a lock file. npm refuses packages with another checksum.
func fetch(ctx context.Context, lock, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(filepath.Dir(dir), "fetch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	pkg := filepath.Join(scratch, "pkg")
	if err := os.CopyFS(pkg, os.DirFS(lock)); err != nil {
		return err
	}
	if err := run(ctx, pkg, scratch, "ci", "--no-audit", "--no-fund"); err != nil {
		return fmt.Errorf("npm ci of %s: %w", lock, err)
	}
	err = os.Rename(pkg, dir)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTEMPTY) {
		return nil // another process fetched the same meanwhile
	}
	return err
}

// run runs npm in dir with home as its home directory. The error includes the output of npm.
func run(ctx context.Context, dir, home string, args ...string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return errors.New("npm is not installed")
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, append([]string{"--ignore-scripts", "--fetch-retries=1"}, args...)...)
	cmd.Dir, cmd.Env = dir, env(home)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// env returns an environment with nothing but access to the registry, so that npm does not read the user's settings.
func env(home string) []string {
	out := []string{"HOME=" + home, "npm_config_cache=" + filepath.Join(home, "cache")}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(strings.ToUpper(kv), "=")
		switch name {
		case "PATH", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "NPM_CONFIG_REGISTRY":
			out = append(out, kv)
		}
	}
	return out
}
