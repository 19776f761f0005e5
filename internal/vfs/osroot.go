//go:build !linux && !darwin && !windows

package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// rootDir is a directory of an operating system for which there is nothing better than an [os.Root]. It keeps a root of
// its own for calls with one name, and the root that it was reached from for calls with two directories: those need a
// path below a root that has both. Before each such call the path is compared with the directory, so no earlier rename
// leads the call elsewhere; one in the very moment of the call can.
type rootDir struct {
	top  *sharedRoot
	path string // below top
	root *os.Root
}

// sharedRoot is a root with a count of the directories that use it.
type sharedRoot struct {
	*os.Root
	users chan int // holds the count
}

// Open opens the directory at path, which may lead through links: whoever names the path has judged it.
func Open(path string) (Dir, error) {
	r, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return newTop(r)
}

// FromRoot opens the directory that r has open. r stays the caller's.
func FromRoot(r *os.Root) (Dir, error) {
	own, err := r.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	return newTop(own)
}

func newTop(r *os.Root) (Dir, error) {
	own, err := r.OpenRoot(".")
	if err != nil {
		r.Close()
		return nil, err
	}
	top := &sharedRoot{r, make(chan int, 1)}
	top.users <- 1
	return &rootDir{top, ".", own}, nil
}

func (d *rootDir) Close() error {
	if err := d.root.Close(); err != nil {
		return err
	}
	n := <-d.top.users - 1
	d.top.users <- n
	if n == 0 {
		return d.top.Close()
	}
	return nil
}

func (d *rootDir) Dir(name string) (Dir, error) {
	if err := d.directory(name); err != nil {
		return nil, err
	}
	r, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	d.top.users <- <-d.top.users + 1
	return &rootDir{d.top, filepath.Join(d.path, name), r}, nil
}

// directory refuses what is a link or not a directory. An os.Root would follow the link, though never out of itself.
func (d *rootDir) directory(name string) error {
	if err := CheckName("open", name); err != nil {
		return err
	}
	fi, err := d.root.Lstat(name)
	switch {
	case err != nil:
		return err
	case fi.Mode()&fs.ModeSymlink != 0:
		return pathError("open", name, syscall.ELOOP)
	case !fi.IsDir():
		return pathError("open", name, syscall.ENOTDIR)
	}
	return nil
}

func (d *rootDir) regular(name string) error {
	if err := CheckName("open", name); err != nil {
		return err
	}
	fi, err := d.root.Lstat(name)
	switch {
	case err != nil:
		return err
	case fi.Mode()&fs.ModeSymlink != 0:
		return pathError("open", name, syscall.ELOOP)
	case fi.IsDir():
		return pathError("open", name, syscall.EISDIR)
	case !fi.Mode().IsRegular():
		return pathError("open", name, ErrNotRegular)
	}
	return nil
}

func (d *rootDir) Open(name string) (File, error) {
	if err := d.regular(name); err != nil {
		return nil, err
	}
	return d.file(name, os.O_RDONLY, 0)
}

func (d *rootDir) Create(name string, perm fs.FileMode) (File, error) {
	if err := CheckName("open", name); err != nil {
		return nil, err
	}
	f, err := d.file(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm.Perm())
	if err != nil {
		return nil, err
	}
	if err := f.(*rootFile).Chmod(perm.Perm()); err != nil {
		return nil, errors.Join(err, f.Close(), d.root.Remove(name))
	}
	return f, nil
}

func (d *rootDir) Append(name string, perm fs.FileMode) (File, error) {
	if err := d.regular(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return d.file(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, perm.Perm())
}

func (d *rootDir) file(name string, flags int, perm fs.FileMode) (File, error) {
	f, err := d.root.OpenFile(name, flags, perm)
	if err != nil {
		return nil, err
	}
	return &rootFile{f}, nil
}

func (d *rootDir) Mkdir(name string, perm fs.FileMode) error {
	if err := CheckName("mkdir", name); err != nil {
		return err
	}
	return d.root.Mkdir(name, perm.Perm())
}

func (d *rootDir) Symlink(target, name string) error {
	if err := CheckName("symlink", name); err != nil {
		return err
	}
	return d.root.Symlink(target, name)
}

func (d *rootDir) Stat(name string) (Info, error) {
	if name != "." {
		if err := CheckName("stat", name); err != nil {
			return Info{}, err
		}
	}
	fi, err := d.root.Lstat(name)
	if err != nil {
		return Info{}, err
	}
	return infoAt(d.root, name, fi)
}

func (d *rootDir) Readlink(name string) (string, error) {
	if err := CheckName("readlink", name); err != nil {
		return "", err
	}
	return d.root.Readlink(name)
}

func (d *rootDir) Names() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// Remove checks the type first: an os.Root would remove an empty directory as well.
func (d *rootDir) Remove(name string) error {
	if err := CheckName("remove", name); err != nil {
		return err
	}
	fi, err := d.root.Lstat(name)
	if err != nil {
		return err
	}
	if fi.IsDir() {
		return pathError("remove", name, syscall.EISDIR)
	}
	return d.root.Remove(name)
}

func (d *rootDir) Chmod(perm fs.FileMode) error { return d.root.Chmod(".", perm.Perm()) }

func (d *rootDir) RemoveDir(name string) error {
	if err := d.directory(name); err != nil {
		return err
	}
	return d.root.Remove(name)
}

func (d *rootDir) Link(name string, to Dir, as string) error {
	from, in, err := d.paths("link", name, to, as)
	if err != nil {
		return err
	}
	return d.top.Link(from, in)
}

// Rename without replacing takes two steps here: a crash in between leaves a file with both names. A directory cannot
// be renamed this way.
func (d *rootDir) Rename(name string, to Dir, as string, how RenameMode) error {
	from, in, err := d.paths("rename", name, to, as)
	if err != nil {
		return err
	}
	switch how {
	case Replace:
		return d.top.Rename(from, in)
	case NoReplace:
		return d.renameNew(from, in)
	}
	return linkError("rename", name, as, ErrUnsupported)
}

func (d *rootDir) renameNew(from, in string) error {
	if fi, err := d.top.Lstat(from); err != nil {
		return err
	} else if fi.IsDir() {
		return linkError("rename", from, in, ErrUnsupported)
	}
	if err := d.top.Link(from, in); err != nil {
		return err
	}
	return d.top.Remove(from)
}

// paths returns the two names as paths below the root from which both directories were reached.
func (d *rootDir) paths(op, name string, to Dir, as string) (from, in string, err error) {
	if err := CheckNames(op, name, as); err != nil {
		return "", "", err
	}
	other, ok := to.(*rootDir)
	if !ok {
		return "", "", linkError(op, name, as, ErrOtherMaker)
	}
	if d.top != other.top {
		return "", "", linkError(op, name, as, fmt.Errorf("two roots: %w", ErrUnsupported))
	}
	if err := errors.Join(d.checkUnmoved(), other.checkUnmoved()); err != nil {
		return "", "", linkError(op, name, as, err)
	}
	return filepath.Join(d.path, name), filepath.Join(other.path, as), nil
}

// checkUnmoved returns an error if the directory is no longer where it was opened.
func (d *rootDir) checkUnmoved() error {
	is, err := d.root.Stat(".")
	if err != nil {
		return err
	}
	there, err := d.top.Lstat(d.path)
	if err != nil {
		return err
	}
	if !os.SameFile(is, there) {
		return fmt.Errorf("%q is another directory now: %w", d.path, fs.ErrNotExist)
	}
	return nil
}

// Sync does nothing: Windows has no such call for a directory, and writes names through its journal.
func (d *rootDir) Sync() error { return nil }

// SyncAll needs the rights of an administrator on Windows.
func (d *rootDir) SyncAll() error { return ErrUnsupported }

// rootFile adds the missing methods to an os.File.
type rootFile struct{ *os.File }

func (f *rootFile) Stat() (Info, error) {
	fi, err := f.File.Stat()
	if err != nil {
		return Info{}, err
	}
	return infoOf(f.File, fi)
}

func (f *rootFile) CopyAttributes(from File) ([]string, error) {
	other, ok := from.(*rootFile)
	if !ok {
		return nil, pathError("adopt", f.Name(), ErrOtherMaker)
	}
	fi, err := other.File.Stat()
	if err != nil {
		return nil, err
	}
	return nil, f.Chmod(fi.Mode().Perm())
}

func (f *rootFile) DefaultAttributes(_ Dir, perm fs.FileMode) error { return f.Chmod(perm.Perm()) }
func (f *rootFile) Plain(File) (bool, error)                        { return false, nil }
func (f *rootFile) Give(_, _ uint32, perm fs.FileMode) error        { return f.Chmod(perm.Perm()) }
func (f *rootFile) StartWriteback()                                 {}
func (f *rootFile) Datasync() error                                 { return f.Sync() }
func (f *rootFile) TryLock() (bool, error)                          { return tryLock(f.File) }
func (f *rootFile) Lease() (func() bool, bool)                      { return func() bool { return false }, false }
func (f *rootFile) Touch(t time.Time) error                         { return touch(f.File, t) }
