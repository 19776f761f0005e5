package hook

import (
	"cmp"
	"path/filepath"
)

// Within returns the event with its paths as those of the workspace in root, with slashes. Paths outside of it are left out.
func (e *Event) Within(root string) *Event {
	out := *e
	out.Look.Paths = nil
	for _, p := range e.Look.Paths {
		if rel, ok := e.within(root, p); ok {
			out.Look.Paths = append(out.Look.Paths, rel)
		}
	}
	return &out
}

// maxPath is the longest path in which links are looked for, which takes quadratic time. Linux has no longer ones. What a call does to a file with
// a longer one elsewhere is recorded like any change.
const maxPath = 4096

func (e *Event) within(root, path string) (string, bool) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(cmp.Or(e.Dir, root), path)
	}
	if len(path) > maxPath {
		return "", false
	}
	rel, err := filepath.Rel(root, resolveDir(path))
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// resolveDir resolves the links in the directory of a path as far as the directory exists. The last name stays: a change of a
// link is a change at its own place.
func resolveDir(path string) string {
	dir, name := filepath.Split(filepath.Clean(path))
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return filepath.Join(real, name)
	}
	if parent := filepath.Clean(dir); parent != filepath.Clean(path) && name != "" {
		return filepath.Join(resolveDir(parent), name)
	}
	return path
}
