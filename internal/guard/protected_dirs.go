package guard

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// checkProtectedDirs refuses a path that leads through a protected directory under other names.
func (w *pathWalk) checkProtectedDirs(e Entry) error {
	chain, err := w.dir.ancestors(len(w.resolved))
	if err != nil {
		return err
	}
	depth := len(w.resolved)
	if e.Kind == Directory {
		chain, depth = append([]Identity{e.File}, chain...), depth+1
	}
	var dirs []protectedDir
	if depth == 0 {
		dirs = w.batch.rootRepository()
	} else {
		w.batch.noteDir(w.resolved, chain[len(chain)-len(w.resolved):])
		dirs = w.batch.protectedDirs(w.resolved)
	}
	names := w.names()
	if id := w.guard.storeID.Load(); id != nil {
		if i := slices.Index(chain, *id); i >= 0 {
			return refuseProtected(w.path, names, depth-i, storeRule)
		}
	}
	for _, l := range dirs {
		i := slices.Index(chain, l.identity)
		if len(l.ruleNames) == 0 {
			i = depth // the root itself is a repository; it is above every path and not in the chain
		}
		if i < 0 {
			continue
		}
		as := slices.Concat(l.ruleNames, names[depth-i:])
		if err := w.guard.decide(w.path, as, true, w.asked, l.rule, len(l.ruleNames)); err != nil {
			return err
		}
	}
	return nil
}

// protectedDirs finds the protected directories at the root as they are now, and on the way down done the repositories and
// the git directories of each directory. A directory that cannot be reached is left out, since no path leads there either.
func (b *Batch) protectedDirs(done []string) []protectedDir {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := slices.Clip(b.findProtectedDirs(nil, rootDirRules))
	for n := 1; n <= len(done); n++ {
		for _, d := range b.findProtectedDirs(done[:n], anyDirRules) {
			if d.rule == gitRule && len(d.names) < n && slices.Equal(d.names, done[:len(d.names)]) {
				// Below it a git directory may have a working tree of its own: git clone --bare and, in it, git worktree add.
				out = slices.DeleteFunc(slices.Clone(out), func(o protectedDir) bool { return o.identity == d.identity })
				continue
			}
			out = append(out, d)
		}
	}
	return out
}

// rootRepository is what protectedDirs finds if the root itself is a repository, for a path of one name.
func (b *Batch) rootRepository() []protectedDir {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.rootSeen {
		w := b.newWalk()
		defer w.close()
		b.rootSeen = true
		if d := w.repositoryAt(nil); d != nil {
			b.rootIs = []protectedDir{*d}
		}
	}
	return b.rootIs
}

// newWalk returns a walk that checks no rules.
func (b *Batch) newWalk() *pathWalk {
	return &pathWalk{guard: b.g, batch: b, check: func([]string) error { return nil }}
}

// rootDirRules are the rules whose directories are recognised at the root, anyDirRules those that are recognised anywhere.
var rootDirRules, anyDirRules = func() (all, git []*rule) {
	for i := range builtinRules {
		if r := &builtinRules[i]; r.knownByID {
			all = append(all, r)
		}
	}
	return all, []*rule{gitRule}
}()

// findProtectedDirs finds what the rules protect in the directory at names, once for a batch.
func (b *Batch) findProtectedDirs(names []string, rules []*rule) []protectedDir {
	key := strings.Join(names, "/")
	if out, ok := b.protectedDirsIn[key]; ok {
		return out
	}
	var out []protectedDir
	w := b.newWalk()
	defer w.close()
	if d := w.repositoryAt(names); d != nil {
		out = append(out, *d)
	}
	for _, r := range w.rulesThere(names, rules) {
		as := append(slices.Clip(names), strings.Split(r.pattern, "/")...)
		for _, s := range w.locateProtected(as) {
			out = append(out, protectedDir{s, r, as})
		}
	}
	b.protectedDirsIn[key] = out
	return out
}

// maxListed is how many names a directory may have for a listing to cost less than a look for each name that rules begin with.
const maxListed = 128

// rulesThere returns the rules whose first name is in the directory at names. There are many rules and few of their names anywhere.
func (w *pathWalk) rulesThere(names []string, rules []*rule) (out []*rule) {
	if len(rules) < 8 || !w.isAt(names) && (w.walkAgain(names) != nil || len(w.missing) > 0) {
		return rules
	}
	there := map[string]bool{}
	listed, err := w.dir.list(maxListed)
	all := err == nil && len(listed) < maxListed
	for _, name := range listed {
		if folded := fold(name); len(rulesByName[folded]) > 0 {
			there[folded] = true
		}
	}
	for _, r := range rules {
		first := r.names[0].before
		if _, known := there[first]; !known && !all {
			spelled, _, _ := strings.Cut(r.pattern, "/")
			_, err := w.dir.stat(spelled)
			there[first] = !errors.Is(err, fs.ErrNotExist)
		}
		if there[first] {
			out = append(out, r)
		}
	}
	return out
}

const dotGit = ".git"

// gitRule protects git directories.
var gitRule = &builtinRules[slices.IndexFunc(builtinRules, func(r rule) bool { return r.pattern == dotGit })]

// locateProtected follows names to a directory. A file called .git is read for the directories that it points to.
func (w *pathWalk) locateProtected(names []string) []location {
	parent, last := splitLast(names)
	if !w.isAt(parent) && (w.walkAgain(parent) != nil || len(w.missing) > 0) {
		return nil
	}
	is, err := w.dir.stat(last[0])
	if err != nil {
		return nil
	}
	switch kind := is.kind(); {
	case kind == Directory:
		return []location{{append(slices.Clip(w.resolved), last...), is.id}}
	case kind == Symlink:
		return w.locateDir(names)
	case last[0] == dotGit:
		return w.gitDirs()
	}
	return nil
}

// isAt reports whether the walk is in the directory at names already: most of the names asked about are in one directory, the
// root.
func (w *pathWalk) isAt(names []string) bool {
	return w.dir != nil && w.links == 0 && len(w.missing) == 0 && slices.Equal(w.resolved, names)
}

// walkAgain is walkDown for a walk that has been somewhere else before.
func (w *pathWalk) walkAgain(names []string) error {
	w.links, w.missing, w.pending = 0, nil, nil
	return w.walkDown(names)
}

// gitDirs returns the git directory that a file called .git points to and, if that belongs to a linked worktree, the one that
// all worktrees share.
func (w *pathWalk) gitDirs() []location {
	dir, ok := w.readPathIn(dotGit, "gitdir:")
	if !ok {
		return nil
	}
	out := w.locateTarget(dir)
	if len(out) == 0 {
		return nil
	}
	if common, ok := w.readPathIn("commondir", ""); ok {
		out = append(out, w.locateTarget(common)...)
	}
	return out
}

// readPathIn reads the path that a small file holds after the prefix.
func (w *pathWalk) readPathIn(name, prefix string) (path string, ok bool) {
	f, _, err := openRegular(w.dir, name, name)
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

// locateTarget goes to the directory that a file in the walk's directory names.
func (w *pathWalk) locateTarget(target string) []location {
	if !filepath.IsAbs(target) {
		return w.locateDir(append(slices.Clip(w.resolved), splitNames(filepath.ToSlash(target))...))
	}
	names, ok := w.guard.namesInside(target, true)
	if !ok {
		return nil
	}
	return w.locateDir(names)
}

func (w *pathWalk) locateDir(names []string) []location {
	if w.walkDown(names) != nil || len(w.missing) > 0 {
		return nil
	}
	id, err := w.dir.identity()
	if err != nil {
		return nil
	}
	return []location{{w.resolved, id}}
}
