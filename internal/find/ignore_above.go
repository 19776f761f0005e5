package find

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// What is above the workspace is read by its path: it is no part of the workspace, nothing of it is shown, and all it can
// do is to leave something out.

// fromAbove finds the repository that has the workspace, when its top is above it, and the rules in between.
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

// slashed is the way from top to dir with a slash at its end, or nothing.
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

// excludeIn is the info/exclude of the repository whose top is dir.
func infoExcludeIn(dir string) *ignoreFile {
	at := filepath.Join(dir, dotGit)
	if fi, err := os.Lstat(at); err == nil && fi.IsDir() {
		return readIgnoreFileAt(filepath.Join(at, "info", "exclude"))
	}
	return infoExcludeAt(dir, string(readAt(at)))
}

// excludeAt follows what a file called .git in dir says, and then what the directory of a linked worktree says.
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

// readAt reads a regular file, and waits for nobody.
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
