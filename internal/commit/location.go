package commit

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/emend-dev/emend/fail"
)

// Place is where the store of a tree is, or would be made.
type Place struct {
	Dir    string // absolute path of the store
	Top    string // top of the tree that it belongs to
	Exists bool
	// Linked says that git keeps the repository of Top elsewhere, and that the store is there: a linked worktree, a submodule.
	// Top is then where git says that it is, and git may have moved it since the store was made.
	Linked bool
	// Fallback is where the store is made if it cannot be made at Dir; "" for nowhere.
	Fallback string
}

// The names of a store: in a .git directory, and at the top of a tree without one.
const (
	gitStoreName  = "emend"
	rootStoreName = ".emend"
)

// Locate finds the store of the tree that root, an absolute path without links, belongs to. It searches upwards, on one
// mount. An existing store wins; otherwise the store is to be made in the nearest git directory; otherwise at the
// root. Stores and repositories of strangers do not count: whoever can write above the root must not lead the commit
// elsewhere.
func Locate(root string) (Place, error) {
	mount, owner, err := mountAndOwner(root)
	if err != nil {
		return Place{}, storeError(err)
	}
	counts := func(dir string) bool {
		m, o, err := mountAndOwner(dir)
		return err == nil && m == mount && ownerTrusted(o, owner)
	}
	var git Place
	for dir := root; ; dir = filepath.Dir(dir) {
		if m, _, err := mountAndOwner(dir); err != nil || m != mount {
			break
		}
		here := []Place{{Dir: filepath.Join(dir, rootStoreName), Top: dir}}
		if p, ok := inGitDir(dir); ok && counts(filepath.Dir(p.Dir)) {
			here = []Place{p, here[0]}
			if git.Dir == "" {
				git = p
			}
		}
		for _, p := range here {
			if isStore(p.Dir) && counts(p.Dir) {
				p.Exists = true
				return p, nil
			}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	own := filepath.Join(root, rootStoreName)
	if git.Dir == "" {
		return Place{Dir: own, Top: root}, nil
	}
	git.Fallback = own
	return git, nil
}

// LocateNamed returns the place of a store that a person named, for the tree at root.
func LocateNamed(dir, root string) (Place, error) {
	p := Place{Dir: dir, Top: root, Exists: isStore(dir)}
	up, mine := filepath.Dir(dir), root
	a, _, err := mountAndOwner(up)
	if err != nil {
		return p, storeError(err)
	}
	b, _, err := mountAndOwner(mine)
	if err != nil {
		return p, storeError(err)
	}
	if a != b {
		return p, &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable,
			Msg:  fmt.Sprintf("the store %s is not on the mount of the workspace, so nothing can be renamed between them", fail.Quote(dir)),
			Hint: "Name a place on the same mount, outside of what agents may touch."}
	}
	return p, nil
}

// Preferred returns where a store of the tree at top would be made if it had none.
func Preferred(top string) (Place, error) {
	if p, ok := inGitDir(top); ok {
		return p, nil
	}
	return Place{Dir: filepath.Join(top, rootStoreName), Top: top}, nil
}

// Writable returns why a store cannot be made at the place, nil if it can, as far as permissions tell.
func (p Place) Writable() error {
	err := mayWrite(filepath.Dir(p.Dir))
	if err != nil && p.Fallback != "" {
		err = mayWrite(filepath.Dir(p.Fallback))
	}
	return err
}

// Usable returns why the store at the place cannot be written, or, if there is none, why none can be made.
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
