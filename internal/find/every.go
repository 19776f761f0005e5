package find

import (
	"context"
	"io/fs"

	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/vfs"
)

// Entry is a name in a directory, with what the file system says of it.
type Entry struct {
	Name string
	vfs.Info
	Link    string // target of a symbolic link
	Ignored bool   // a directory that ignore rules leave out: it is not entered
	Other   bool   // a directory on another device, which is not entered
}

// Every calls visit with the root and every directory below it, and with all names in it, in the order of the system; also with
// those that are protected from reading, since it opens no file. Directories that ignore rules leave out are named and not
// entered, unless visit sets their Ignored to false. Several goroutines call visit, each with a number of its own, from 0; the entries
// are good until visit returns. If the tree changes meanwhile, what comes and goes may be there or not. Every returns the directories
// that could not be entered, or not be listed.
func Every(ctx context.Context, g *guard.Guard, o Options, visit func(worker int, dir string, entries []Entry)) (unentered []string, err error) {
	ig := newIgnorer(g, &o)
	root, err := ig.openRoot(g, o.Root)
	if err != nil {
		return nil, err
	}
	root.folder.WithProtected()
	w := &walker[struct{}]{ignore: ig, keepUnentered: true, watch: o.Watch}
	entries := make([][]Entry, o.workers())
	w.whole = func(worker int, d *dir, names []guard.Name) (enter []string) {
		w.reportProgress(&o, len(names), d.path)
		all := ig.describe(d, names, o.Root.File.Dev, entries[worker][:0])
		visit(worker, d.path, all)
		for i := range all {
			if e := &all[i]; !o.RootOnly && e.Mode.IsDir() && !e.Ignored && !e.Other {
				enter = append(enter, e.Name)
			}
		}
		entries[worker] = all
		return enter
	}
	err = w.run(ctx, root, o.workers())
	return w.unentered, err
}

// describe appends the entries of names in a directory. What is gone by now is left out.
func (ig *ignorer) describe(d *dir, names []guard.Name, device uint64, out []Entry) []Entry {
	path := ig.prefix(nil, d.folder)
	base := len(path)
	for _, n := range names {
		is, err := d.folder.Details(n)
		if err != nil {
			continue
		}
		e := Entry{Name: n.Name, Info: is}
		switch {
		case is.Mode.IsDir():
			path = append(path[:base], n.Name...)
			e.Ignored, e.Other = ig.ignores(d.level, path, n.Name, true), is.ID.Dev != device
		case is.Mode&fs.ModeSymlink != 0:
			e.Link, _ = d.folder.Readlink(n)
		}
		out = append(out, e)
	}
	return out
}
