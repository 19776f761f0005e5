package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/fail"
)

// Ask says how a path is meant.
type Request struct {
	Base     string // slash path of the caller's directory relative to the root; "" or "." is the root
	Absolute bool   // an absolute path inside the root is made relative instead of refused
	Known    bool   // the path is not new, though nothing may have it now: it had a file, as the log knows
	Write    bool   // judge the policy for writing (create, replace, delete, move), else for reading
	// Follow: a link as the last name leads on to its target, as long as that is inside; both names are judged. For
	// what reads a file, and where [Options] let it for what changes one in its place; deleting and moving are done to
	// the link itself.
	Follow bool
	// Asks collects what the policy wants a person to be asked about, which is then no reason to refuse: whoever gives it
	// asks before anything comes of the call. It goes with the entry, to what reads the file.
	Asked *AskedPaths
}

// Entry is where a path leads and what is there.
type Entry struct {
	// Rel is the slash path from the root, the links in the middle resolved, the last name as given or, when it
	// was followed, as the link says.
	Rel  string
	Via  string // the path of the link that was followed as the last name, the first of them if there were more
	Kind Kind
	// HasParent: the directory that has, or would have, the last name exists.
	HasParent bool
	// Place is the parent directory and the last name: equal for two spellings of one path. When the parent is
	// missing it is the deepest directory that exists and the names from there on.
	Place Identity
	// File is equal for hard links; zero when nothing is there.
	File    Identity
	Size    int64
	Mode    fs.FileMode
	ModTime time.Time
	Links   uint64
	Target  string // what a symbolic link says

	asked *AskedPaths
}

// attempts is how often a walk begins again because directories and links changed under it.
const maxAttempts = 16

// Resolve resolves path as a caller wrote it, judges the policy, and says what is there. It opens no file, except
// that a file called .git at the root is read for the directory it points to.
func (g *Guard) Resolve(path string, a Request) (Entry, error) {
	v := g.NewBatch()
	defer v.Close()
	return v.Resolve(path, a)
}

// Resolve is [Guard.Resolve] with what the visit knows.
func (v *Batch) Resolve(path string, a Request) (Entry, error) {
	names, all, err := v.g.parsePath(path, a)
	if err != nil {
		return Entry{}, err
	}
	v.mu.Lock()
	v.lookups++
	v.mu.Unlock()
	e, err := v.resolveOnce(path, a, names, all)
	for n := 1; n < maxAttempts && v.shouldRetry(err); n++ {
		e, err = v.resolveOnce(path, a, names, all)
	}
	if err != nil {
		return Entry{}, asRefusal(path, err)
	}
	return e, nil
}

// retry reports whether another look may do better.
func (v *Batch) shouldRetry(err error) bool {
	if errors.Is(err, errMoved) {
		v.dirs.clear()
		return true
	}
	return v.dirs.disableIfExhausted(err)
}

func (v *Batch) resolveOnce(path string, a Request, names []string, all bool) (Entry, error) {
	g := v.g
	w := &pathWalk{g: g, v: v, path: path, known: a.Known, asked: a.Asked, check: g.checkFor(path, a.Write, a.Asked)}
	defer w.close()
	w.judged = cleanNames(names)
	if err := w.check(w.judged); err != nil {
		return Entry{}, err
	}
	if err := w.walkTo(names, all); err != nil {
		return Entry{}, err
	}
	e, err := w.checkedEntry(a.Write)
	for via := e.Rel; err == nil && e.Kind == Symlink && a.Follow && (g.followLinks || !a.Write); e.Via = via {
		if err = w.followLastLink(e); err == nil {
			e, err = w.checkedEntry(a.Write)
		}
	}
	return e, err
}

// entry says what is where the walk came to.
func (w *pathWalk) checkedEntry(write bool) (Entry, error) {
	// These are the names by which the directory was opened: whatever was judged on the way, they count.
	names := w.names()
	if len(names) > w.g.maxDepth {
		return Entry{}, w.g.refuseTooDeep(w.path)
	}
	if !slices.Equal(names, w.judged) {
		if err := w.check(names); err != nil {
			return Entry{}, err
		}
	}
	e, err := w.describe()
	if err != nil || !write {
		return e, err
	}
	if e.Rel == "." {
		return e, refuseArgument(w.path, fail.Quote(w.path)+" is the workspace itself", "Name a path inside the workspace.")
	}
	for _, check := range []func(Entry) error{w.checkProtectedDirs, w.checkMount, w.checkHardLink, w.checkNewName} {
		if err := check(e); err != nil {
			return e, err
		}
	}
	return e, nil
}

func (w *pathWalk) describe() (Entry, error) {
	e := Entry{Rel: ".", asked: w.asked}
	if names := w.names(); len(names) > 0 {
		e.Rel = strings.Join(names, "/")
	}
	id, err := w.dir.identity()
	if err != nil {
		return e, err
	}
	e.HasParent = len(w.missing) == 0
	e.Place = Identity{id.Dev, id.Ino, strings.Join(slices.Concat(w.missing, w.last), "/")}
	if !e.HasParent {
		return e, nil
	}
	return e, w.statLast(&e)
}

// fill asks what has the last name; a root has none, so it is asked for itself.
func (w *pathWalk) statLast(e *Entry) error {
	name := "."
	if len(w.last) > 0 {
		name = w.last[0]
	}
	is, err := w.dir.stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	w.lastInfo = is
	e.Kind, e.File, e.Size, e.Mode, e.ModTime, e.Links = is.kind(), is.openRegular, is.size, is.mode, is.mtime, is.links
	if e.Kind == Symlink {
		e.Target, err = w.readlink(name)
	}
	return err
}

// checkNew refuses to make names that a person could not see or tell apart.
func (w *pathWalk) checkNewName(e Entry) error {
	if e.Kind != Missing || w.known {
		return nil
	}
	for _, name := range slices.Concat(w.missing, w.last) {
		if i := strings.IndexFunc(name, isInvisible); i >= 0 {
			r := []rune(name[i:])[0]
			return refuseArgument(w.path, fmt.Sprintf("a new name has the invisible character %U: %s", r, fail.Quote(name)),
				"Use a name without control, direction and zero-width characters.")
		}
	}
	return nil
}
