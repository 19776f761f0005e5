package find

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// The directories above the workspace are read by their paths, not through the guard: they are no part of the workspace,
// nothing of them is shown, and all that their rules can do is to leave something out.

// readAbove finds the repository that has the workspace, if its top is above it, and reads the rules in between.
func (ig *ignorer) readAbove(root string) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil || isGit(root) {
		return
	}
	var dirs []string // from the workspace upward, without it
	for up := filepath.Dir(root); ; up = filepath.Dir(up) {
		dirs = append(dirs, up)
		if isGit(up) {
			break
		}
		if up == filepath.Dir(up) {
			return
		}
	}
	top := dirs[len(dirs)-1]
	ig.pathFromTop = relativeSlash(top, root)
	for i := len(dirs) - 1; i >= 0; i-- {
		l := &ignoreLevel{up: ig.aboveRoot, base: len(relativeSlash(top, dirs[i])), gitIgnore: readIgnoreFileAt(filepath.Join(dirs[i], gitIgnoreName)), isRepoTop: dirs[i] == top}
		if l.isRepoTop {
			l.infoExclude = infoExcludeIn(top)
		}
		ig.aboveRoot = l
	}
}

// relativeSlash returns the slash path from top to dir with a slash at its end; "" if they are the same.
func relativeSlash(top, dir string) string {
	way, err := filepath.Rel(top, dir)
	if err != nil || way == "." {
		return ""
	}
	return filepath.ToSlash(way) + "/"
}

func isGit(dir string) bool {
	fi, err := os.Lstat(filepath.Join(dir, dotGit))
	return err == nil && (fi.IsDir() || fi.Mode().IsRegular())
}

// infoExcludeIn reads the info/exclude of the repository whose top is dir.
func infoExcludeIn(dir string) *ignoreFile {
	at := filepath.Join(dir, dotGit)
	if fi, err := os.Lstat(at); err == nil && fi.IsDir() {
		return readIgnoreFileAt(filepath.Join(at, "info", "exclude"))
	}
	return infoExcludeAt(dir, string(readAt(at)))
}

// infoExcludeAt follows the text of a file called .git in dir, and then the commondir file of a linked worktree.
func infoExcludeAt(dir, said string) *ignoreFile {
	at, ok := strings.CutPrefix(strings.TrimSpace(said), "gitdir: ")
	if !ok {
		return nil
	}
	at = joinPath(dir, at)
	if common := strings.TrimSpace(string(readAt(filepath.Join(at, "commondir")))); common != "" {
		at = joinPath(at, common)
	}
	return readIgnoreFileAt(filepath.Join(at, "info", "exclude"))
}

func joinPath(dir, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func readIgnoreFileAt(path string) *ignoreFile { return parseIgnoreFile(readAt(path)) }

// readAt reads a regular file. It never waits for another process.
func readAt(path string) []byte {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return text
}
