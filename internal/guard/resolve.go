package guard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// Resolve finds where path leads, checks the rules, and describes what is there. It opens no file, except that for writing it
// reads the files called .git on the way, and the commondir of the git directories that they name.
func (g *Guard) Resolve(path string, a Request) (Entry, error) {
	v := g.NewBatch()
	defer v.Close()
	return v.Resolve(path, a)
}

// Resolve is [Guard.Resolve] with what the batch knows already.
func (b *Batch) Resolve(path string, a Request) (Entry, error) {
	names, followLast, err := b.g.parsePath(path, a)
	if err != nil {
		return Entry{}, err
	}
	b.mu.Lock()
	b.lookups++
	b.mu.Unlock()
	e, err := b.resolveOnce(path, a, names, followLast)
	for n := 1; n < maxAttempts && b.shouldRetry(err); n++ {
		e, err = b.resolveOnce(path, a, names, followLast)
	}
	if err != nil {
		return Entry{}, asRefusal(path, err)
	}
	return e, nil
}

// shouldRetry reports whether another attempt may succeed.
func (b *Batch) shouldRetry(err error) bool {
	if errors.Is(err, errMoved) {
		b.cache.clear()
		return true
	}
	return b.cache.disableIfExhausted(err)
}

func (b *Batch) resolveOnce(path string, a Request, names []string, followLast bool) (Entry, error) {
	g := b.g
	w := &pathWalk{guard: g, batch: b, path: path, known: a.Known, asked: a.Asked, check: g.checkBelow(a.Generated, path, a.Write, a.Asked)}
	defer w.close()
	w.judged = cleanNames(names)
	if err := w.check(w.judged); err != nil {
		return Entry{}, err
	}
	if runtime.GOOS == "windows" {
		if err := checkWindowsNames(path, w.judged); err != nil {
			return Entry{}, err
		}
	}
	if err := w.walkTo(names, followLast); err != nil {
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

// checkedEntry describes the file that the walk led to, and refuses it if the rules do.
func (w *pathWalk) checkedEntry(write bool) (Entry, error) {
	// The directory was opened by these names. They decide, whatever was checked on the way.
	names := w.names()
	if len(names) > w.guard.maxDepth {
		return Entry{}, w.guard.refuseTooDeep(w.path)
	}
	if !slices.Equal(names, w.judged) {
		if err := w.check(names); err != nil {
			return Entry{}, err
		}
	}
	if err := w.checkShortNames(names); err != nil {
		return Entry{}, err
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

// statLast looks at the file called by the last name; the root has no name, so it is looked at itself.
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
	e.Kind, e.File, e.Size, e.Mode, e.Links = is.kind(), is.id, is.size, is.mode, is.links
	e.ModTime, e.ChangeTime = is.mtime, is.ctime
	if e.Kind == Symlink {
		e.Target, err = w.readlink(name)
	}
	return err
}

// checkNewName refuses a new name that a person could not see or tell from another.
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

// Content is the content of a file when it was read, or the reason why it could not be read.
type Content struct {
	Data, Sum string
	Err       error
}

// Fetch resolves path, and loads it if it is a regular file of at most most bytes; otherwise the content is nil.
func (b *Batch) Fetch(ctx context.Context, path string, a Request, most int64) (Entry, *Content, error) {
	e, err := b.Resolve(path, a)
	if err != nil || e.Kind != Regular || e.Size > most {
		return e, nil, err
	}
	var c Content
	c.Data, c.Sum, c.Err = b.load(ctx, e, true)
	c.Err = asRefusal(e.Rel, c.Err)
	return e, &c, nil
}
