package guard

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs"
)

// OpenDir opens the directory at the slash path rel, "." for the root, for a commit to work in and to sync. It is reached by
// these very names: if one is a link the error is [fail.Stale], and another mount is refused by its name. The rules are not
// checked, since Resolve did that.
func (g *Guard) OpenDir(rel string) (vfs.Dir, error) {
	if !fs.ValidPath(rel) {
		return nil, refuseArgument(rel, "not a path that was looked at: "+fail.Quote(rel), "Look at the path first.")
	}
	names := splitNames(rel)
	d, err := g.tree.open(names)
	if errors.Is(err, errMount) {
		err = g.refuseMount(rel, names)
	}
	return d, asRefusal(rel, err)
}

// checkMount refuses to change a file on another mount than the root: no rename reaches it, so no commit could be whole. The
// file itself may be a mount point, as well as a directory.
func (w *pathWalk) checkMount(e Entry) error {
	name, is := ".", fileInfo{}
	if e.Kind != Missing {
		name, is = w.last[0], w.lastInfo
	}
	mount, err := is.mount, error(nil)
	if !is.hasMount {
		mount, err = w.dir.mount(name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errMoved
	case err != nil || mount == w.guard.rootMount:
		return err
	}
	return w.guard.refuseMount(w.path, w.names())
}

// refuseMount refuses a path through a mount point, and names that.
func (g *Guard) refuseMount(path string, names []string) error {
	at := strings.Join(names[:g.namesToMount(names)], "/")
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.MountPoint, Path: path,
		Msg:  fail.Quote(at) + " is a mount point, and what is mounted there cannot be changed together with the workspace",
		Hint: "Open what is mounted there as a workspace of its own, or unmount it."}
}

// namesToMount returns how many of the names lead to the first directory on another mount than the root; all of them if no
// directory is, or if they are changing.
func (g *Guard) namesToMount(names []string) int {
	for n := 1; n < len(names); n++ {
		h, err := g.tree.openDir(names[:n])
		if err != nil {
			break
		}
		mount, err := h.mount(".")
		h.close()
		if err == nil && mount != g.rootMount {
			return n
		}
	}
	return len(names)
}
