package commit

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// inGitDir returns the place of a store in the git directory of the tree at top. ok is false if it has none, or if git
// keeps it elsewhere and it does not point back to this tree: a file called .git may have come with an archive, and name
// any directory.
//
// A linked worktree has a git directory of its own below that of its repository, and the store is in that: it belongs to
// one tree, and goes when git removes the worktree.
func inGitDir(top string) (p Place, ok bool) {
	dotGit := filepath.Join(top, ".git")
	if isDir(dotGit) {
		return Place{Dir: filepath.Join(dotGit, gitStoreName), Top: top}, true
	}
	dir, ok := readPath(dotGit, "gitdir:")
	if !ok || !isDir(dir) {
		return p, false
	}
	back, ok := readPath(filepath.Join(dir, "gitdir"), "")
	want := dotGit
	if !ok {
		back, ok = readWorktree(filepath.Join(dir, "config"))
		want = top
	}
	return Place{Dir: filepath.Join(dir, gitStoreName), Top: top, Linked: true}, ok && sameFilePath(back, want)
}

// readPath returns the path that a file consists of after the prefix, relative to the directory of the file.
func readPath(file, prefix string) (path string, ok bool) {
	path, ok = strings.CutPrefix(readSmall(file), prefix)
	path = strings.TrimSpace(path)
	return absoluteFrom(file, path), ok && path != ""
}

// readWorktree returns the value of core.worktree in a file of git's configuration, as git writes it.
func readWorktree(config string) (path string, ok bool) {
	core := false
	for line := range strings.Lines(readSmall(config)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			core = strings.EqualFold(line, "[core]")
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		if core && strings.EqualFold(strings.TrimSpace(key), "worktree") {
			path = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return absoluteFrom(config, path), path != ""
}

// readSmall returns the beginning of a regular file, "" if it cannot be read.
func readSmall(file string) string {
	if fi, err := os.Lstat(file); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		return ""
	}
	return string(b)
}

func absoluteFrom(file, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(filepath.Dir(file), path)
}

func sameFilePath(a, b string) bool {
	is, err := os.Stat(a)
	other, oerr := os.Stat(b)
	return err == nil && oerr == nil && os.SameFile(is, other)
}
