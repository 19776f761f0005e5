package join

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// repositoryOf names the repository that a tree is a clone of, equally in all clones (see [wire.Batch.Repository]). It reads .git/config and
// runs no program.
func repositoryOf(dir string) string {
	origin := originOf(filepath.Join(dir, ".git"))
	if origin == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(plainAddress(origin)))
	return hex.EncodeToString(sum[:])
}

// originOf returns the URL of the remote "origin"; "" if there is none.
func originOf(git string) string {
	if text, err := os.ReadFile(git); err == nil { // a worktree: a file that names the directory
		dir, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
		if !ok {
			return ""
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(git), dir)
		}
		if common, err := os.ReadFile(filepath.Join(dir, "commondir")); err == nil {
			dir = filepath.Join(dir, strings.TrimSpace(string(common)))
		}
		git = dir
	}
	f, err := os.Open(filepath.Join(git, "config"))
	if err != nil {
		return ""
	}
	defer f.Close()
	in := false
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			in = line == `[remote "origin"]`
			continue
		}
		if key, value, ok := strings.Cut(line, "="); ok && in && strings.TrimSpace(key) == "url" {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return ""
}

// plainAddress returns an address of a repository without scheme, credentials, port and .git at the end, so that the ways to clone it agree.
func plainAddress(s string) string {
	if u, err := url.Parse(s); err == nil && u.Host != "" {
		s = u.Hostname() + "/" + strings.TrimPrefix(u.Path, "/")
	} else if host, path, ok := strings.Cut(s, ":"); ok && !strings.Contains(host, "/") { // user@host:path
		_, host, _ = cutLast(host, "@")
		s = host + "/" + strings.TrimPrefix(path, "/")
	}
	return strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(s, "/"), ".git"))
}

// cutLast cuts s at the last sep; without one, all of it is after.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}
