package hook

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/emend-dev/emend"
)

// projectVars name the variables in which the clients tell their hooks the directory that the agent works on.
var projectVars = map[string]string{"claude-code": "CLAUDE_PROJECT_DIR", "gemini": "GEMINI_PROJECT_DIR"}

// ErrTooWide refuses to look at a whole account or disk, where nobody asked for a workspace.
var ErrTooWide = errors.New("it is no project: start the agent in one, or make a directory .emend there")

// Root returns the root of the workspace that an event is about: the directory that the client calls its project, as emend
// serve takes it; else the nearest directory upward with .git or .emend, from where the event happened; else that directory.
func (e *Event) Root(env func(string) string, home string) (string, error) {
	for _, dir := range []string{env(projectVars[e.Actor.Client]), e.Project} {
		if root, err := filepath.EvalSymlinks(dir); err == nil && filepath.IsAbs(dir) && isDir(root) && !tooWide(root, home) {
			return root, nil
		}
	}
	dir := e.Dir
	if !filepath.IsAbs(dir) || !isDir(dir) {
		dir = "."
	}
	root, _, err := emend.FindRoot(dir)
	if err == nil && tooWide(root, home) {
		err = &os.PathError{Op: "look at", Path: root, Err: ErrTooWide}
	}
	return root, err
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// tooWide reports whether a directory is a whole disk or the account's home, and no workspace by its own sign.
func tooWide(root, home string) bool {
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	if root != home && root != filepath.Dir(root) {
		return false
	}
	for _, sign := range []string{".git", ".emend"} {
		if _, err := os.Lstat(filepath.Join(root, sign)); err == nil {
			return false
		}
	}
	return true
}
