package look

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/guard"
)

// file is one name of the tree at a look.
type file struct {
	path         string
	mode         fs.FileMode
	size         int64
	mtime, ctime int64 // in nanoseconds
	ino          uint64
	link         string // target of a symbolic link
	sum          string // sha256 of the content, 32 bytes; "" if it is not known
	blob         string // the name under which the repository has the content; "" if it has not
	copy         uint64 // the number of the copy in the store; 0 for none
	flags        flags
}

type flags uint8

const (
	fresh     flags = 1 << iota // it was written so shortly before the look that another write may not show
	unentered                   // a directory that was not entered
	linked                      // it has other names
)

func (f *file) has(x flags) bool { return f.flags&x != 0 }

// mayKeep reports whether f is of a kind that can be kept and brought back: a file or a link.
func (f *file) mayKeep() bool { return f.mode.IsRegular() || f.mode&fs.ModeSymlink != 0 }

// sameStat reports whether the system describes f as it described was.
func (f *file) sameStat(was *file) bool {
	return f.mode == was.mode && f.size == was.size && f.mtime == was.mtime && f.ctime == was.ctime && f.ino == was.ino && f.link == was.link
}

// walk describes every name of the tree, in the order of paths. Sockets, which come and go, are left out, and so is the store.
// expect is about how many there are.
func walk(ctx context.Context, g *guard.Guard, now time.Time, expect int) (out []file, unreadable int, err error) {
	root, err := g.Resolve(".", guard.Request{})
	if err != nil {
		return nil, 0, err
	}
	out = make([]file, 0, expect+expect/16)
	young := now.Add(-clockStep).UnixNano()
	o := find.Options{Root: root, Excludes: find.GlobalExcludes()}
	if tell := caller.Progress(ctx); tell != nil {
		o.Progress = func(done int, what string) { tell(done, 0, what) }
	}
	shut, err := find.Every(ctx, g, o, func(e find.Entry) {
		base := e.Path[lastSlash(e.Path):]
		if e.Mode&fs.ModeSocket != 0 || e.Mode.IsDir() && base == ".emend" {
			return
		}
		if base == dotGit { // git's own, be it a directory or the file of a work tree: only that it is there
			out = append(out, file{path: e.Path, mode: fs.ModeDir, flags: unentered})
			return
		}
		f := file{path: e.Path, mode: e.Mode, size: e.Size, mtime: e.ModTime.UnixNano(), ctime: e.ChangeTime.UnixNano(), ino: e.ID.Ino, link: e.Link}
		switch {
		case e.Mode.IsDir():
			f.size, f.mtime, f.ctime = 0, 0, 0 // they change with the names in it
			if e.Ignored || e.Other {
				f.flags |= unentered
			}
		case e.Links > 1:
			f.flags |= linked
		}
		if e.Mode.IsRegular() && max(f.mtime, f.ctime) >= young {
			f.flags |= fresh
		}
		out = append(out, f)
	})
	for _, p := range shut { // what was in it is not gone
		i, ok := slices.BinarySearchFunc(out, p, func(f file, p string) int { return strings.Compare(f.path, p) })
		if ok && out[i].mode.IsDir() {
			out[i].flags |= unentered
		}
	}
	return out, len(shut), err
}

const dotGit = ".git"

// clockStep is more than the resolution of the times that file systems keep.
const clockStep = 20 * time.Millisecond

func lastSlash(p string) int {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] == '/' {
			return i + 1
		}
	}
	return 0
}
