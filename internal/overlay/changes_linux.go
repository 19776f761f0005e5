//go:build amd64 || arm64

package overlay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/vfs"
)

// Changes returns what the layer makes of the directory as it is now, sorted so that a directory comes before what is in it. Files
// that the layer has as the directory has them, with content, owner, mode and attributes, are no changes; nor are times alone.
// What a removed or replaced directory has now is deleted name by name.
func (l *Layer) Changes() ([]Change, error) { return l.ChangesWhole(nil) }

// ChangesWhole is Changes, but a directory that is new, replaces another, or is gone is one change with all that is in it, if whole says
// so of its path. A directory with a special file, a set-user-ID bit, a directory that its owner may not enter, or a name that is
// not valid UTF-8 in it is not.
func (l *Layer) ChangesWhole(whole func(path string) bool) ([]Change, error) {
	upper, err := openDirAt(unix.AT_FDCWD, l.upper())
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: l.upper(), Err: err}
	}
	defer unix.Close(upper)
	lower, err := openDirAt(unix.AT_FDCWD, l.Root)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: l.Root, Err: err}
	}
	defer unix.Close(lower)
	p := &parser{l: l, whole: whole}
	if err := p.top(upper, lower); err != nil {
		return nil, err
	}
	if err := p.dir(upper, lower, ".", false); err != nil {
		return nil, err
	}
	return p.out, nil
}

// parser walks the layer and the directory together, by handles: no name leads elsewhere.
type parser struct {
	l     *Layer
	whole func(path string) bool // see ChangesWhole; nil for none
	out   []Change
}

// maxDepth is the depth up to which two directories are open for each level.
const maxDepth = 2000

// dir compares a directory of the layer with that of the same name below it, -1 for none. whole says that the layer's hides
// the other.
func (p *parser) dir(upper, lower int, rel string, whole bool) error {
	if len(rel) > maxDepth && depth(rel) > maxDepth {
		return fmt.Errorf("%s: directories are nested more than %d deep", rel[:80]+"…", maxDepth)
	}
	names, err := namesIn(upper, ".")
	if err != nil {
		return fmt.Errorf("%s: %w", rel, err)
	}
	in := map[string]bool{}
	for _, n := range names {
		in[n] = true
	}
	if whole && lower >= 0 {
		old, err := namesIn(lower, ".")
		if err != nil {
			return fmt.Errorf("%s: %w", rel, err)
		}
		for _, n := range old {
			if !in[n] {
				names = append(names, n)
			}
		}
	}
	slices.Sort(names)
	for _, n := range names {
		at := join(rel, n)
		if p.l.Root+"/"+at == p.l.Dir {
			continue
		}
		if !in[n] {
			err = p.deleted(lower, n, at)
		} else {
			err = p.entry(upper, lower, n, at, whole)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// top compares the two directories themselves.
func (p *parser) top(upper, lower int) error {
	var u, l unix.Stat_t
	if err := errors.Join(unix.Fstat(upper, &u), unix.Fstat(lower, &l)); err != nil {
		return err
	}
	old := infoOf(&l)
	c := Change{Path: ".", Kind: Dir, New: infoOf(&u), Old: &old, SameContent: true}
	if attributesDiffer(&c) {
		p.out = append(p.out, c)
	}
	return nil
}

// entry compares one name of the layer.
func (p *parser) entry(upper, lower int, name, rel string, whole bool) error {
	var st unix.Stat_t
	if err := statAt(upper, name, &st); err != nil {
		return fmt.Errorf("%s: %w", rel, err)
	}
	marks := fmt.Sprintf("/proc/self/fd/%d/%s", upper, name)
	if p.isWhiteout(&st, marks) {
		return p.deleted(lower, name, rel)
	}
	for _, mark := range []string{"redirect", "metacopy"} {
		if p.mark(marks, mark) != "" {
			return fmt.Errorf("%s: the layer says %q of it, which this version of emend does not read", rel, mark)
		}
	}
	old, err := oldAt(lower, name)
	if err != nil {
		return fmt.Errorf("%s: %w", rel, err)
	}
	c := Change{Path: rel, Kind: kindOf(vfs.FileMode(st.Mode)), New: infoOf(&st), Old: old}
	if c.Kind == Dir {
		// A directory that was copied up has an origin. A new one has none; it is opaque only where something was removed before.
		whole = whole || p.mark(marks, "opaque") == "y" || !p.hasMark(marks, "origin")
		if done, err := p.oneChange(upper, lower, name, c, whole); done || err != nil {
			return err
		}
		return p.subdir(upper, lower, name, c, whole, marks)
	}
	_, known := slices.BinarySearch(p.l.Copied, rel)
	c.copied = known || p.hasMark(marks, "origin")
	if c.Kind == Symlink {
		if c.Target, err = readlinkAt(upper, name); err != nil {
			return fmt.Errorf("%s: %w", rel, err)
		}
	}
	same, err := p.compare(upper, lower, name, &c)
	if err != nil {
		return fmt.Errorf("%s: %w", rel, err)
	}
	if !same {
		p.out = append(p.out, c)
	}
	if old != nil && old.Mode.IsDir() {
		return p.deletedBelow(lower, name, rel)
	}
	return nil
}

// subdir compares a directory of the layer.
func (p *parser) subdir(upper, lower int, name string, c Change, whole bool, marks string) error {
	u, err := openDirAt(upper, name)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	defer unix.Close(u)
	var st unix.Stat_t
	if err := unix.Fstat(u, &st); err != nil {
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	if st.Mode&0o500 != 0o500 { // the command took from its owner the right to read it or to enter it
		if err := unix.Chmod(marks, 0o700); err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
		defer unix.Chmod(marks, st.Mode&0o7777)
	}
	low := -1
	if c.Old != nil && c.Old.Mode.IsDir() {
		if low, err = openDirAt(lower, name); err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
		defer unix.Close(low)
	}
	c.removed = low < 0 && !whole
	c.Whole = whole
	c.SameContent = low >= 0
	if low < 0 || attributesDiffer(&c) || !maps.EqualFunc(p.attributes(marks), p.attributes(fmt.Sprintf("/proc/self/fd/%d/%s", lower, name)), bytes.Equal) {
		p.out = append(p.out, c)
	}
	return p.dir(u, low, c.Path, whole)
}

// deleted notes that a name of the directory, and all below it, is gone.
func (p *parser) deleted(lower int, name, rel string) error {
	old, err := oldAt(lower, name)
	if err != nil || old == nil || p.l.Root+"/"+rel == p.l.Dir {
		return err
	}
	if done, err := p.oneChange(-1, lower, name, Change{Path: rel, Kind: Deleted, Old: old}, true); done || err != nil {
		return err
	}
	p.out = append(p.out, Change{Path: rel, Kind: Deleted, Old: old})
	if !old.Mode.IsDir() {
		return nil
	}
	return p.deletedBelow(lower, name, rel)
}

func (p *parser) deletedBelow(lower int, name, rel string) error {
	dir, err := openDirAt(lower, name)
	if err != nil {
		return fmt.Errorf("%s: %w", rel, err)
	}
	defer unix.Close(dir)
	names, err := namesIn(dir, ".")
	if err != nil {
		return fmt.Errorf("%s: %w", rel, err)
	}
	slices.Sort(names)
	for _, n := range names {
		if err := p.deleted(dir, n, join(rel, n)); err != nil {
			return err
		}
	}
	return nil
}

// isWhiteout recognises both forms of "there is nothing": a device that does not exist, and an empty file with a mark.
func (p *parser) isWhiteout(st *unix.Stat_t, path string) bool {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFCHR:
		return st.Rdev == 0
	case unix.S_IFREG:
		return st.Size == 0 && p.hasMark(path, "whiteout")
	}
	return false
}

func (p *parser) mark(path, name string) string {
	var b [256]byte
	n, err := unix.Lgetxattr(path, p.l.Xattr+"overlay."+name, b[:])
	if err == unix.ERANGE {
		return "long"
	}
	return string(b[:max(n, 0)])
}

func (p *parser) hasMark(path, name string) bool {
	_, err := unix.Lgetxattr(path, p.l.Xattr+"overlay."+name, nil)
	return err == nil
}

// attributes returns the extended attributes without the overlay's marks.
func (p *parser) attributes(path string) map[string][]byte {
	return xattrs(path, p.l.Xattr+"overlay.")
}

// compare reports whether the layer has what the directory has, and sets SameContent if only the rest differs.
func (p *parser) compare(upper, lower int, name string, c *Change) (same bool, err error) {
	if c.Old == nil || c.Old.Mode.Type() != c.New.Mode.Type() {
		return false, nil
	}
	switch c.Kind {
	case File:
		if c.Old.Size != c.New.Size {
			return false, nil
		}
		if c.SameContent, err = sameContent(upper, lower, name); err != nil {
			return false, err
		}
	case Symlink:
		target, err := readlinkAt(lower, name)
		if err != nil {
			return false, err
		}
		c.SameContent = target == c.Target
	case Special:
		var a, b unix.Stat_t
		if err := errors.Join(statAt(upper, name, &a), statAt(lower, name, &b)); err != nil {
			return false, err
		}
		c.SameContent = a.Rdev == b.Rdev
	}
	if !c.SameContent || attributesDiffer(c) {
		return false, nil
	}
	u, l := p.attributes(fmt.Sprintf("/proc/self/fd/%d/%s", upper, name)), p.attributes(fmt.Sprintf("/proc/self/fd/%d/%s", lower, name))
	return maps.EqualFunc(u, l, bytes.Equal), nil
}

func attributesDiffer(c *Change) bool {
	return c.Old.Mode != c.New.Mode || c.Old.UID != c.New.UID || c.Old.GID != c.New.GID
}

// sameContent compares two files of one size. One that cannot be read counts as different.
func sameContent(upper, lower int, name string) (bool, error) {
	a, err := openFileAt(upper, name)
	if errors.Is(err, unix.EACCES) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer a.Close()
	b, err := openFileAt(lower, name)
	if errors.Is(err, unix.EACCES) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer b.Close()
	x, y := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(a, x)
		m, berr := io.ReadFull(b, y)
		if !bytes.Equal(x[:n], y[:m]) {
			return false, nil
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return berr == err, nil
		}
		if err := errors.Join(err, berr); err != nil {
			return false, err
		}
	}
}

// openFileAt opens a file for reading. It does not wait for the other end of a fifo that took its name.
func openFileAt(dir int, name string) (*os.File, error) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

func statAt(dir int, name string, st *unix.Stat_t) error {
	return unix.Fstatat(dir, name, st, unix.AT_SYMLINK_NOFOLLOW)
}

// oldAt describes a name of the directory; nil if there is nothing, or no directory.
func oldAt(lower int, name string) (*vfs.Info, error) {
	if lower < 0 {
		return nil, nil
	}
	var st unix.Stat_t
	err := statAt(lower, name, &st)
	if err == unix.ENOENT {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	i := infoOf(&st)
	return &i, nil
}

func infoOf(st *unix.Stat_t) vfs.Info {
	return vfs.Info{
		ID: vfs.ID{Dev: uint64(st.Dev), Ino: st.Ino}, Mode: vfs.FileMode(st.Mode), Size: st.Size, Links: uint64(st.Nlink), UID: st.Uid, GID: st.Gid,
		ModTime: time.Unix(st.Mtim.Unix()), ChangeTime: time.Unix(st.Ctim.Unix()),
	}
}

func depth(rel string) (n int) {
	for ; rel != "."; rel = path.Dir(rel) {
		n++
	}
	return n
}

// errMoved is the error of OldSum for a file that is not the one that Changes saw.
var errMoved = errors.New("somebody changed it just now")

// OldSum returns the sha256 of the file that the directory has at the path of a change. The file must be as Changes saw it, before
// the reading and after: the sum of a later save would let the layer land on a text that the command never saw.
func (l *Layer) OldSum(c Change) (string, error) {
	if c.Old == nil {
		return "", os.ErrNotExist
	}
	return sumBelow(l.Root, c.Path, func(now vfs.Info) error {
		if !sameState(&now, c.Old) {
			return errMoved
		}
		return nil
	})
}

// NewSum returns the sha256 of the file that the layer has at the path of a change.
func (l *Layer) NewSum(c Change) (string, error) {
	return sumBelow(l.upper(), c.Path, func(vfs.Info) error { return nil })
}

// sumBelow hashes a file below a directory and follows no link. check is called before the reading and after.
func sumBelow(top, rel string, check func(vfs.Info) error) (string, error) {
	dir, err := openDirAt(unix.AT_FDCWD, top)
	if err != nil {
		return "", err
	}
	defer unix.Close(dir)
	fd, err := unix.Openat2(dir, rel, &unix.OpenHow{Flags: unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return "", &os.PathError{Op: "open", Path: top + "/" + rel, Err: err}
	}
	f := os.NewFile(uintptr(fd), rel)
	defer f.Close()
	look := func() error {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return err
		}
		return check(infoOf(&st))
	}
	if err := look(); err != nil {
		return "", err
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), look()
}
