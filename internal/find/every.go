package find

import (
	"context"
	"strings"

	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/vfs"
)

// Entry is a name of a tree, with what the file system says of it.
type Entry struct {
	Path string // from the workspace
	vfs.Info
	Link    string // target of a symbolic link
	Ignored bool   // ignore rules leave it out; a directory was not entered then
	Other   bool   // a directory on another device, which was not entered
}

// Every calls emit with every name below the root, in the order of paths, byte by byte; also with those that are protected from
// reading, since it opens no file. Directories that ignore rules leave out are named and not entered. If the tree changes
// meanwhile, what comes and goes may be there or not. It returns the directories that could not be entered, or not be listed.
func Every(ctx context.Context, g *guard.Guard, o Options, emit func(Entry)) (unentered []string, err error) {
	ig := newIgnorer(g, &o)
	root, err := ig.openRoot(g, o.Root)
	if err != nil {
		return nil, err
	}
	root.folder.WithProtected()
	device := o.Root.File.Dev
	w := &walker[Entry]{ignore: ig, keepIgnored: true, inline: true}
	w.emit = func(all []Entry) bool {
		for i := range all {
			emit(all[i])
		}
		return true
	}
	w.wants = func(d *dir, n *guard.Name) (take, enter bool) {
		if n.Kind != guard.Directory || n.Ignored {
			return true, false
		}
		is, err := d.folder.Details(*n)
		return true, err == nil && is.ID.Dev == device
	}
	w.handle = func(_ context.Context, _ int, d *dir, names []guard.Name) []Entry {
		w.reportProgress(&o, len(names), d.path)
		return entriesOf(d, names, device)
	}
	err = w.run(ctx, root, o.workers())
	return w.unentered, err
}

// entriesOf describes names in a directory. What is gone by now is left out. The paths are parts of one string.
func entriesOf(d *dir, names []guard.Name, device uint64) []Entry {
	size := len(names) * (len(d.path) + 1)
	for i := range names {
		size += len(names[i].Name)
	}
	var text strings.Builder
	text.Grow(size)
	out := make([]Entry, 0, len(names))
	for _, n := range names {
		is, err := d.folder.Details(n)
		if err != nil {
			continue
		}
		from := text.Len()
		if d.path != "" {
			text.WriteString(d.path)
			text.WriteByte('/')
		}
		text.WriteString(n.Name)
		e := Entry{Path: text.String()[from:], Info: is, Ignored: n.Ignored, Other: is.Mode.IsDir() && is.ID.Dev != device}
		if n.Kind == guard.Symlink {
			e.Link, _ = d.folder.Readlink(n)
		}
		out = append(out, e)
	}
	return out
}
