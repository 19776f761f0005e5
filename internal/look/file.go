package look

import (
	"context"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/watch"
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
	changed      bool // since the look before; no index has it
}

type flags uint8

const (
	fresh     flags = 1 << iota // it was written so shortly before the look that another write may not show
	unentered                   // a directory that was not entered
	linked                      // it has other names
	unread                      // it is large, and there was no time to read it: until it changes, nobody tries again
)

func (f *file) has(x flags) bool { return f.flags&x != 0 }

// mayKeep reports whether f is of a kind that can be kept and brought back: a file or a link.
func (f *file) mayKeep() bool { return f.mode.IsRegular() || f.mode&fs.ModeSymlink != 0 }

// sameStat reports whether the system describes f as it described was.
func (f *file) sameStat(was *file) bool {
	return f.mode == was.mode && f.size == was.size && f.mtime == was.mtime && f.ctime == was.ctime && f.ino == was.ino && f.link == was.link
}

// tree is what a look finds.
type tree struct {
	dirs []dir // in the order of their paths
	shut int   // how many directories cannot be read
	// ruledOut are directories that the last look entered, and that ignore rules leave out by now.
	ruledOut []string
}

// dir is a directory of the tree.
type dir struct {
	path    string
	was     *dirIndex // what the index has of it, nil for nothing
	settled bool      // it is as was says
	linked  bool      // a file in it has other names
	files   []file    // if it is not settled
}

// walk describes every name of the tree. Sockets, which come and go, are left out, and so is the store. Directories that are as the
// index says are only named. A directory that the last look entered is entered once more whatever the ignore rules say by now: a command
// cannot hide what it did by ignoring it.
// The watch, which may be nil, listens to each directory from before it is described.
func walk(ctx context.Context, g *guard.Guard, now time.Time, was *index, w *watch.Watch) (*tree, error) {
	root, err := g.Resolve(".", guard.Request{})
	if err != nil {
		return nil, err
	}
	o := find.Options{Root: root, Excludes: find.GlobalExcludes(), Workers: runtime.GOMAXPROCS(0), Watch: w}
	if tell := caller.Progress(ctx); tell != nil {
		o.Progress = func(done int, what string) { tell(done, 0, what) }
	}
	found, ruledOut := make([][]dir, o.Workers), make([][]string, o.Workers)
	shut, err := find.Every(ctx, g, o, func(worker int, path string, entries []find.Entry) {
		for i := range entries {
			if e := &entries[i]; e.Ignored && was.find(join(path, e.Name)) != nil {
				e.Ignored = false
				ruledOut[worker] = append(ruledOut[worker], join(path, e.Name))
			}
		}
		d := dir{path: path, was: was.find(path)}
		d.describe(entries, youngSince(now))
		found[worker] = append(found[worker], d)
	})
	if err != nil {
		return nil, err
	}
	t := &tree{dirs: slices.Concat(found...), shut: len(shut), ruledOut: slices.Concat(ruledOut...)}
	slices.SortFunc(t.dirs, func(a, b dir) int { return strings.Compare(a.path, b.path) })
	for _, p := range shut {
		t.shutOut(p)
	}
	return t, nil
}

// youngSince returns the time of a change that another one may follow within the resolution of the clock.
func youngSince(now time.Time) int64 { return now.Add(-clockStep).UnixNano() }

// describe compares the names in a directory with the index. What is not settled is described.
func (d *dir) describe(entries []find.Entry, young int64) {
	d.linked = slices.ContainsFunc(entries, func(e find.Entry) bool { return e.Links > 1 && e.Mode.IsRegular() })
	if d.settled = d.was != nil && d.was.isSettled(entries, young); !d.settled {
		d.files = filesOf(d.path, entries, young)
	}
}

// leaveOut forgets what is in the directories that ignore rules leave out by now. It returns those of the files that stay.
func (t *tree) leaveOut(files []*file) []*file {
	if len(t.ruledOut) == 0 {
		return files
	}
	out := map[string]bool{}
	for _, p := range t.ruledOut {
		t.shutOut(p)
		out[p] = true
	}
	t.dirs = slices.DeleteFunc(t.dirs, func(d dir) bool { return out[d.path] || below(d.path, out) })
	return slices.DeleteFunc(files, func(f *file) bool { return below(f.path, out) })
}

// shutOut notes that a directory was not entered: what was in it is not gone.
func (t *tree) shutOut(path string) {
	parent := strings.TrimSuffix(path[:lastSlash(path)], "/")
	i, ok := slices.BinarySearchFunc(t.dirs, parent, func(d dir, path string) int { return strings.Compare(d.path, path) })
	if !ok {
		return
	}
	d := &t.dirs[i]
	if d.settled {
		d.settled, d.files = false, d.was.list()
	}
	for i := range d.files {
		if f := &d.files[i]; f.path == path && f.mode.IsDir() {
			f.flags |= unentered
		}
	}
}

// unsettled returns the files of the directories that are not settled, as they were and as they are, in the order of their paths.
func (t *tree) unsettled(x *index) (was, now []*file) {
	k := 0
	if x != nil {
		for i := range x.dirs {
			d := &x.dirs[i]
			for k < len(t.dirs) && t.dirs[k].path < d.path {
				k++
			}
			if k == len(t.dirs) || t.dirs[k].path != d.path || !t.dirs[k].settled {
				was = appendAll(was, d.list())
			}
		}
	}
	for i := range t.dirs {
		now = appendAll(now, t.dirs[i].files)
	}
	byPath := func(a, b *file) int { return strings.Compare(a.path, b.path) }
	slices.SortFunc(was, byPath)
	slices.SortFunc(now, byPath)
	return was, now
}

func appendAll(to []*file, files []file) []*file {
	for i := range files {
		to = append(to, &files[i])
	}
	return to
}

// copies counts the copies of the files in settled directories.
func (t *tree) copies() (sum copied) {
	for i := range t.dirs {
		if d := &t.dirs[i]; d.settled {
			sum.add(d.was.copies)
		}
	}
	return sum
}

// index returns what the index has of the tree.
func (t *tree) index() []dirIndex {
	out := make([]dirIndex, len(t.dirs))
	for i := range t.dirs {
		if d := &t.dirs[i]; d.settled {
			out[i] = *d.was
		} else {
			out[i] = makeDirIndex(d.path, d.files)
		}
	}
	return out
}

// filesOf describes the names of a directory. The paths are parts of one text.
func filesOf(path string, entries []find.Entry, young int64) []file {
	size := len(entries) * (len(path) + 1)
	for i := range entries {
		size += len(entries[i].Name)
	}
	var text strings.Builder
	text.Grow(size)
	out := make([]file, 0, len(entries))
	for i := range entries {
		f, ok := fileOf(&entries[i], young)
		if !ok {
			continue
		}
		from := text.Len()
		if path != "" {
			text.WriteString(path)
			text.WriteByte('/')
		}
		text.WriteString(f.path)
		f.path = text.String()[from:]
		out = append(out, f)
	}
	return out
}

// fileOf describes a name, which is its path. ok is false for what is left out.
func fileOf(e *find.Entry, young int64) (f file, ok bool) {
	switch {
	case e.Mode&fs.ModeSocket != 0 || e.Mode.IsDir() && e.Name == ".emend":
		return f, false
	case e.Name == dotGit: // git's own, be it a directory or the file of a work tree: only that it is there
		return file{path: e.Name, mode: fs.ModeDir, flags: unentered}, true
	}
	f = file{path: e.Name, mode: e.Mode, ino: e.ID.Ino, link: e.Link}
	if e.Mode.IsDir() {
		if e.Ignored || e.Other {
			f.flags = unentered
		}
		return f, true // size and times change with the names in it
	}
	f.size, f.mtime, f.ctime = e.Size, e.ModTime.UnixNano(), e.ChangeTime.UnixNano()
	if e.Links > 1 {
		f.flags = linked
	}
	if e.Mode.IsRegular() && max(f.mtime, f.ctime) >= young {
		f.flags |= fresh
	}
	return f, true
}

const dotGit = ".git"

// clockStep is more than the resolution of the times that file systems keep.
const clockStep = 20 * time.Millisecond

// lastSlash returns where the last name of a path begins.
func lastSlash(p string) int { return strings.LastIndexByte(p, '/') + 1 }

// join returns the path of a name in a directory, where "" is the root.
func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
