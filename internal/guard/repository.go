package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend/fail"
)

// repositoryKind is a kind of repository that programs recognise by what a directory has in it, whatever the directory is
// called.
type repositoryKind struct {
	rule rule
	// file is the name of a file, or of a link, that every such repository has.
	file string
	// others are lists of names. A repository also has one name of each list, whatever that is.
	others [][]string
}

// repositoryKinds has a kind for each program that finds its repositories so. The other systems go by one name, which has a
// rule.
//
// git looks for HEAD, refs and objects (gitrepository-layout(5), and is_git_directory in its setup.c). Links count as what
// they lead to. The file commondir may say that refs and objects are elsewhere, and the environment that objects are.
var repositoryKinds = []repositoryKind{
	{rule{pattern: "a directory with HEAD and refs or commondir", ruleRow: &ruleRow{reason: ownFiles, level: deny, protects: writing, why: "git repository"}},
		"HEAD", [][]string{{"refs", "commondir"}}},
	{rule{pattern: "a directory with format, db, hooks and locks", ruleRow: &ruleRow{reason: ownFiles, level: deny, protects: writing, why: "Subversion repository"}},
		"format", [][]string{{"db"}, {"hooks"}, {"locks"}}},
}

// isRepository reports whether a directory is a repository. has looks a name up in it; dirToo says that a directory counts.
func (k *repositoryKind) isRepository(has func(name string, dirToo bool) bool) bool {
	if !has(k.file, false) {
		return false
	}
	for _, names := range k.others {
		if !slices.ContainsFunc(names, func(name string) bool { return has(name, true) }) {
			return false
		}
	}
	return true
}

// hasName looks a name up for [repositoryKind.isRepository].
func hasName(h handle, name string, dirToo bool) bool {
	is, err := h.stat(name)
	return err == nil && (dirToo || is.kind() != Directory)
}

// repositoryAt returns the directory at names if it is a repository, nil otherwise.
func (w *pathWalk) repositoryAt(names []string) *protectedDir {
	if !w.isAt(names) && (w.walkAgain(names) != nil || len(w.missing) > 0) {
		return nil
	}
	has := func(name string, dirToo bool) bool { return hasName(w.dir, name, dirToo) }
	for i := range repositoryKinds {
		if k := &repositoryKinds[i]; k.isRepository(has) {
			if id, err := w.dir.identity(); err == nil {
				return &protectedDir{location{w.resolved, id}, &k.rule, names}
			}
		}
	}
	return nil
}

// CheckRepositories refuses to make a directory a repository, be it in one call or together with what earlier calls left.
// written are the files that a call is about to create or replace. What the call deletes counts as being there, since a commit
// deletes last. A directory becomes a repository nevertheless if a person allowed all files of the call that are parts of it.
//
// The disk is looked at each time: of two calls that were planned at the same time, each may bring a part. So a commit asks
// again when no other can come in between.
func (g *Guard) CheckRepositories(written iter.Seq[Entry]) error {
	var found newParts
	for e := range written {
		found.addPath(e)
	}
	for _, d := range found.dirs {
		if err := g.checkNewParts(d); err != nil {
			return asRefusal(d.parts[0].path, err)
		}
	}
	return nil
}

// newParts are the names on the way to written files that are parts of repositories, by the directory that they are in.
type newParts struct {
	dirs  []*changedDir
	byKey map[string]*changedDir
}

// changedDir is a directory that gets parts, by its names from the root.
type changedDir struct {
	names []string
	parts []newPart
}

type newPart struct {
	path  string // of the file that is written
	name  string // of that file or of a directory above it, folded but for the case
	last  bool   // it is the file's
	asked *AskedPaths
}

// addPath adds the parts on the way to e. Most paths have none.
func (n *newParts) addPath(e Entry) {
	for name, rest, more := "", e.Rel, true; more; {
		dir := e.Rel[:len(e.Rel)-len(rest)]
		name, rest, more = strings.Cut(rest, "/")
		if name == "" || !partInitials[name[0]] {
			continue
		}
		p := newPart{e.Rel, foldButCase(name), !more, e.asked}
		if slices.ContainsFunc(repositoryKinds, func(k repositoryKind) bool { return k.hasPart(&p) }) {
			n.add(splitNames(dir), p)
		}
	}
}

// partInitials has the bytes that a name may begin with if it is that of a part.
var partInitials = func() (initial [256]bool) {
	for _, k := range repositoryKinds {
		for _, name := range append(slices.Concat(k.others...), k.file) {
			initial[strings.ToLower(name)[0]], initial[strings.ToUpper(name)[0]] = true, true
		}
	}
	for c := utf8.RuneSelf; c < len(initial); c++ {
		initial[c] = true
	}
	return initial
}()

// hasPart reports whether p is a part of such a repository.
func (k *repositoryKind) hasPart(p *newPart) bool {
	return p.is(k.file, false) || slices.ContainsFunc(k.others, func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return p.is(name, true) })
	})
}

func (p *newPart) is(name string, dirToo bool) bool {
	return (p.last || dirToo) && strings.EqualFold(p.name, name)
}

// add adds a part to the directory at names. Spellings that some file system takes for one are one directory.
func (n *newParts) add(names []string, p newPart) {
	var key strings.Builder
	for _, name := range names {
		key.WriteString(fold(name) + "/")
	}
	d := n.byKey[key.String()]
	if d == nil {
		if n.byKey == nil {
			n.byKey = map[string]*changedDir{}
		}
		d = &changedDir{names: names}
		n.byKey[key.String()] = d
		n.dirs = append(n.dirs, d)
	}
	d.parts = append(d.parts, p)
}

// checkNewParts refuses the parts that d gets if they make it a repository, together with what it has.
func (g *Guard) checkNewParts(d *changedDir) error {
	h, err := g.tree.openDir(d.names)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNotDirectory) {
		return err
	}
	if err == nil {
		defer h.close()
	}
	has := func(name string, dirToo bool) bool {
		return err == nil && hasName(h, name, dirToo) || slices.ContainsFunc(d.parts, func(p newPart) bool { return p.is(name, dirToo) })
	}
	for i := range repositoryKinds {
		k := &repositoryKinds[i]
		if !k.isRepository(has) {
			continue
		}
		for _, p := range d.parts {
			if k.hasPart(&p) && g.decide(p.path, splitNames(p.path), true, p.asked, &k.rule, 0) != nil {
				return refuseNewRepository(p.path, d.names, &k.rule)
			}
		}
	}
	return nil
}

func refuseNewRepository(path string, dir []string, r *rule) error {
	name := "the workspace"
	if len(dir) > 0 {
		name = fail.Quote(strings.Join(dir, "/"))
	}
	return &fail.Error{Kind: fail.PermissionDenied, Path: path,
		Msg:  fmt.Sprintf("%s would make %s a %s (%s), whose settings and hooks run commands", fail.Quote(path), name, r.why, r.pattern),
		Hint: fmt.Sprintf("Use other names. With ‹option allow-protected› %q a person can allow it.", patternBelow(dir))}
}

// patternBelow returns the pattern that allows a directory and everything below it.
func patternBelow(dir []string) string {
	if len(dir) == 0 {
		return "**"
	}
	return strings.Join(dir, "/")
}
