package commit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// Place is where the store of a tree is, or would be made.
type Place struct {
	Dir    string // the store's absolute path
	Top    string // the top of the tree that it belongs to
	Exists bool
	// Else is where a store is made if it cannot be made at Dir; "" for nowhere.
	Else string
}

// The names of a store: beside a repository, and at the top of a tree without one.
const (
	besideGit = "emend"
	inTree    = ".emend"
)

// Locate finds the store of the tree that root, an absolute path without links, belongs to. Looking upward, on one
// mount, an existing store wins; else it is to be made in the nearest .git directory; else at the root. A store or a
// repository of a stranger does not count: whoever can write above the root must not lead the commit elsewhere.
func Locate(root string) (Place, error) {
	mount, owner, err := station(root)
	if err != nil {
		return Place{}, unwritable(err)
	}
	counts := func(dir string) bool {
		m, o, err := station(dir)
		return err == nil && m == mount && trusted(o, owner)
	}
	git := ""
	for dir := root; ; dir = filepath.Dir(dir) {
		if m, _, err := station(dir); err != nil || m != mount {
			break
		}
		gitDir := filepath.Join(dir, ".git")
		repo := isDir(gitDir) && counts(gitDir)
		for _, store := range []string{filepath.Join(gitDir, besideGit), filepath.Join(dir, inTree)} {
			if isStore(store) && counts(store) && (repo || filepath.Base(store) == inTree) {
				return Place{Dir: store, Top: dir, Exists: true}, nil
			}
		}
		if repo && git == "" {
			git = dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	own := filepath.Join(root, inTree)
	if git == "" {
		return Place{Dir: own, Top: root}, nil
	}
	return Place{Dir: filepath.Join(git, ".git", besideGit), Top: git, Else: own}, nil
}

// At is the store that a person named, for the tree at root.
func At(dir, root string) (Place, error) {
	p := Place{Dir: dir, Top: root, Exists: isStore(dir)}
	up, mine := filepath.Dir(dir), root
	a, _, err := station(up)
	if err != nil {
		return p, unwritable(err)
	}
	b, _, err := station(mine)
	if err != nil {
		return p, unwritable(err)
	}
	if a != b {
		return p, &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable,
			Msg:  fmt.Sprintf("the store %s is not on the mount of the workspace, so nothing can be renamed between them", fail.Quote(dir)),
			Hint: "Name a place on the same mount, outside of what agents may touch."}
	}
	return p, nil
}

// Preferred is where a store of the tree at top would be made if it had none.
func Preferred(top string) (Place, error) {
	git := filepath.Join(top, ".git")
	if isDir(git) {
		return Place{Dir: filepath.Join(git, besideGit), Top: top}, nil
	}
	return Place{Dir: filepath.Join(top, inTree), Top: top}, nil
}

// Writable reports why a store cannot be made at the place; nil when it can, as far as a look tells.
func (p Place) Writable() error {
	err := mayWrite(filepath.Dir(p.Dir))
	if err != nil && p.Else != "" {
		err = mayWrite(filepath.Dir(p.Else))
	}
	return err
}

// Usable reports why nothing can be put into the store at the place, or, where there is none, why none can be made.
func (p Place) Usable() error {
	if !p.Exists {
		return p.Writable()
	}
	return mayWrite(p.Dir)
}

func isDir(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && fi.IsDir()
}

func isStore(dir string) bool {
	fi, err := os.Lstat(filepath.Join(dir, formatName))
	return err == nil && fi.Mode().IsRegular() && isDir(dir)
}

// Make makes the store of a place, whole or not at all, and returns where it is. If somebody else makes it at the same
// time, theirs is the one.
func (p Place) Make() (Place, error) {
	p.Tidy()
	err := p.make()
	// Once it is in its place it is the one that others find, even if that could not be made durable.
	if err != nil && p.Else != "" && !isStore(p.Dir) && (errors.Is(err, fs.ErrPermission) || readOnly(err)) {
		p = Place{Dir: p.Else, Top: filepath.Dir(p.Else)}
		err = p.make()
	}
	p.Exists = err == nil
	return p, unwritable(err)
}

// Tidy removes what processes left that were killed while they made a store here, a minute ago or more.
func (p Place) Tidy() {
	up := filepath.Dir(p.Dir)
	names, err := filepath.Glob(filepath.Join(up, filepath.Base(p.Dir)+".2[0-9]*-[0-9]*-*"))
	if err != nil {
		return
	}
	for _, name := range names {
		made, ok := history.Made(strings.TrimPrefix(filepath.Base(name), filepath.Base(p.Dir)+"."))
		if ok && time.Since(made) > time.Minute && isDir(name) {
			os.RemoveAll(name)
		}
	}
}

func (p Place) make() error {
	up, err := vfs.Open(filepath.Dir(p.Dir))
	if err != nil {
		return err
	}
	defer up.Close()
	name := filepath.Base(p.Dir)
	draft := name + "." + history.NewID(Options{}.now())
	if err := up.Mkdir(draft, 0o700); err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(p.Dir), draft)
	err = p.fill(up, draft, path)
	if err == nil {
		// It takes the place of nothing, or of an empty directory, which marks a root; never of a store.
		err = up.Rename(draft, up, name, vfs.Replace)
	}
	if err == nil {
		return up.Sync()
	}
	os.RemoveAll(path) // a directory of our own, under a name that nobody else has
	if isStore(p.Dir) {
		return nil
	}
	if isDir(p.Dir) {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Path: p.Dir,
			Msg:  "the directory is there, and has something in it that is no store",
			Hint: "Move it out of the way, or name another place with --store."}
	}
	return err
}

func (p Place) fill(up vfs.Dir, draft, path string) error {
	dir, err := up.Dir(draft)
	if err != nil {
		return err
	}
	defer dir.Close()
	top, err := filepath.Rel(p.Dir, p.Top)
	if err != nil {
		top = p.Top
	}
	if filepath.Base(p.Dir) == inTree {
		if err := create(dir, ".gitignore", "*\n"); err != nil {
			return err
		}
	}
	if err := Create(dir, filepath.ToSlash(top)); err != nil {
		return err
	}
	if err := p.mark(path); err != nil {
		return err
	}
	return giveTo(path, p.Top)
}
