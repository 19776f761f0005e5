//go:build amd64 || arm64

package overlay

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/vfs"
)

// Moved returns the paths of changes that somebody else changed since the overlay was mounted, or since Changes looked. If there is
// one, the layer must not be applied: the command did not see what is there now. No time of change can be set by a program, so
// what has one from before the mount is untouched.
//
// Ask when nobody has the files open for writing, with leases for example: in the middle of a system call a file may have its new size
// and its old time, as it does on ext4 while it is truncated.
//
// It asks only about the paths of the changes and the directories above them. What the command read and did not change may have
// changed. One case is not seen: somebody removed a file, and the command replaced it by a new one of its own under the same name. It
// looks like any new file.
func (l *Layer) Moved(changes []Change) ([]Moved, error) {
	root, err := openDirAt(unix.AT_FDCWD, l.Root)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: l.Root, Err: err}
	}
	defer unix.Close(root)
	var st unix.Stat_t
	if err := unix.Fstat(root, &st); err != nil {
		return nil, err
	}
	if uint64(st.Dev) != l.RootDev || st.Ino != l.RootIno {
		return []Moved{{".", "another directory is there now"}}, nil
	}
	// What sets the clock back hides changes. Reading two clocks takes a moment, hence the tolerance.
	if l.Boot == bootID() && bootTime() < l.Clock-int64(time.Millisecond) {
		return []Moved{{".", "the clock was set back while the command ran, so nobody can tell what changed"}}, nil
	}
	g := &gate{l: l, root: root, begin: time.Unix(0, l.T0), dirs: map[string]*dirState{}, said: map[string]bool{}}
	defer g.close()
	for i := range changes {
		g.check(&changes[i])
	}
	slices.SortFunc(g.out, func(a, b Moved) int { return strings.Compare(a.Path, b.Path) })
	return g.out, nil
}

// gate compares the directory with what the command saw.
type gate struct {
	l     *Layer
	root  int
	begin time.Time
	dirs  map[string]*dirState
	last  struct { // the directory opened last; changes are sorted
		path string
		fd   int
	}
	said map[string]bool
	out  []Moved
}

// dirState is what was found out about a directory above a change.
type dirState struct {
	fresh   bool // the layer makes it, or something in place of a file
	bad     bool // it was moved, or is gone: said already
	touched bool // names in it changed since the overlay was mounted
}

func (g *gate) say(path, why string) {
	if !g.said[path] {
		g.said[path] = true
		g.out = append(g.out, Moved{path, why})
	}
}

func (g *gate) check(c *Change) {
	up := g.dir(path.Dir(c.Path))
	if c.Kind == Dir && (c.Old == nil || !c.Old.Mode.IsDir()) {
		g.dirs[c.Path] = &dirState{fresh: true}
	}
	if up.bad || up.fresh && c.Old == nil {
		return
	}
	now, err := g.stat(c.Path)
	switch {
	case err != nil && err != unix.ENOENT:
		g.say(c.Path, err.Error())
	case c.removed:
		g.say(c.Path, "somebody removed or renamed it while the command ran")
	case c.Old == nil && now != nil:
		g.say(c.Path, "somebody made it too while the command ran")
	case c.Old == nil && c.copied && up.touched:
		g.say(c.Path, "somebody may have removed or renamed it while the command ran")
	case c.Old == nil:
	case now == nil:
		g.say(c.Path, "somebody removed or renamed it while the command ran")
	case !sameState(now, c.Old):
		g.say(c.Path, "somebody changed it just now")
	case !c.Old.ChangeTime.Before(g.begin):
		g.say(c.Path, "somebody changed it while the command ran")
	case c.OldInside != nil:
		g.checkInside(c)
	}
}

// sameState reports whether nobody touched a file since it was looked at.
func sameState(a, b *vfs.Info) bool {
	return a.ID == b.ID && a.Mode == b.Mode && a.Size == b.Size && a.ChangeTime.Equal(b.ChangeTime)
}

// dir judges a directory above a change, once. The kernel sets the time of change of a directory that is renamed, and so it does when
// names in it come and go. The inode tells which it was, where the overlay knew it.
func (g *gate) dir(rel string) *dirState {
	if d := g.dirs[rel]; d != nil {
		return d
	}
	d := &dirState{}
	if rel != "." {
		if up := g.dir(path.Dir(rel)); up.bad || up.fresh {
			g.dirs[rel] = up
			return up
		}
	}
	g.dirs[rel] = d
	now, err := g.stat(rel)
	if err != nil || !now.Mode.IsDir() {
		d.bad = true
		g.say(rel, "the directory is not there any more")
		return d
	}
	d.touched = !now.ChangeTime.Before(g.begin)
	if ino, known := g.l.DirInos[rel]; rel != "." && d.touched && (!known || ino != now.ID.Ino) {
		d.bad = true
		g.say(rel, "somebody renamed or replaced the directory, or changed what is in it")
	}
	return d
}

// stat describes a path of the directory and follows no link; nil and ENOENT for nothing.
func (g *gate) stat(rel string) (*vfs.Info, error) {
	dir, name := path.Dir(rel), path.Base(rel)
	if rel == "." {
		dir, name = ".", "."
	}
	if g.last.path != dir {
		g.close()
		fd, err := unix.Openat2(g.root, dir, &unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS})
		if err == unix.ELOOP || err == unix.ENOTDIR {
			err = unix.ENOENT
		}
		if err != nil {
			return nil, err
		}
		g.last.path, g.last.fd = dir, fd
	}
	var st unix.Stat_t
	flags := unix.AT_SYMLINK_NOFOLLOW
	if name == "." {
		if err := unix.Fstatat(g.last.fd, "", &st, unix.AT_EMPTY_PATH); err != nil {
			return nil, fmt.Errorf("%s: %w", rel, err)
		}
	} else if err := unix.Fstatat(g.last.fd, name, &st, flags); err != nil {
		return nil, err
	}
	i := infoOf(&st)
	return &i, nil
}

func (g *gate) close() {
	if g.last.path != "" {
		unix.Close(g.last.fd)
		g.last.path = ""
	}
}
