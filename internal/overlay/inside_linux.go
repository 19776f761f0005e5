//go:build amd64 || arm64

package overlay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/vfs"
)

// oneChange adds a directory as one change with all that is in it, if it is to be one and can be. upper is -1 if the directory is
// deleted; whole says that the layer has all of it.
func (p *parser) oneChange(upper, lower int, name string, c Change, whole bool) (done bool, err error) {
	if p.whole == nil || !whole || c.Old != nil && !c.Old.Mode.IsDir() || !p.whole(c.Path) {
		return false, nil
	}
	for _, side := range []struct {
		at    int
		there bool
		mark  string
		to    **Inside
	}{{upper, upper >= 0, p.l.Xattr + "overlay.", &c.Inside}, {lower, c.Old != nil, "", &c.OldInside}} {
		if !side.there {
			continue
		}
		if *side.to, err = insideOf(side.at, name, c.Path, side.mark); errors.Is(err, errNotPlain) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", c.Path, err)
		}
	}
	c.Whole = c.Kind == Dir
	p.out = append(p.out, c)
	return true, nil
}

// errNotPlain says that there is something in a directory that makes it more than one change.
var errNotPlain = errors.New("not a plain directory")

// insideOf lists what is in the directory called name, whose path is rel. mark is what the names of the overlay's marks begin with, ""
// where there are none.
func insideOf(at int, name, rel, mark string) (*Inside, error) {
	var st unix.Stat_t
	if err := statAt(at, name, &st); err != nil {
		return nil, err
	}
	w := &insideWalk{mark: mark, top: rel, device: uint64(st.Dev), sum: vfs.NewDirSum(), in: &Inside{}}
	if st.Mode&0o700 != 0o700 {
		return nil, errNotPlain
	}
	if err := w.note(fmt.Sprintf("/proc/self/fd/%d/%s", at, name), rel); err != nil {
		return nil, err
	}
	if err := w.dir(at, name, rel, 0); err != nil {
		return nil, err
	}
	w.in.Sum, w.in.Files, w.in.Bytes = w.sum.String(), w.sum.Files, w.sum.Bytes
	return w.in, nil
}

// insideWalk goes through a directory that may be one change.
type insideWalk struct {
	mark, top string
	device    uint64
	sum       *vfs.DirSum
	in        *Inside
}

func (w *insideWalk) dir(at int, name, rel string, deep int) error {
	if deep > maxDepth/4 {
		return errNotPlain
	}
	fd, err := openDirAt(at, name)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	names, err := namesIn(fd, ".")
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, n := range names {
		if err := w.entry(fd, n, rel+"/"+n, deep); err != nil {
			return err
		}
	}
	return nil
}

func (w *insideWalk) entry(fd int, name, rel string, deep int) error {
	var st unix.Stat_t
	if err := statAt(fd, name, &st); err != nil {
		return err
	}
	is := infoOf(&st)
	switch {
	case !utf8.ValidString(name), uint64(st.Dev) != w.device:
		return errNotPlain
	case is.Mode.IsDir():
		if st.Mode&0o700 != 0o700 {
			return errNotPlain
		}
	case is.Mode&(fs.ModeSetuid|fs.ModeSetgid) != 0, !is.Mode.IsRegular() && is.Mode&fs.ModeSymlink == 0:
		return errNotPlain
	}
	if w.mark != "" {
		if err := w.note(fmt.Sprintf("/proc/self/fd/%d/%s", fd, name), rel); err != nil {
			return err
		}
	}
	if is.ChangeTime.After(w.in.newest) {
		w.in.newest = is.ChangeTime
	}
	link := ""
	if is.Mode&fs.ModeSymlink != 0 {
		var err error
		if link, err = readlinkAt(fd, name); err != nil {
			return err
		}
	}
	w.in.Paths = append(w.in.Paths, rel)
	w.sum.Add(rel[len(w.top)+1:], is, link)
	if !is.Mode.IsDir() {
		return nil
	}
	return w.dir(fd, name, rel, deep+1)
}

// note notes a name with marks of the overlay. Some marks say that what is there is not what it seems.
func (w *insideWalk) note(file, rel string) error {
	if w.mark == "" {
		return nil
	}
	var buf [1024]byte
	n, err := unix.Llistxattr(file, buf[:])
	if err == unix.ERANGE {
		return errNotPlain
	}
	if err != nil {
		return &os.PathError{Op: "list attributes", Path: rel, Err: err}
	}
	if n == 0 {
		return nil
	}
	marked := false
	for attr := range strings.SplitSeq(string(buf[:n]), "\x00") {
		mark, ok := strings.CutPrefix(attr, w.mark)
		if marked = marked || ok; !ok {
			continue
		}
		switch mark {
		case "whiteout", "redirect", "metacopy":
			return errNotPlain
		}
	}
	if marked {
		w.in.marked = append(w.in.marked, rel)
	}
	return nil
}

// checkInside judges what is in a directory that goes as one change.
func (g *gate) checkInside(c *Change) {
	now, err := insideOf(g.last.fd, path.Base(c.Path), c.Path, "")
	switch {
	case err != nil || now.Sum != c.OldInside.Sum:
		g.say(c.Path, "somebody changed something in it just now")
	case !now.newest.Before(g.begin):
		g.say(c.Path, "somebody changed something in it while the command ran")
	}
}
