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

// walk goes down from the root along names. It stands in a directory that is open.
type walk struct {
	g     *Guard
	v     *Visit
	path  string                     // as the caller wrote it
	known bool                       // its names are not new
	judge func(names []string) error // asked about the path again whenever a link has changed it
	asks  *Asks                      // see [Ask.Asks]
	// judged are the names that were judged first: most paths are what they say.
	judged []string

	at    handle
	done  []string // the names from the root to at, none of them a link
	ghost []string // names below at that do not exist
	todo  []string
	last  []string // one name that is not followed, or none at the root
	is    info     // what has the last name
	links int
}

// names is where the walk came to.
func (w *walk) names() []string { return slices.Concat(w.done, w.ghost, w.last) }

func (w *walk) leave() {
	if w.at != nil {
		w.at.close()
		w.at = nil
	}
}

// to goes to the directory of the last name, or with all set follows the last name too and then steps back.
func (w *walk) to(names []string, all bool) error {
	if n := len(names); !all {
		names, w.last = names[:n-1], names[n-1:]
	}
	if err := w.follow(names); err != nil || !all {
		return err
	}
	switch {
	case len(w.ghost) > 0:
		w.ghost, w.last = cutLast(w.ghost)
	case len(w.done) > 0:
		_, w.last = cutLast(w.done)
		return w.up()
	}
	return nil
}

func cutLast(names []string) (rest, last []string) {
	n := len(names) - 1
	return names[:n:n], names[n:]
}

// follow goes down along names: in one step when they are all directories, else one by one.
func (w *walk) follow(names []string) error {
	if !slices.Contains(names, "..") && w.enter(names) == nil {
		return nil
	}
	if err := w.enter(nil); err != nil {
		return err
	}
	w.todo = names
	for len(w.todo) > 0 {
		name := w.todo[0]
		w.todo = w.todo[1:]
		if err := w.step(name); err != nil {
			return err
		}
	}
	return nil
}

// enter makes the directory at names, none of them a link, the one where the walk stands.
func (w *walk) enter(names []string) error {
	h, err := w.v.dirs.dir(names)
	if err != nil {
		return err
	}
	w.leave()
	w.at, w.done = h, names
	return nil
}

// reenter is enter for names that were directories a moment ago.
func (w *walk) reenter(names []string) error {
	err := w.enter(names)
	if errors.Is(err, errLink) || errors.Is(err, errNotDirectory) || errors.Is(err, fs.ErrNotExist) {
		return errMoved
	}
	return err
}

func (w *walk) step(name string) error {
	switch {
	case name == "..":
		return w.up()
	case len(w.ghost) > 0:
		w.ghost = append(w.ghost, name)
		return nil
	}
	is, err := w.at.stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		w.ghost = []string{name}
		return nil
	}
	if err != nil {
		return err
	}
	return w.pass(name, is.kind())
}

// pass goes through what exists.
func (w *walk) pass(name string, kind Kind) error {
	names := append(slices.Clip(w.done), name)
	if len(names) > w.g.depth {
		return w.g.tooDeep(w.path)
	}
	switch kind {
	case Directory:
		return w.reenter(names)
	case Symlink:
		return w.expand(name)
	}
	return notDirectory(w.path, strings.Join(names, "/"))
}

// up is "..". Below a directory that does not exist it takes back one name.
func (w *walk) up() error {
	if n := len(w.ghost); n > 0 {
		w.ghost = w.ghost[:n-1]
		return nil
	}
	if len(w.done) == 0 {
		return outside(w.path, fmt.Sprintf("%s leaves the workspace", fail.Quote(w.path)))
	}
	rest, _ := cutLast(w.done)
	return w.reenter(rest)
}

// expand puts what a link says in front of the names that are still to do.
func (w *walk) expand(name string) error {
	link := strings.Join(append(slices.Clip(w.done), name), "/")
	if err := w.count(link); err != nil {
		return err
	}
	target, err := w.readlink(name)
	if err != nil {
		return err
	}
	names := split(filepath.ToSlash(target))
	if filepath.IsAbs(target) {
		if names, err = w.absolute(link, target, true); err != nil {
			return err
		}
	}
	w.todo = slices.Concat(names, w.todo)
	return w.judge(lexical(slices.Concat(w.done, w.todo, w.last)))
}

// count stops a walk through too many links.
func (w *walk) count(link string) error {
	if w.links++; w.links <= maxLinks {
		return nil
	}
	return badArgument(w.path, fmt.Sprintf("the links at %s lead in a circle", fail.Quote(link)),
		"Mend the link, or name the file without it.")
}

// through goes on from the link e, which is the last name, to the directory of its target.
func (w *walk) through(e Entry) error {
	if err := w.count(e.Rel); err != nil {
		return err
	}
	target, names := filepath.ToSlash(e.Target), slices.Clip(w.done)
	all := endsInDots(target) || strings.HasSuffix(target, "/")
	if filepath.IsAbs(e.Target) {
		var err error
		if names, err = w.absolute(e.Rel, e.Target, all); err != nil {
			return err
		}
	} else {
		names = append(names, split(target)...)
	}
	w.last = nil
	if err := w.judge(lexical(names)); err != nil {
		return err
	}
	return w.to(names, all || len(names) == 0)
}

// absolute starts again from the root for a link with an absolute target. all: the target's last name is followed.
func (w *walk) absolute(link, target string, all bool) ([]string, error) {
	names, ok := w.g.inside(target, all)
	if !ok {
		return nil, outside(w.path, fmt.Sprintf("the link %s leads outside the workspace, to %s",
			fail.Quote(link), fail.Quote(target)))
	}
	return names, w.reenter(nil)
}

// readlink reads what was a link a moment ago.
func (w *walk) readlink(name string) (string, error) {
	target, err := w.at.readlink(name)
	if err != nil {
		return "", errMoved
	}
	return target, nil
}

// lexical takes "a/.." out of names without asking the disk. It returns nil for names that leave the root so:
// those are for the walk to judge.
func lexical(names []string) []string {
	out := make([]string, 0, len(names))
	for _, name := range names {
		if name != ".." {
			out = append(out, name)
			continue
		}
		if len(out) == 0 {
			return nil
		}
		out = out[:len(out)-1]
	}
	return out
}
