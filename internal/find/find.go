// Package find lists, globs and searches a workspace. It only reads, and only through the guard: a path that may not be read
// does not appear, links are listed and never followed, and only regular files are opened. What to show of an answer, and
// how, is not its business.
//
// It leaves out what git and ripgrep leave out. In a git work tree the rules of .gitignore files apply, and those of the
// repository's info/exclude and of the person's own excludes file; rules in .ignore files apply everywhere. All are read as
// git reads them. Directories called .git and node_modules, and emend's store, are always left out; naming one as the root
// opens it.
//
// Answers are in the order of paths, byte by byte, however many goroutines search. If the tree changes meanwhile, an answer
// need not be its state at any one time: what comes and goes may be there or not.
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
	"github.com/emend-dev/emend/internal/watch"
)

// Options say where to look and what to leave out.
type Options struct {
	Root           guard.Entry // the directory; for a search also a file
	IncludeIgnored bool        // look also at what ignore rules leave out
	// SkipDirs, if it is not nil, replaces all ignore rules: directories with these names and the store are left out, and nothing
	// else.
	SkipDirs []string
	// Excludes is the text of the person's own excludes file.
	Excludes []byte
	// NamesOnly omits sizes and times from what List and Glob find: looking them up takes longer than finding the names.
	NamesOnly bool
	// Progress is called with the number of files looked at so far, by one goroutine at a time. It must return at once.
	Progress func(done int, what string)
	// Workers is the number of goroutines; 0 means one for each processor.
	Workers int
	// Watch, for Every, listens to each directory from before it is listed; nil for none.
	Watch *watch.Watch
	// RootOnly, for Every, enters no directory.
	RootOnly bool
}

func (o *Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Found is a name that List or Glob found.
type Found struct {
	Path    string // from the workspace
	Name    string
	Kind    guard.Kind
	Size    int64
	ModTime time.Time
	Depth   int // 1 for a name directly in the root of the search
}

// Summary is what every answer says besides what was found.
type Summary struct {
	More         bool // there is more than was asked for
	Files        int  // how many files were looked at
	Unreadable   int  // directories and files that could not be read
	CutLines     int  // lines of which only the beginning was searched
	StoppedAtNUL int  // files that were searched up to a NUL
}

// progress counts for all goroutines.
type progress struct {
	unreadable, done atomic.Int64
	reporting        sync.Mutex
}

// join returns the path of a name in a directory.
func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// rootPath returns the path of the root of a search, as the paths below it begin.
func rootPath(e guard.Entry) string {
	if e.Rel == "." {
		return ""
	}
	return e.Rel
}

// kindName returns the word that answers use for a kind.
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

// Type returns the word for the kind: directory, file, link or other.
func (f *Found) Type() string { return kindName(f.Kind) }

func errCancelled(ctx context.Context) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Msg: "the search was cancelled",
		Hint: "Nothing was changed; ask again, perhaps for less.", Cause: context.Cause(ctx)}
}

// isHidden reports whether a listing shows the name only on request.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") }
