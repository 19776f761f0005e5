// Package find lists, globs and searches a workspace. It only reads, and only through the guard: what may not be read
// does not turn up, links are listed and never followed, and nothing but regular files is opened.
//
// What it leaves out is what git and ripgrep would: the rules of .gitignore files, of a repository's info/exclude and
// of the person's own excludes file count in a git work tree, those of .ignore files everywhere, and each is as git reads
// it. Directories called .git and node_modules, and emend's store, are left out always; naming one as the root opens it.
//
// It answers in the order of paths, byte by byte, however many goroutines look. It does not promise one state of a tree
// that changes meanwhile: what comes and goes may be there or not.
package find

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/guard"
)

// Options say where to look and what to leave out.
type Options struct {
	Root           guard.Entry // the directory; for a search also a file
	IncludeIgnored bool        // look also at what ignore rules leave out
	// LeaveOut, when it is not nil, takes the place of all rules: directories with these names are left out, and no
	// others.
	SkipDirs []string
	// Excludes is the text of the person's own excludes file.
	Excludes []byte
	// Bare leaves sizes and times out of what List and Glob find: to learn them takes longer than to find it.
	NamesOnly bool
	// Progress is told how many files were looked at, by one goroutine at a time, and must return at once.
	Progress func(done int, what string)
	// Workers is how many goroutines look; 0 is one for each processor.
	Workers int
}

func (o *Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Found is one name that was asked for.
type Found struct {
	Path    string // from the workspace
	Name    string
	Kind    guard.Kind
	Size    int64
	ModTime time.Time
	Depth   int // 1 for what is directly in the root of the search
}

// Outcome is what every answer says beside what was found.
type Summary struct {
	More         bool // there is more than was asked for
	Files        int  // how many files were looked at
	Unreadable   int  // directories and files that could not be read
	CutLines     int  // lines of which only the beginning was searched
	StoppedAtNUL int  // files that were searched up to a NUL
}

// counter counts over all goroutines.
type progress struct {
	unreadable, done atomic.Int64
	reporting        sync.Mutex
}

// join is the path of a name in a directory.
func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// rootPath is the path of the root of a search as the paths below it begin.
func rootPath(e guard.Entry) string {
	if e.Rel == "." {
		return ""
	}
	return e.Rel
}

// words are the kinds as answers name them.
func kindName(k guard.Kind) string {
	switch k {
	case guard.Directory:
		return "directory"
	case guard.Regular:
		return "file"
	case guard.Symlink:
		return "link"
	}
	return "other"
}

// Type is the word for what it is: directory, file, link or other.
func (f *Found) Type() string { return kindName(f.Kind) }

func errCancelled(ctx context.Context) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Msg: "the search was cancelled",
		Hint: "Nothing was changed; ask again, perhaps for less.", Cause: context.Cause(ctx)}
}

// hidden reports whether a listing shows the name only on request.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") }
