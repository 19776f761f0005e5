package guard

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/emend-dev/emend/internal/vfs"
)

// portable is a root for systems without openat2. It goes name by name: each directory is looked at, opened as
// a root of its own, and compared with what was seen. So a step can neither leave its parent (os.Root) nor pass
// through a link that was swapped in between (the comparison), even on a kernel where os.Root can be fooled.
type portable struct{ root *os.Root }

func openPortable(dir string) (tree, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return portable{r}, nil
}

func (t portable) info() (fs.FileInfo, error) { return t.root.Stat(".") }
func (t portable) close() error               { return t.root.Close() }

func (t portable) dir(names []string) (handle, error) {
	s, err := t.steps(names)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (t portable) open(names []string) (vfs.Dir, error) {
	s, err := t.steps(names)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := s.sameMount(t.root); err != nil {
		return nil, err
	}
	return vfs.FromRoot(s.root)
}

// sameMount: whoever goes down from a mount into another cannot come back to it by going down further, so that the
// directories in between need not be asked.
func (s steps) sameMount(root *os.Root) error {
	here, err := s.mount(".")
	if err != nil {
		return err
	}
	top, err := steps{root: root}.mount(".")
	if err == nil && here != top {
		err = errMount
	}
	return err
}

func (t portable) steps(names []string) (steps, error) {
	// A root of its own also for no names, so that closing the handle leaves t open.
	r, err := t.root.OpenRoot(".")
	if err != nil {
		return steps{}, err
	}
	s := steps{root: r}
	for _, name := range names {
		if err := s.down(name); err != nil {
			s.close()
			return steps{}, err
		}
	}
	if err := s.note(); err != nil {
		s.close()
		return steps{}, err
	}
	return s, nil
}

// steps is a directory below the root and the identities of those on the way to it.
type steps struct {
	root *os.Root
	way  []Identity
}

func (s steps) close() { s.root.Close() }

// down goes into the directory called name.
func (s *steps) down(name string) error {
	seen, err := s.root.Lstat(name)
	switch {
	case err != nil:
		return err
	case seen.Mode()&fs.ModeSymlink != 0:
		return errLink
	case !seen.IsDir():
		return errNotDirectory
	}
	// With "/." the name itself is opened as a directory only: a FIFO swapped in would block otherwise.
	next, err := s.root.OpenRoot(name + "/.")
	if err != nil {
		return since(err)
	}
	if got, err := next.Stat("."); err != nil || !os.SameFile(seen, got) {
		next.Close()
		return errMoved
	}
	if err := s.note(); err != nil {
		next.Close()
		return err
	}
	s.root.Close()
	s.root = next
	return nil
}

// note keeps the identity of the directory where the steps stand.
func (s *steps) note() error {
	is, err := s.stat(".")
	s.way = append(s.way, is.file)
	return err
}

func (s steps) id() (Identity, error) { return s.way[len(s.way)-1], nil }

func (s steps) chain(n int) ([]Identity, error) {
	ids := slices.Clone(s.way[max(0, len(s.way)-n):])
	slices.Reverse(ids)
	return ids, nil
}

func (s steps) stat(name string) (info, error) {
	fi, err := s.root.Lstat(name)
	if err != nil {
		return info{}, err
	}
	is := info{size: fi.Size(), mode: fi.Mode(), mtime: fi.ModTime()}
	is.file, is.links, err = identify(s.root, name, fi)
	return is, err
}

func (s steps) readlink(name string) (string, error) { return s.root.Readlink(name) }

func (s steps) list(n int) ([]string, error) {
	f, err := s.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(n)
}

func (s steps) open(name string) (*os.File, error) {
	// os.Root follows links inside whatever the flags say, so what was opened is compared with what was seen.
	seen, err := s.root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case seen.Mode()&fs.ModeSymlink != 0:
		return nil, errLink
	}
	f, err := s.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, since(err)
	}
	if got, err := f.Stat(); err != nil || !os.SameFile(seen, got) {
		f.Close()
		return nil, errMoved
	}
	return f, nil
}

func (s steps) file(name string) (File, error) {
	is, err := s.stat(name)
	if err == nil && is.kind() != Regular {
		if is.kind() == Symlink {
			return File{}, errLink
		}
		err = unreadable(name, is, "")
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
		err = unreadable(name, info{mode: fi.Mode()}, "")
	}
	if err != nil {
		f.Close()
		return File{}, err
	}
	return File{Size: fi.Size(), f: f}, nil
}

// since is for a name that was no link a moment before: an error that can only come from a link, or from what is
// no longer there, means that somebody is changing it. os.Root has errors of its own beside the system's.
func since(err error) error {
	number, ok := errors.AsType[syscall.Errno](err)
	if !ok || number == errNotDirectory || number == syscall.ELOOP || errors.Is(err, fs.ErrNotExist) {
		return errMoved
	}
	return err
}
