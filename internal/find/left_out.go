package find

import (
	"strings"

	"github.com/emend-dev/emend/internal/guard"
)

// Rules answers which directories the ignore rules of a tree leave out. They are read when they are needed, and once.
type Rules struct {
	g      *guard.Guard
	ignore *ignorer
	known  map[string]*ruled
}

// ruled is what is known of a directory.
type ruled struct {
	leftOut bool
	level   *ignoreLevel // the rules for what is in it
}

// NewRules returns the rules of the tree below the root of g.
func NewRules(g *guard.Guard, o Options) *Rules {
	ig := newIgnorer(g, &o)
	return &Rules{g, ig, map[string]*ruled{".": {level: ig.addDir(g, ".", ig.aboveRoot)}}}
}

// LeavesOut reports whether the rules leave the directory at a slash path out, or one above it. The directory need not exist.
func (r *Rules) LeavesOut(path string) bool { return r.at(path).leftOut }

func (r *Rules) at(path string) *ruled {
	if d := r.known[path]; d != nil {
		return d
	}
	up, name := ".", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		up, name = path[:i], path[i+1:]
	}
	above := r.at(up)
	d := &ruled{leftOut: above.leftOut || r.ignore.ignores(above.level, []byte(r.ignore.pathFromTop+path), name, true), level: above.level}
	if !d.leftOut {
		d.level = r.ignore.addDir(r.g, path, above.level)
	}
	r.known[path] = d
	return d
}
