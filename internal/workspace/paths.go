package workspace

import (
	"path"
	"strings"
)

// Paths translates paths between the log and the workspace. The log counts from the top of the tree that the store belongs
// to; the root of the workspace may be a directory below the top.
type Paths struct {
	Prefix string // leads from the top to the root; "." or "" if they are the same directory
}

// FromTop makes a path of the log relative to the root. ok is false for a path outside of the root, and for "".
func (p Paths) FromTop(top string) (rel string, ok bool) {
	if p.Prefix == "." || p.Prefix == "" {
		return top, top != ""
	}
	if rel, ok = strings.CutPrefix(top, p.Prefix+"/"); !ok {
		return "", false
	}
	return rel, true
}

// Inside reports whether a path of the log is below the root.
func (p Paths) Inside(top string) bool {
	_, ok := p.FromTop(top)
	return ok
}

// ToTop makes a path that is relative to the root a path of the log.
func (p Paths) ToTop(rel string) string { return path.Join(p.Prefix, rel) }
