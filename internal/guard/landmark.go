package guard

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// spot is a directory: where it is, no link among the names, and which one.
type spot struct {
	at []string
	id Identity
}

// landmark is a protected directory, and the names that protect it.
type landmark struct {
	spot
	rule  *rule
	names []string
}

// checkAlias refuses a path that leads, under other names, through a landmark.
func (w *walk) checkAlias(e Entry) error {
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
	w.v.note(w.done, chain[len(chain)-len(w.done):])
	names := w.names()
	if id := w.g.store.Load(); id != nil {
		if i := slices.Index(chain, *id); i >= 0 {
			return protected(w.path, names, depth-i, storeRule)
		}
	}
	for _, l := range w.v.landmarks(w.done) {
		i := slices.Index(chain, l.id)
		if i < 0 {
			continue
		}
		if as := slices.Concat(l.names, names[depth-i:]); !w.opened(as) {
			return protected(w.path, as, len(l.names), l.rule)
		}
	}
	return nil
}

// landmarks finds the protected directories at the root as they are now, and what .git is in each of the
// directories that done names on the way down. One that cannot be reached is left out: then no path leads there
// either.
func (v *Visit) landmarks(done []string) []landmark {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := slices.Clip(v.marksOf(nil, landmarkRules))
	for n := 1; n <= len(done); n++ {
		out = append(out, v.marksOf(done[:n], gitRules)...)
	}
	return out
}

// landmarkRules are the rules whose directories are known at the root, gitRules those that are known anywhere.
var landmarkRules, gitRules = func() (all, git []*rule) {
	for i := range rules {
		if r := &rules[i]; r.landmark {
			all = append(all, r)
		}
	}
	return all, []*rule{gitRule}
}()

// marksOf finds what rules protect in the directory at names, once.
func (v *Visit) marksOf(names []string, rules []*rule) []landmark {
	key := strings.Join(names, "/")
	if out, ok := v.marks[key]; ok {
		return out
	}
	var out []landmark
	w := &walk{g: v.g, v: v, judge: func([]string) error { return nil }}
	defer w.leave()
	for _, r := range rules {
		as := append(slices.Clip(names), strings.Split(r.pattern, "/")...)
		for _, s := range w.locate(as) {
			out = append(out, landmark{s, r, as})
		}
	}
	v.marks[key] = out
	return out
}

const dotGit = ".git"

// gitRule is what protects a git directory.
var gitRule = &rules[slices.IndexFunc(rules, func(r rule) bool { return r.pattern == dotGit })]

// locate follows names to a directory; a file called .git is read for the directories that it points to.
func (w *walk) locate(names []string) []spot {
	parent, last := cutLast(names)
	if !w.stands(parent) && (w.restart(parent) != nil || len(w.ghost) > 0) {
		return nil
	}
	is, err := w.at.stat(last[0])
	if err != nil {
		return nil
	}
	switch kind := is.kind(); {
	case kind == Directory:
		return []spot{{append(slices.Clip(w.done), last...), is.file}}
	case kind == Symlink:
		return w.enterAll(names)
	case last[0] == dotGit:
		return w.gitdirs()
	}
	return nil
}

// stands reports whether the walk is in the directory at names already: most of the names that are asked about are in one
// directory, the root.
func (w *walk) stands(names []string) bool {
	return w.at != nil && w.links == 0 && len(w.ghost) == 0 && slices.Equal(w.done, names)
}

// restart is follow for a walk that has been somewhere else before.
func (w *walk) restart(names []string) error {
	w.links, w.ghost, w.todo = 0, nil, nil
	return w.follow(names)
}

// gitdirs are the git directory that a file called .git stands for and, when that belongs to a linked worktree, the
// one that all worktrees share.
func (w *walk) gitdirs() []spot {
	dir, ok := w.says(dotGit, "gitdir:")
	if !ok {
		return nil
	}
	out := w.enterTarget(dir)
	if len(out) == 0 {
		return nil
	}
	if common, ok := w.says("commondir", ""); ok {
		out = append(out, w.enterTarget(common)...)
	}
	return out
}

// says reads the path that a small file holds after the prefix.
func (w *walk) says(name, prefix string) (path string, ok bool) {
	f, _, err := openRegular(w.at, name, name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPath+16))
	if err != nil {
		return "", false
	}
	path, ok = strings.CutPrefix(string(text), prefix)
	path = strings.TrimSpace(path)
	return path, ok && path != ""
}

// enterTarget goes to the directory that a file in the one where the walk stands says.
func (w *walk) enterTarget(target string) []spot {
	if !filepath.IsAbs(target) {
		return w.enterAll(append(slices.Clip(w.done), split(filepath.ToSlash(target))...))
	}
	names, ok := w.g.inside(target, true)
	if !ok {
		return nil
	}
	return w.enterAll(names)
}

func (w *walk) enterAll(names []string) []spot {
	if w.follow(names) != nil || len(w.ghost) > 0 {
		return nil
	}
	id, err := w.at.id()
	if err != nil {
		return nil
	}
	return []spot{{w.done, id}}
}
