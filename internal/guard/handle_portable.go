package guard

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/emend-dev/emend/internal/vfs"
)

// portableTree is a root for systems without openat2. It goes name by name: it looks at each directory, opens it as a root of
// its own, and compares the two. So a step can neither leave its parent (os.Root) nor pass through a link that was swapped in
// between (the comparison), even on a kernel where os.Root can be fooled.
type portableTree struct{ root *os.Root }

func openPortable(dir string) (tree, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return portableTree{r}, nil
}

func (t portableTree) info() (fs.FileInfo, error) { return t.root.Stat(".") }
func (t portableTree) close() error               { return t.root.Close() }

func (t portableTree) openDir(names []string) (handle, error) {
	s, err := t.walkTo(names)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (t portableTree) open(names []string) (vfs.Dir, error) {
	s, err := t.walkTo(names)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := s.sameMount(t.root); err != nil {
		return nil, err
	}
	return vfs.FromRoot(s.root)
}

// sameMount compares only the two ends: a path that enters another mount cannot come back by going further down.
func (s portableHandle) sameMount(root *os.Root) error {
	here, err := s.mount(".")
	if err != nil {
		return err
	}
	top, err := portableHandle{root: root}.mount(".")
	if err == nil && here != top {
		err = errMount
	}
	return err
}

func (t portableTree) walkTo(names []string) (portableHandle, error) {
	// A new root also for no names, so that closing the handle leaves t open.
	r, err := t.root.OpenRoot(".")
	if err != nil {
		return portableHandle{}, err
	}
	s := portableHandle{root: r}
	for _, name := range names {
		if err := s.openNext(name); err != nil {
			s.close()
			return portableHandle{}, err
		}
	}
	if err := s.noteIdentity(); err != nil {
		s.close()
		return portableHandle{}, err
	}
	return s, nil
}

// portableHandle is a directory below the root and the identities of those on the way to it.
type portableHandle struct {
	root       *os.Root
	identities []Identity
}

func (s portableHandle) close() { s.root.Close() }

// openNext moves the handle down into the directory called name.
func (s *portableHandle) openNext(name string) error {
	seen, err := s.root.Lstat(name)
	switch {
	case err != nil:
		return err
	case seen.Mode()&fs.ModeSymlink != 0:
		return errLink
	case !seen.IsDir():
		return errNotDirectory
	}
	// The "/." makes this open a directory only: a FIFO swapped in would block otherwise.
	next, err := s.root.OpenRoot(name + "/.")
	if err != nil {
		return asMoved(err)
	}
	if got, err := next.Stat("."); err != nil || !os.SameFile(seen, got) {
		next.Close()
		return errMoved
	}
	if err := s.noteIdentity(); err != nil {
		next.Close()
		return err
	}
	s.root.Close()
	s.root = next
	return nil
}

// noteIdentity records the identity of the directory where the handle is.
func (s *portableHandle) noteIdentity() error {
	is, err := s.stat(".")
	s.identities = append(s.identities, is.id)
	return err
}

func (s portableHandle) identity() (Identity, error) { return s.identities[len(s.identities)-1], nil }

func (s portableHandle) ancestors(n int) ([]Identity, error) {
	ids := slices.Clone(s.identities[max(0, len(s.identities)-n):])
	slices.Reverse(ids)
	return ids, nil
}

func (s portableHandle) stat(name string) (fileInfo, error) {
	fi, err := s.root.Lstat(name)
	if err != nil {
		return fileInfo{}, err
	}
	is := fileInfo{size: fi.Size(), mode: fi.Mode(), mtime: fi.ModTime(), ctime: changeTime(fi)}
	is.id, is.links, err = fileID(s.root, name, fi)
	return is, err
}

func (s portableHandle) readlink(name string) (string, error) { return s.root.Readlink(name) }

func (s portableHandle) list(n int) ([]string, error) {
	f, err := s.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(n)
}

func (s portableHandle) open(name string) (*os.File, error) {
	// os.Root follows links inside whatever the flags say, so the open file is compared with the one seen before.
	seen, err := s.root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case seen.Mode()&fs.ModeSymlink != 0:
		return nil, errLink
	}
	f, err := s.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, asMoved(err)
	}
	if got, err := f.Stat(); err != nil || !os.SameFile(seen, got) {
		f.Close()
		return nil, errMoved
	}
	return f, nil
}

func (s portableHandle) openRegular(name string) (File, error) {
	is, err := s.stat(name)
	if err == nil && is.kind() != Regular {
		if is.kind() == Symlink {
			return File{}, errLink
		}
		err = refuseUnreadable(name, is, "")
	}
	if err != nil {
		return File{}, err
	}
	f, err := s.open(name)
	if err != nil {
		return File{}, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = refuseUnreadable(name, fileInfo{mode: fi.Mode()}, "")
	}
	if err != nil {
		f.Close()
		return File{}, err
	}
	return File{Size: fi.Size(), f: f}, nil
}

// asMoved is for a name that was no link a moment before. An error that can only come from a link, or from a missing file,
// means that somebody is changing it. os.Root has errors of its own besides the system's.
func asMoved(err error) error {
	number, ok := errors.AsType[syscall.Errno](err)
	if !ok || number == errNotDirectory || number == syscall.ELOOP || errors.Is(err, fs.ErrNotExist) {
		return errMoved
	}
	return err
}
