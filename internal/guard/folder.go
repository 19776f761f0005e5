package guard

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/watch"
)

// Folder is an open directory of the workspace, for listing it and for reading the files in it. Its methods take a single
// name and follow no link, so that going down from folder to folder leads where the names say. Each name is checked for
// reading, as in [Guard.Resolve]. Close it when done. It may be used by several goroutines at once.
//
// A name that may not be read does not appear: it is never listed. A link to it is listed under its own name, since links are
// listed and not followed. As in Resolve, a hard link to such a file, or a bind mount of it, under another name is not
// recognised.
type Folder struct {
	g     *Guard
	dir   dirReader
	rel   string // slash path from the root; "" is the root
	depth int    // how many names rel has
	// ordinary: no rule begins with one of the names that lead here, and no policy has rules for reading, so that the last name
	// decides.
	ordinary bool
	all      bool // see [Folder.WithProtected]
}

// dirReader reads a directory of the operating system. Its methods take a single name and follow no link.
type dirReader interface {
	identity() (Identity, error)
	// list appends every name but "." and "..".
	list(ctx context.Context, n *Names) error
	openSubdir(name string) (dirReader, error)
	open(name string) (File, error)
	stat(name string) (fileInfo, error)
	readlink(name string) (string, error)
	watch(w *watch.Watch, rel string)
	close()
}

// Name is one name in a directory.
type Name struct {
	Name string
	Kind Kind
}

// Names are the names in a directory, in no order. The zero value is ready. One value serves for many directories: its memory
// is used again, but the names that it gave stay valid.
type Names struct {
	List []Name
	buf  []byte // filled by the system
	text []byte // the names one after the other, before they become one string
	ends []int
}

// Stat describes a name whose file is not opened.
type Stat struct {
	Kind    Kind
	Size    int64
	ModTime time.Time
}

// Folder opens the directory that e names, which must be the one that [Guard.Resolve] saw.
func (g *Guard) Folder(e Entry) (*Folder, error) {
	f, err := g.openFolder(e)
	return f, asRefusal(e.Rel, err)
}

func (g *Guard) openFolder(e Entry) (*Folder, error) {
	if e.Kind != Directory || !fs.ValidPath(e.Rel) {
		return nil, refuseNotDirectory(e.Rel, e.Rel)
	}
	names := splitNames(e.Rel)
	if err := g.checkFor(e.Rel, false, nil)(names); err != nil {
		return nil, err
	}
	h, err := g.tree.openDir(names)
	if err != nil {
		return nil, err
	}
	defer h.close()
	if id, err := h.identity(); err != nil || id != e.File {
		return nil, errMoved
	}
	at, err := openDirReader(h)
	if err != nil {
		return nil, err
	}
	return g.newFolder(at, names), nil
}

func (g *Guard) newFolder(at dirReader, names []string) *Folder {
	ordinary := !slices.ContainsFunc(names, protectsReading) && !g.policy.hasReadRules() && len(g.storeNames) == 0
	return &Folder{g: g, dir: at, rel: strings.Join(names, "/"), depth: len(names), ordinary: ordinary}
}

// WithProtected makes the folder, and those that are entered from it, pass over no name because it may not be read. It is for a
// caller that compares files and shows nothing of them.
func (f *Folder) WithProtected() { f.all = true }

// ParentFolder opens the directory of the file that e names, and returns the file's name in it.
func (g *Guard) ParentFolder(e Entry) (*Folder, string, error) {
	f, name, err := g.openParent(e)
	return f, name, asRefusal(e.Rel, err)
}

func (g *Guard) openParent(e Entry) (*Folder, string, error) {
	if !fs.ValidPath(e.Rel) || e.Rel == "." {
		return nil, "", refuseArgument(e.Rel, "not a path that was looked at: "+fail.Quote(e.Rel), "Look at the path first.")
	}
	parent, last := splitLast(splitNames(e.Rel))
	h, err := reopenParent(g.tree, e, parent)
	if err != nil {
		return nil, "", err
	}
	defer h.close()
	at, err := openDirReader(h)
	if err != nil {
		return nil, "", err
	}
	return g.newFolder(at, parent), last[0], nil
}

// hasReadRules reports whether the policy has rules for reading.
func (p *Policy) hasReadRules() bool {
	return p != nil && len(p.read.deny)+len(p.read.ask)+len(p.read.allow) > 0
}

// Rel returns the folder's slash path from the root; "" is the root.
func (f *Folder) Rel() string { return f.rel }

// Close closes the directory.
func (f *Folder) Close() { f.dir.close() }

// List fills n with the names in the folder that may be read, and their kinds.
func (f *Folder) List(ctx context.Context, n *Names) error {
	n.List, n.text, n.ends = n.List[:0], n.text[:0], n.ends[:0]
	if err := f.dir.list(ctx, n); err != nil {
		return asRefusal(f.rel, err)
	}
	n.splitText()
	kept := n.List[:0]
	for _, name := range n.List {
		if name.Kind == Missing { // the system did not report the kind with the name
			is, err := f.dir.stat(name.Name)
			if err != nil {
				continue // gone meanwhile
			}
			name.Kind = is.kind()
		}
		if f.check(name.Name) == nil {
			kept = append(kept, name)
		}
	}
	n.List = kept
	return nil
}

// add appends a name that the system reported.
func (n *Names) add(name []byte, k Kind) {
	n.text = append(n.text, name...)
	n.ends = append(n.ends, len(n.text))
	n.List = append(n.List, Name{Kind: k})
}

// splitText makes one string of all names, and each name a part of it.
func (n *Names) splitText() {
	text, from := string(n.text), 0
	for i, end := range n.ends {
		n.List[i].Name = text[from:end]
		from = end
	}
}

// check refuses a name in the folder that may not be read.
func (f *Folder) check(name string) error {
	if f.all || f.ordinary && !protectsReading(name) {
		return nil
	}
	names := append(splitNames(f.rel), name)
	return f.g.checkFor(strings.Join(names, "/"), false, nil)(names)
}

// Enter opens the directory called name.
func (f *Folder) Enter(name string) (*Folder, error) {
	rel, err := f.checkName(name)
	if err != nil {
		return nil, err
	}
	if f.depth >= f.g.maxDepth {
		return nil, f.g.refuseTooDeep(rel)
	}
	at, err := f.dir.openSubdir(name)
	if err != nil {
		return nil, asRefusal(rel, err)
	}
	return &Folder{f.g, at, rel, f.depth + 1, f.ordinary && !protectsReading(name), f.all}, nil
}

// pathOf returns the path of a name in the folder.
func (f *Folder) pathOf(name string) string {
	if f.rel == "" {
		return name
	}
	return f.rel + "/" + name
}

// checkName refuses a name that is not a single name, and one that may not be read.
func (f *Folder) checkName(name string) (rel string, err error) {
	rel = f.pathOf(name)
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return rel, refuseArgument(rel, "not a single name: "+fail.Quote(name), "Enter one directory after the other.")
	}
	return rel, f.check(name)
}

// Open opens the regular file called name, and nothing else. The caller has listed the name as a regular file; if it has
// become a FIFO, a socket, a device or a link since, it is refused, without waiting for another process.
func (f *Folder) Open(name string) (File, error) {
	rel, err := f.checkName(name)
	if err != nil {
		return File{}, err
	}
	file, err := f.dir.open(name)
	if err != nil {
		return File{}, asRefusal(rel, refuseNewLink(rel, err))
	}
	return file, nil
}

// Stat describes the file called name.
func (f *Folder) Stat(name string) (Stat, error) {
	rel, err := f.checkName(name)
	if err != nil {
		return Stat{}, err
	}
	is, err := f.dir.stat(name)
	if err != nil {
		return Stat{}, asRefusal(rel, err)
	}
	return Stat{is.kind(), is.size, is.mtime}, nil
}

// Describe describes a name that List gave, and has therefore checked. It fails if the name is of another kind by now.
func (f *Folder) Describe(n Name) (Stat, error) {
	is, err := f.dir.stat(n.Name)
	if err == nil && is.kind() != n.Kind {
		err = errMoved
	}
	if err != nil {
		return Stat{}, asRefusal(f.pathOf(n.Name), err)
	}
	return Stat{n.Kind, is.size, is.mtime}, nil
}

// Details describes a name that List gave, whatever kind it is of by now.
func (f *Folder) Details(n Name) (vfs.Info, error) {
	is, err := f.dir.stat(n.Name)
	if err != nil {
		return vfs.Info{}, asRefusal(f.pathOf(n.Name), err)
	}
	return vfs.Info{ID: vfs.ID{Dev: is.id.Dev, Ino: is.id.Ino}, Mode: is.mode, Size: is.size, ModTime: is.mtime, ChangeTime: is.ctime, Links: is.links}, nil
}

// Readlink returns the target of a link that List gave.
func (f *Folder) Readlink(n Name) (string, error) {
	target, err := f.dir.readlink(n.Name)
	return target, asRefusal(f.pathOf(n.Name), err)
}

// Watch has w listen to what happens in the folder, from now on.
func (f *Folder) Watch(w *watch.Watch) { f.dir.watch(w, f.rel) }

// IsStore reports whether the folder is the store (see [Guard.ProtectStore]).
func (f *Folder) IsStore() bool {
	store := f.g.storeID.Load()
	if store == nil {
		return false
	}
	id, err := f.dir.identity()
	return err == nil && id == *store
}

// Abs returns the folder's path as it was when the guard opened. It is for showing, and for files that name a place relative
// to it.
func (f *Folder) Abs() string { return filepath.Join(f.g.rootPath, filepath.FromSlash(f.rel)) }
