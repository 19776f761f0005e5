package find

import (
	"io"
	"strings"

	"github.com/emend-dev/emend/internal/guard"
)

const (
	dotGit     = ".git"
	gitIgnore  = ".gitignore"
	ownIgnore  = ".ignore"
	modules    = "node_modules"
	store      = ".emend"
	mostIgnore = 4 << 20 // how much of an ignore file is read
)

// level is the rules that a directory adds to those of the directories above it.
type level struct {
	up   *level
	base int // where, in a path as ignorer makes it, the names below the directory begin
	own  *rules
	git  *rules
	// top: the directory has .git, so that what git ignores is said from here on down.
	top     bool
	exclude *rules // of that repository
}

// ignorer knows which rules hold where. Paths in it begin at the top of the repository that has the workspace, or at the
// workspace when none has.
type ignorer struct {
	off    bool
	names  map[string]bool // directories that are left out by their name
	above  string          // the way from the top of the repository down to the workspace, with a slash at the end
	first  *level          // what holds for the workspace from above
	global *rules
}

func newIgnorer(g *guard.Guard, o *Options) *ignorer {
	ig := &ignorer{off: o.Ignored || o.LeaveOut != nil, names: map[string]bool{store: true}}
	left := o.LeaveOut
	if left == nil {
		left = []string{dotGit, modules}
	} else if o.Ignored {
		left = nil
	}
	for _, name := range left {
		ig.names[name] = true
	}
	if !ig.off {
		ig.global = parseRules(o.Excludes)
		ig.fromAbove(g.Dir())
	}
	return ig
}

// prefix is where the paths of names in the folder begin.
func (ig *ignorer) prefix(buf []byte, f *guard.Folder) []byte {
	buf = append(buf, ig.above...)
	if f.Rel() != "" {
		buf = append(append(buf, f.Rel()...), '/')
	}
	return buf
}

// enter adds what the folder says to what holds above it. has tells which of the files that matter it has.
func (ig *ignorer) enter(up *level, f *guard.Folder, has marks) *level {
	if ig.off || has == 0 {
		return up
	}
	l := &level{up: up, base: len(ig.above) + len(f.Rel())}
	if f.Rel() != "" {
		l.base++
	}
	if has&hasIgnore != 0 {
		l.own = readRules(f, ownIgnore)
	}
	if has&hasGitIgnore != 0 {
		l.git = readRules(f, gitIgnore)
	}
	if l.top = has&hasGit != 0; l.top {
		l.exclude = excludeOf(f)
	}
	return l
}

// marks are the names in a directory that matter here.
type marks uint8

const (
	hasGit marks = 1 << iota
	hasGitIgnore
	hasIgnore
)

func mark(n guard.Name) marks {
	switch {
	case n.Name == dotGit && (n.Kind == guard.Directory || n.Kind == guard.Regular):
		return hasGit
	case n.Kind != guard.Regular: // as git, which does not follow a link here
		return 0
	case n.Name == gitIgnore:
		return hasGitIgnore
	case n.Name == ownIgnore:
		return hasIgnore
	}
	return 0
}

// look finds the marks of a folder without listing it.
func look(f *guard.Folder) (has marks) {
	for _, name := range []string{dotGit, gitIgnore, ownIgnore} {
		if is, err := f.Stat(name); err == nil {
			has |= mark(guard.Name{Name: name, Kind: is.Kind})
		}
	}
	return has
}

// leaves reports whether a name in a directory is left out. path is the whole path, which has the name at its end.
func (ig *ignorer) leaves(l *level, path []byte, name string, dir bool) bool {
	if dir && ig.names[name] || name == dotGit && ig.names[dotGit] {
		return true
	}
	if ig.off || l == nil {
		return false
	}
	last := path[len(path)-len(name):]
	for at := l; at != nil; at = at.up {
		if at.own != nil {
			if v := at.own.match(path[at.base:], last, dir); v != silent {
				return v == leave
			}
		}
	}
	return ig.git(l, path, last, dir) == leave
}

// git is what git says of a name.
func (ig *ignorer) git(l *level, path, last []byte, dir bool) verdict {
	top := l
	for top != nil && !top.top {
		top = top.up
	}
	if top == nil {
		return silent
	}
	for at := l; ; at = at.up {
		if at.git != nil {
			if v := at.git.match(path[at.base:], last, dir); v != silent {
				return v
			}
		}
		if at == top {
			break
		}
	}
	for _, r := range []*rules{top.exclude, ig.global} {
		if r != nil {
			if v := r.match(path[top.base:], last, dir); v != silent {
				return v
			}
		}
	}
	return silent
}

func readRules(f *guard.Folder, name string) *rules {
	file, err := f.Open(name)
	if err != nil {
		return nil
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostIgnore))
	if err != nil {
		return nil
	}
	return parseRules(text)
}

// excludeOf is the info/exclude of the repository whose .git is in the folder.
func excludeOf(f *guard.Folder) *rules {
	git, err := f.Enter(dotGit)
	if err != nil {
		return excludeElsewhere(f)
	}
	defer git.Close()
	info, err := git.Enter("info")
	if err != nil {
		return nil
	}
	defer info.Close()
	return readRules(info, "exclude")
}

// excludeElsewhere is for a .git that is a file: it says where the repository is.
func excludeElsewhere(f *guard.Folder) *rules {
	file, err := f.Open(dotGit)
	if err != nil {
		return nil
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 8<<10))
	if err != nil {
		return nil
	}
	return excludeAt(f.Abs(), strings.TrimSpace(string(text)))
}
