package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// maxLinks is how many links one path may pass through, as in Linux.
const maxLinks = 40

// pathWalk goes down from the root along names. It stands in a directory that is open.
type pathWalk struct {
	guard *Guard
	batch *Batch
	path  string                     // as the caller wrote it
	known bool                       // see [Request.Known]
	check func(names []string) error // called again whenever a link has changed the path
	asked *AskedPaths                // see [Request.Asked]
	// judged are the names that were checked first. Most paths turn out to be just those.
	judged []string

	dir      handle
	resolved []string // the names from the root to dir, none of them a link
	missing  []string // names below dir that do not exist
	pending  []string
	last     []string // one name that is not followed, or none at the root
	lastInfo fileInfo // describes what has the last name
	links    int
}

// names returns the names that lead to where the walk is.
func (w *pathWalk) names() []string { return slices.Concat(w.resolved, w.missing, w.last) }

func (w *pathWalk) close() {
	if w.dir != nil {
		w.dir.close()
		w.dir = nil
	}
}

// walkTo goes to the directory of the last name. With followLast it follows the last name too and then steps back.
func (w *pathWalk) walkTo(names []string, followLast bool) error {
	if n := len(names); !followLast {
		names, w.last = names[:n-1], names[n-1:]
	}
	if err := w.walkDown(names); err != nil || !followLast {
		return err
	}
	switch {
	case len(w.missing) > 0:
		w.missing, w.last = splitLast(w.missing)
	case len(w.resolved) > 0:
		_, w.last = splitLast(w.resolved)
		return w.stepUp()
	}
	return nil
}

// walkDown goes down along names: in one step if they are all directories, otherwise one by one.
func (w *pathWalk) walkDown(names []string) error {
	if !slices.Contains(names, "..") && w.enterDir(names) == nil {
		return nil
	}
	if err := w.enterDir(nil); err != nil {
		return err
	}
	w.pending = names
	for len(w.pending) > 0 {
		name := w.pending[0]
		w.pending = w.pending[1:]
		if err := w.step(name); err != nil {
			return err
		}
	}
	return nil
}

// enterDir moves the walk to the directory at names, none of which is a link.
func (w *pathWalk) enterDir(names []string) error {
	h, err := w.batch.cache.openDir(names)
	if err != nil {
		return err
	}
	w.close()
	w.dir, w.resolved = h, names
	return nil
}

// reenterDir is enterDir for names that were directories a moment ago.
func (w *pathWalk) reenterDir(names []string) error {
	err := w.enterDir(names)
	if errors.Is(err, errLink) || errors.Is(err, errNotDirectory) || errors.Is(err, fs.ErrNotExist) {
		return errMoved
	}
	return err
}

func (w *pathWalk) step(name string) error {
	switch {
	case name == "..":
		return w.stepUp()
	case len(w.missing) > 0:
		w.missing = append(w.missing, name)
		return nil
	}
	is, err := w.dir.stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		w.missing = []string{name}
		return nil
	}
	if err != nil {
		return err
	}
	return w.stepThrough(name, is.kind())
}

// stepThrough goes through an existing file.
func (w *pathWalk) stepThrough(name string, kind Kind) error {
	names := append(slices.Clip(w.resolved), name)
	if len(names) > w.guard.maxDepth {
		return w.guard.refuseTooDeep(w.path)
	}
	switch kind {
	case Directory:
		return w.reenterDir(names)
	case Symlink:
		return w.followLink(name)
	}
	return refuseNotDirectory(w.path, strings.Join(names, "/"))
}

// stepUp is "..". Below a directory that does not exist it drops one name.
func (w *pathWalk) stepUp() error {
	if n := len(w.missing); n > 0 {
		w.missing = w.missing[:n-1]
		return nil
	}
	if len(w.resolved) == 0 {
		return refuseOutside(w.path, fmt.Sprintf("%s leaves the workspace", fail.Quote(w.path)))
	}
	rest, _ := splitLast(w.resolved)
	return w.reenterDir(rest)
}

// followLink puts the target of a link in front of the pending names.
func (w *pathWalk) followLink(name string) error {
	link := strings.Join(append(slices.Clip(w.resolved), name), "/")
	if err := w.countLink(link); err != nil {
		return err
	}
	target, err := w.readlink(name)
	if err != nil {
		return err
	}
	names := splitNames(filepath.ToSlash(target))
	if filepath.IsAbs(target) {
		if names, err = w.parseAbsoluteLink(link, target, true); err != nil {
			return err
		}
	}
	w.pending = slices.Concat(names, w.pending)
	return w.check(cleanNames(slices.Concat(w.resolved, w.pending, w.last)))
}

// countLink stops a walk through too many links.
func (w *pathWalk) countLink(link string) error {
	if w.links++; w.links <= maxLinks {
		return nil
	}
	return refuseArgument(w.path, fmt.Sprintf("the links at %s lead in a circle", fail.Quote(link)),
		"Mend the link, or name the file without it.")
}

// followLastLink goes on from the link e, which is the last name, to the directory of its target.
func (w *pathWalk) followLastLink(e Entry) error {
	if err := w.countLink(e.Rel); err != nil {
		return err
	}
	target, names := filepath.ToSlash(e.Target), slices.Clip(w.resolved)
	followLast := endsInDots(target) || strings.HasSuffix(target, "/")
	if filepath.IsAbs(e.Target) {
		var err error
		if names, err = w.parseAbsoluteLink(e.Rel, e.Target, followLast); err != nil {
			return err
		}
	} else {
		names = append(names, splitNames(target)...)
	}
	w.last = nil
	if err := w.check(cleanNames(names)); err != nil {
		return err
	}
	return w.walkTo(names, followLast || len(names) == 0)
}

// parseAbsoluteLink starts again from the root for a link with an absolute target. With followLast the target's last name is
// followed.
func (w *pathWalk) parseAbsoluteLink(link, target string, followLast bool) ([]string, error) {
	names, ok := w.guard.namesInside(target, followLast)
	if !ok {
		return nil, refuseOutside(w.path, fmt.Sprintf("the link %s leads outside the workspace, to %s",
			fail.Quote(link), fail.Quote(target)))
	}
	return names, w.reenterDir(nil)
}

// readlink reads what was a link a moment ago.
func (w *pathWalk) readlink(name string) (string, error) {
	target, err := w.dir.readlink(name)
	if err != nil {
		return "", errMoved
	}
	return target, nil
}
