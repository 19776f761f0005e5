// Package guard decides which paths may be touched. It is the only way to a user's file, for reading ([Guard.Load],
// [Guard.Stream], [Folder]) and for a commit ([Guard.OpenDir]). It does not change files: package commit does, through the
// directory that OpenDir returns.
//
// The root is opened once, as a directory handle, when the guard opens. A path is resolved beneath that handle to a parent
// directory and a last name, and the file is looked at through the parent's handle, by that one name. The directory is always
// opened by the very names that were checked, and none of them is a link: the kernel ensures that where it has openat2, a
// comparison of device and inode elsewhere. No comparison of strings decides what is inside the root.
//
// Links in the middle of a path are followed as long as they stay inside, absolute ones that point inside included. ".."
// leads to the parent of the directory that the names before it led to, with links followed, as in the kernel; below a
// directory that does not exist it drops one name. A link as the last name is reported. It is followed only if the caller
// asks for that, and for writing only if a person allowed it; then the rules are checked for its own name and for its
// target's.
//
// Rules are checked before existence: a protected name is refused whether or not the file exists, both as the caller wrote it
// and as it is after every link. Names are compared without case, compatibility forms, invisible characters and trailing dots
// or spaces, whatever the file system. A protected directory at the root is also known by device and inode, so that a link or
// a bind mount is no way around its name. So are the git directories that a file called .git points to, at the root and in
// each directory on the way, as long as they are inside, and a store with a name of its own ([Guard.ProtectStore]).
//
// A repository is known by what is in it, whatever its name, since git looks for it so: see [repositoryKinds]. Everything in a
// directory on the way that is one is protected. [Guard.CheckRepositories] refuses to make one, by one call or by several.
//
// A file on another mount than the root may be read but not changed, a mounted single file included. So no bind mount of a
// protected directory or file is a way around its name, wherever it was mounted from.
//
// A call that names many paths uses a [Batch], which opens each directory once and looks for protected directories and files
// once. [Batch.Recheck] looks again when all paths were checked, so that no path is checked against older facts than if it
// had been the only one.
//
// What the package does not promise: that what Resolve saw is still true a moment later (Load, OpenDir and a commit check
// again); that two names which a file system treats as one have one [Entry.Place]; that a hard link to a protected file is
// recognised, except for the files directly at the root, directly in a protected directory there or in git's hooks, among the
// first 4096 names of each; that a directory is recognised which only programs other than git and Subversion take for a
// repository; that a directory with a protected name somewhere below is recognised as protected, since no patch moves
// directories; and anything against programs that do not use the guard. Where the system does not number its mounts (Linux
// before 5.8, other systems), only a directory on another device counts as mounted.
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

// Guard checks and opens paths below one root. It may be used by several goroutines at once.
type Guard struct {
	tree        tree
	rootPath    string
	rootInfo    fs.FileInfo // of the root, to recognise it in absolute paths
	rootID      Identity
	rootMount   uint64
	allow       []pattern
	followLinks bool
	maxDepth    int
	policy      *Policy
	storeID     atomic.Pointer[Identity]
	storeNames  []string // the names from the root to a store with a name of its own, folded by [fold]
	hashOnce    sync.Once
	hash        string
}

// Options are set by the person who starts emend.
type Options struct {
	// AllowProtected are patterns of protected paths that may be touched nevertheless, in the spelling of the paths:
	// path.Match for each name, and "**" for any number of names. A pattern that is itself a path allows that path and
	// everything below it.
	AllowProtected []string
	// FollowLinks allows the last name of a path to be a link that is followed for writing, if the caller asks for that (see
	// [Request.Follow]) and the target is inside the root.
	FollowLinks bool
	// Policy is a person's policy file; nil for none.
	Policy *Policy
	// Store is the slash path, from the root, of a store that a person put below the root; "" for none. Nothing in it may be
	// read.
	Store string
	// MaxDepth is how many names a path may have; 0 means 128.
	MaxDepth int
}

const defaultMaxDepth = 128

// Open opens dir as the root and keeps the handle and its device and inode. If dir is renamed or replaced later, the guard
// stays with the directory that it opened.
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
	g := &Guard{tree: t, rootPath: abs, allow: allow, followLinks: o.FollowLinks, maxDepth: cmp.Or(o.MaxDepth, defaultMaxDepth), policy: o.Policy}
	for _, name := range splitNames(cmp.Or(o.Store, ".")) {
		g.storeNames = append(g.storeNames, fold(name))
	}
	if err := g.identifyRoot(); err != nil {
		t.close()
		return nil, asRefusal(dir, err)
	}
	return g, nil
}

// identifyRoot records what distinguishes the root from every other directory.
func (g *Guard) identifyRoot() error {
	h, err := g.tree.openDir(nil)
	if err != nil {
		return err
	}
	defer h.close()
	if g.rootInfo, err = g.tree.info(); err != nil {
		return err
	}
	if g.rootID, err = h.identity(); err != nil {
		return err
	}
	g.rootMount, err = h.mount(".")
	return err
}

// Close closes the root.
func (g *Guard) Close() error { return g.tree.close() }

// RootPath returns the absolute path of the root as it was when the guard opened. The guard opens no file by it.
func (g *Guard) RootPath() string { return g.rootPath }

// RootID returns the device and inode of the root.
func (g *Guard) RootID() Identity { return g.rootID }

// ProtectStore refuses writing to a directory and everything below it, whatever its name. It is for a store that a person put
// inside the root.
func (g *Guard) ProtectStore(id vfs.ID) { g.storeID.Store(&Identity{Dev: id.Dev, Ino: id.Ino}) }

// FindRoot returns the nearest directory upward from dir that has .git or .emend, or dir itself if none has, with links
// resolved. base is the slash path of dir below it, "." if they are the same.
func FindRoot(dir string) (root, base string, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", "", asRefusal(dir, err)
	}
	// Links are resolved first: the directories above a link's name are not those above the directory that it leads to.
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
