// Package npm fetches programs from the npm registry for tests and benchmarks: exactly what a lock file names, with the
// checksums that it has. They are run, never read, and never a part of emend.
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

// Install returns the directory in which what lock, a directory with package.json and package-lock.json, names is
// installed, below node_modules. It is fetched once and kept in EMEND_NPM_DIR, or emend-npm in the user's cache directory.
// No script of a package is run.
func Install(ctx context.Context, lock string) (string, error) {
	text, err := os.ReadFile(filepath.Join(lock, "package-lock.json"))
	if err != nil {
		return "", err
	}
	base := os.Getenv("EMEND_NPM_DIR")
	if base == "" {
		if base, err = os.UserCacheDir(); err != nil {
			return "", err
		}
		base = filepath.Join(base, "emend-npm")
	}
	sum := sha256.Sum256(text)
	dir := filepath.Join(base, filepath.Base(lock)+"-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
		return dir, nil
	}
	return dir, fetch(ctx, lock, dir)
}

// fetch installs what the lock file names: npm refuses anything with another checksum.
func fetch(ctx context.Context, lock, dir string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return errors.New("npm is not installed")
	}
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
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1")
	cmd.Dir, cmd.Env = pkg, env(scratch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci of %s: %w: %s", lock, err, bytes.TrimSpace(out))
	}
	err = os.Rename(pkg, dir)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTEMPTY) {
		return nil // another test fetched the same meanwhile
	}
	return err
}

// env is an empty environment but for the ways to the registry: npm must not meet the user's own settings.
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
