package find

import (
	"io"
	"strings"

	"github.com/emend-dev/emend/internal/guard"
)

const (
	dotGit        = ".git"
	gitIgnoreName = ".gitignore"
	dotIgnoreName = ".ignore"
	modules       = "node_modules"
	store         = ".emend"
	maxIgnoreFile = 4 << 20 // how much of an ignore file is read
)

// ignoreLevel is the rules that a directory adds to those of the directories above it.
type ignoreLevel struct {
	up        *ignoreLevel
	base      int // where the names below the directory begin in a path as ignorer makes it
	dotIgnore *ignoreFile
	gitIgnore *ignoreFile
	// isRepoTop: the directory has .git, so that the rules of git begin anew here.
	isRepoTop   bool
	infoExclude *ignoreFile // of that repository
}

// ignorer knows which rules apply where. Paths in it begin at the top of the repository that has the workspace, or at the
// workspace if there is none.
type ignorer struct {
	disabled       bool
	skipNames      map[string]bool // directories that are left out by their name
	pathFromTop    string          // the slash path from the top of the repository to the workspace, with a slash at the end
	aboveRoot      *ignoreLevel    // the rules of the directories above the workspace
	globalExcludes *ignoreFile
}

func newIgnorer(g *guard.Guard, o *Options) *ignorer {
	ig := &ignorer{disabled: o.IncludeIgnored || o.SkipDirs != nil, skipNames: map[string]bool{store: true}}
	left := o.SkipDirs
	if left == nil {
		left = []string{dotGit, modules}
	} else if o.IncludeIgnored {
		left = nil
	}
	for _, name := range left {
		ig.skipNames[name] = true
	}
	if !ig.disabled {
		ig.globalExcludes = parseIgnoreFile(o.Excludes)
		ig.readAbove(g.RootPath())
	}
	return ig
}

// prefix appends to buf how the paths of names in the folder begin.
func (ig *ignorer) prefix(buf []byte, f *guard.Folder) []byte {
	buf = append(buf, ig.pathFromTop...)
	if f.Rel() != "" {
		buf = append(append(buf, f.Rel()...), '/')
	}
	return buf
}

// levelOf adds the rules of the folder to those above it. has says which of the files with rules it has.
func (ig *ignorer) levelOf(up *ignoreLevel, f *guard.Folder, has ignoreMarks) *ignoreLevel {
	if ig.disabled || has == 0 {
		return up
	}
	l := &ignoreLevel{up: up, base: len(ig.pathFromTop) + len(f.Rel())}
	if f.Rel() != "" {
		l.base++
	}
	if has&hasIgnore != 0 {
		l.dotIgnore = readIgnoreFile(f, dotIgnoreName)
	}
	if has&hasGitIgnore != 0 {
		l.gitIgnore = readIgnoreFile(f, gitIgnoreName)
	}
	if l.isRepoTop = has&hasGit != 0; l.isRepoTop {
		l.infoExclude = infoExcludeOf(f)
	}
	return l
}

// ignoreMarks are the names in a directory that matter for the rules.
type ignoreMarks uint8

const (
	hasGit ignoreMarks = 1 << iota
	hasGitIgnore
	hasIgnore
)

func markOf(n guard.Name) ignoreMarks {
	switch {
	case n.Name == dotGit && (n.Kind == guard.Directory || n.Kind == guard.Regular):
		return hasGit
	case n.Kind != guard.Regular: // as git, which does not follow a link here
		return 0
	case n.Name == gitIgnoreName:
		return hasGitIgnore
	case n.Name == dotIgnoreName:
		return hasIgnore
	}
	return 0
}

// RuleFiles returns the names of the files that have ignore rules, or decide which of them apply.
func RuleFiles() []string { return []string{dotGit, gitIgnoreName, dotIgnoreName} }

// marksIn finds the marks of a folder without listing it.
func marksIn(f *guard.Folder) (has ignoreMarks) {
	for _, name := range RuleFiles() {
		if is, err := f.Stat(name); err == nil {
			has |= markOf(guard.Name{Name: name, Kind: is.Kind})
		}
	}
	return has
}

// ignores reports whether a name in a directory is left out. path is the whole path, which ends in the name.
func (ig *ignorer) ignores(l *ignoreLevel, path []byte, name string, dir bool) bool {
	if dir && ig.skipNames[name] || name == dotGit && ig.skipNames[dotGit] {
		return true
	}
	if ig.disabled || l == nil {
		return false
	}
	last := path[len(path)-len(name):]
	for at := l; at != nil; at = at.up {
		if at.dotIgnore != nil {
			if v := at.dotIgnore.match(path[at.base:], last, dir); v != undecided {
				return v == ignore
			}
		}
	}
	return ig.gitDecides(l, path, last, dir) == ignore
}

// gitDecides returns what the rules of git say about a name.
func (ig *ignorer) gitDecides(l *ignoreLevel, path, last []byte, dir bool) decision {
	top := l
	for top != nil && !top.isRepoTop {
		top = top.up
	}
	if top == nil {
		return undecided
	}
	for at := l; ; at = at.up {
		if at.gitIgnore != nil {
			if v := at.gitIgnore.match(path[at.base:], last, dir); v != undecided {
				return v
			}
		}
		if at == top {
			break
		}
	}
	for _, r := range []*ignoreFile{top.infoExclude, ig.globalExcludes} {
		if r != nil {
			if v := r.match(path[top.base:], last, dir); v != undecided {
				return v
			}
		}
	}
	return undecided
}

func readIgnoreFile(f *guard.Folder, name string) *ignoreFile {
	file, err := f.Open(name)
	if err != nil {
		return nil
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return parseIgnoreFile(text)
}

// infoExcludeOf reads the info/exclude of the repository whose .git is in the folder.
func infoExcludeOf(f *guard.Folder) *ignoreFile {
	git, err := f.Enter(dotGit)
	if err != nil {
		return infoExcludeByFile(f)
	}
	defer git.Close()
	info, err := git.Enter("info")
	if err != nil {
		return nil
	}
	defer info.Close()
	return readIgnoreFile(info, "exclude")
}

// infoExcludeByFile is infoExcludeOf for a .git that is a file, which names the repository.
func infoExcludeByFile(f *guard.Folder) *ignoreFile {
	file, err := f.Open(dotGit)
	if err != nil {
		return nil
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 8<<10))
	if err != nil {
		return nil
	}
	return infoExcludeAt(f.Abs(), strings.TrimSpace(string(text)))
}
