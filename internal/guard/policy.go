package guard

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/fail"
)

// judgeFor returns the judge of a path: it says no to names that a rule protects and nobody opened.
func (g *Guard) judgeFor(path string, write bool) func([]string) error {
	from := reading
	if write {
		from = writing
	}
	return func(names []string) error {
		r, depth := find(names, from)
		if r == nil || g.allowed(names) {
			return nil
		}
		return protected(path, names, depth, r)
	}
}

// allowed reports whether a person opened the path.
func (g *Guard) allowed(names []string) bool {
	return slices.ContainsFunc(g.allow, func(p pattern) bool { return p.match(names) })
}

func protected(path string, names []string, depth int, r *rule) error {
	return &fail.Error{Kind: fail.PermissionDenied, Path: path,
		Msg: fmt.Sprintf("%s is protected from %s by the rule %q (%s)",
			fail.Quote(strings.Join(names, "/")), r.from, r.pattern, r.what),
		Hint: fmt.Sprintf("With --allow-protected %q a person can allow it.", strings.Join(names[:depth], "/"))}
}

// landmark is a protected directory at the root, by the name that protects it.
type landmark struct {
	rule  *rule
	names []string
	id    Identity
}

// checkAlias refuses a path that leads, under other names, through a protected directory at the root.
func (w *walk) checkAlias(names []string, e Entry) error {
	chain, err := w.at.chain(len(w.done))
	if err != nil {
		return err
	}
	depth := len(w.done)
	if e.Kind == Directory {
		chain, depth = append([]Identity{e.File}, chain...), depth+1
	}
	if depth == 0 {
		return nil
	}
	for _, l := range w.g.landmarks() {
		i := slices.Index(chain, l.id)
		if i < 0 {
			continue
		}
		if as := slices.Concat(l.names, names[depth-i:]); !w.g.allowed(as) {
			return protected(w.path, as, len(l.names), l.rule)
		}
	}
	return nil
}

// landmarks finds the protected directories at the root as they are now. One that cannot be reached is left out: then
// no path leads there either.
func (g *Guard) landmarks() []landmark {
	var out []landmark
	for i := range rules {
		if r := &rules[i]; r.landmark {
			names := strings.Split(r.pattern, "/")
			if id, ok := g.locate(names); ok {
				out = append(out, landmark{r, names, id})
			}
		}
	}
	return out
}

// locate follows names to a directory; a file called .git is read for the directory that it points to.
func (g *Guard) locate(names []string) (Identity, bool) {
	parent, last := cutLast(names)
	w := &walk{g: g, judge: func([]string) error { return nil }}
	defer w.leave()
	if w.follow(parent) != nil || len(w.ghost) > 0 {
		return Identity{}, false
	}
	is, err := w.at.stat(last[0])
	if err != nil {
		return Identity{}, false
	}
	switch is.kind() {
	case Directory:
		return is.file, true
	case Symlink:
		return w.enterAll(names)
	}
	if target, ok := w.gitdir(last[0]); ok {
		return w.enterTarget(target)
	}
	return Identity{}, false
}

func (w *walk) enterTarget(target string) (Identity, bool) {
	if !filepath.IsAbs(target) {
		return w.enterAll(split(filepath.ToSlash(target)))
	}
	names, ok := w.g.inside(target, true)
	if !ok {
		return Identity{}, false
	}
	return w.enterAll(names)
}

func (w *walk) enterAll(names []string) (Identity, bool) {
	if w.follow(names) != nil || len(w.ghost) > 0 {
		return Identity{}, false
	}
	id, err := w.at.id()
	return id, err == nil
}

// gitdir reads the file that stands for a git directory which is elsewhere.
func (w *walk) gitdir(name string) (target string, ok bool) {
	if name != ".git" {
		return "", false
	}
	f, _, err := openRegular(w.at, name, name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPath+16))
	if err != nil {
		return "", false
	}
	target, ok = strings.CutPrefix(string(text), "gitdir:")
	return strings.TrimSpace(target), ok
}
