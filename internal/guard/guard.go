// Package guard decides which paths may be touched and is the only way to a user's file, for reading ([Guard.Load],
// [Guard.Stream]) and for a commit ([Guard.OpenDir]).
//
// The root is opened once, as a directory handle, when the guard opens. A path is resolved beneath that handle to
// a parent directory and a last name, and what is there is learned through the parent's handle, by that one name.
// The directory is always opened by the very names that were judged, none of them a link: the kernel says so where
// it has openat2, a comparison of device and inode says so elsewhere. No comparison of strings decides what is
// inside the root.
//
// Links in the middle of a path are followed as long as they stay inside, also absolute ones that point inside.
// ".." is taken from the directory to which the names before it led, links followed, as the kernel does it; below
// a directory that does not exist it takes back one name. A link as the last name is reported; it is followed only
// when the caller asks for it, and for writing only when a person let it, and then both its own name and its target's
// are judged.
//
// Policy comes before existence: a protected name is refused whether or not anything has it, both as the caller
// wrote it and as it turns out after every link. Names are compared without case, compatibility forms, invisible
// characters and trailing dots or spaces, whatever the file system. A protected directory at the root is also
// known by device and inode, so that a link or a bind mount is no way around its name; so are the git directories
// that a file called .git points to, at the root and in each directory on the way, as long as they are inside, and so is
// a store with a name of its own ([Guard.ProtectStore]).
//
// What is on another mount than the root may be read but not changed, a mounted single file included. So no bind
// mount of a protected directory or file is a way around its name, wherever it was mounted from.
//
// A call that names many paths asks a [Batch], which opens each directory once and looks for what is protected once; it
// looks again when all paths were judged, so that none is judged by older knowledge than if it had been the only one.
//
// What it does not promise: that what Look saw is still so a moment later (Load, OpenDir and a commit check again);
// that two names which a file system treats as one have one [Entry.Place]; that a hard link is known for a protected
// file, except for those directly at the root, directly in a protected directory there or in git's hooks, among the
// first 4096 names of each; that a git directory is known from a path which leads neither to it by name nor past
// the file that points to it; that a directory with a protected name somewhere below is known for one, since no
// patch moves directories; and anything against programs that do not ask the guard. Where the system does not number
// its mounts (Linux before 5.8, others), only a directory on another device counts as mounted.
package guard

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/emend-dev/emend/internal/vfs"
)

// Guard answers for one root. It may be used by several goroutines at once.
type Guard struct {
	tree        tree
	openDir     string
	info        fs.FileInfo // of the root, to recognise it in absolute paths
	identity    Identity
	mount       uint64
	allow       []pattern
	followLinks bool
	maxDepth    int
	policy      *Policy
	storeID     atomic.Pointer[Identity]
	storeNames  []string // where a store with a name of its own is, as [fold] leaves it
	hashOnce    sync.Once
	hash        string
}

// Options are what the person who starts emend may set.
type Options struct {
	// AllowProtected are patterns of protected paths that are opened on purpose, spelled as the paths are:
	// path.Match for each name, and "**" for any number of names. A pattern that is itself a path opens that
	// path and everything below.
	AllowProtected []string
	// FollowLinks lets a link that is the last name of a path to be written lead on, where the caller asks for it
	// (see [Request.Follow]) and as long as it stays inside.
	FollowLinks bool
	// Policy is what a person has decided; nil for nothing.
	Policy *Policy
	// Store is where a person put the store below the root, from there; "" for nowhere. Nothing in it may be read.
	Store string
	// MaxDepth is how many names a path may have; 0 stands for 128.
	MaxDepth int
}

const defaultMaxDepth = 128

// Identity tells apart what is on disk: device and inode, and for a place in a directory the names below it.
type Identity struct {
	Dev, Ino uint64
	Name     string
}

// Open opens dir as the root, once, and keeps its device and inode. That dir is renamed or replaced later changes
// nothing: the guard stays with the directory that it opened.
func Open(dir string, o Options) (*Guard, error) {
	return open(dir, o, openTree)
}

func open(dir string, o Options, openTree func(string) (tree, error)) (*Guard, error) {
	allow, err := compilePatterns(o.AllowProtected)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, asRefusal(dir, err)
	}
	t, err := openTree(abs)
	if err != nil {
		return nil, asRefusal(dir, err)
	}
	g := &Guard{tree: t, openDir: abs, allow: allow, followLinks: o.FollowLinks, maxDepth: cmp.Or(o.MaxDepth, defaultMaxDepth), policy: o.Policy}
	for _, name := range splitNames(cmp.Or(o.Store, ".")) {
		g.storeNames = append(g.storeNames, fold(name))
	}
	if err := g.identifyRoot(); err != nil {
		t.close()
		return nil, asRefusal(dir, err)
	}
	return g, nil
}

// remember keeps what tells the root from every other directory.
func (g *Guard) identifyRoot() error {
	h, err := g.tree.openDir(nil)
	if err != nil {
		return err
	}
	defer h.close()
	if g.info, err = g.tree.info(); err != nil {
		return err
	}
	if g.identity, err = h.identity(); err != nil {
		return err
	}
	g.mount, err = h.mount(".")
	return err
}

// Close lets go of the root.
func (g *Guard) Close() error { return g.tree.close() }

// Dir is the absolute path of the root when it was opened. It is for showing to people only.
func (g *Guard) Dir() string { return g.openDir }

// Root is the device and inode of the root.
func (g *Guard) Root() Identity { return g.identity }

// ProtectStore makes a directory one that nothing is written to through this guard, with all below it and whatever its
// name: the store, when a person put it inside the root.
func (g *Guard) ProtectStore(id vfs.ID) { g.storeID.Store(&Identity{Dev: id.Dev, Ino: id.Ino}) }

// FindRoot returns the nearest directory upward from dir that has .git or .emend, else dir itself, links resolved,
// and the slash path of dir below it ("." when they are the same).
func FindRoot(dir string) (root, base string, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", "", asRefusal(dir, err)
	}
	// Resolved first: the directories above a link's name are not the ones above the directory.
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return "", "", asRefusal(dir, err)
	}
	if fi, err := os.Stat(abs); err == nil && !fi.IsDir() {
		return "", "", refuseNotDirectory(dir, dir)
	}
	root = abs
	for up := abs; ; up = filepath.Dir(up) {
		if hasRootMarker(up) {
			root = up
			break
		}
		if up == filepath.Dir(up) {
			break
		}
	}
	base, err = filepath.Rel(root, abs)
	return root, filepath.ToSlash(base), asRefusal(dir, err)
}

func hasRootMarker(dir string) bool {
	for _, name := range []string{".git", ".emend"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}
