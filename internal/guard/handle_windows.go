package guard

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/watch"
)

// windowsTree is a root on Windows. It goes name by name from the handle of the root, with the calls that a commit makes: each opens
// one name below a handle, as it is written, and follows no reparse point. So whatever Windows would make of a path, a drive, a device
// name, dots at an end or a short name, a path leads where its names say, and never to another volume.
type windowsTree struct {
	top vfs.Dir
	is  fs.FileInfo
}

func openTree(dir string) (tree, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	is, err := r.Stat(".")
	if err != nil {
		return nil, err
	}
	top, err := vfs.FromRoot(r)
	if err != nil {
		return nil, err
	}
	return windowsTree{top, is}, nil
}

func (t windowsTree) info() (fs.FileInfo, error) { return t.is, nil }
func (t windowsTree) close() error               { return t.top.Close() }

func (t windowsTree) openDir(names []string) (handle, error) {
	h, err := t.walk(names)
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (t windowsTree) open(names []string) (vfs.Dir, error) {
	h, err := t.walk(names)
	return h.dir, err
}

func (t windowsTree) walk(names []string) (windowsHandle, error) {
	dir, err := vfs.Reopen(t.top)
	if err != nil {
		return windowsHandle{}, err
	}
	h := windowsHandle{dir: dir}
	if err = h.noteIdentity(); err == nil {
		for _, name := range names {
			if err = h.enter(name); err != nil {
				break
			}
		}
	}
	if err != nil {
		h.close()
		return windowsHandle{}, err
	}
	return h, nil
}

// windowsHandle is a directory below the root and the identities of those on the way to it.
type windowsHandle struct {
	dir        vfs.Dir
	identities []Identity
}

func (h *windowsHandle) enter(name string) error {
	next, err := h.dir.Dir(name)
	if err != nil {
		return wayError(err)
	}
	h.dir.Close()
	h.dir = next
	return h.noteIdentity()
}

// wayError turns an error of opening a directory into those that the walk knows. A junction, or a mounted volume, is no directory
// here.
func wayError(err error) error {
	switch {
	case errors.Is(err, syscall.ELOOP):
		return errLink
	case errors.Is(err, syscall.EXDEV), errors.Is(err, syscall.ENOTDIR):
		return errNotDirectory
	}
	return err
}

func (h *windowsHandle) noteIdentity() error {
	is, err := h.stat(".")
	h.identities = append(h.identities, is.id)
	return err
}

func (h windowsHandle) close() { h.dir.Close() }

func (h windowsHandle) identity() (Identity, error) { return h.identities[len(h.identities)-1], nil }

func (h windowsHandle) ancestors(n int) ([]Identity, error) {
	ids := slices.Clone(h.identities[max(0, len(h.identities)-n):])
	slices.Reverse(ids)
	return ids, nil
}

func (h windowsHandle) stat(name string) (fileInfo, error) {
	is, err := h.dir.Stat(name)
	if err != nil {
		return fileInfo{}, err
	}
	return fileInfo{id: Identity{Dev: is.ID.Dev, Ino: is.ID.Ino}, size: is.Size, mode: is.Mode, mtime: is.ModTime, ctime: is.ChangeTime,
		links: is.Links, mount: is.ID.Dev, hasMount: true}, nil
}

func (h windowsHandle) mount(string) (uint64, error) { return h.identities[0].Dev, nil }

func (h windowsHandle) readlink(name string) (string, error) { return h.dir.Readlink(name) }

func (h windowsHandle) list(n int) ([]string, error) {
	f, err := vfs.Lister(h.dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(n)
}

func (h windowsHandle) open(name string) (*os.File, error) {
	f, err := vfs.OpenFile(h.dir, name)
	if errors.Is(err, syscall.ELOOP) {
		err = errLink
	}
	return f, err
}

func (h windowsHandle) openRegular(name string) (File, error) {
	f, err := h.open(name)
	if errors.Is(err, syscall.EISDIR) || errors.Is(err, vfs.ErrNotRegular) {
		if is, serr := h.stat(name); serr == nil {
			err = refuseUnreadable(name, is, "")
		}
	}
	if err != nil {
		return File{}, err
	}
	is, err := f.Stat()
	if err != nil {
		f.Close()
		return File{}, err
	}
	return File{Size: is.Size(), f: f}, nil
}

func openDirReader(h handle) (dirReader, error) {
	own, ok := h.(windowsHandle)
	if cached, is := h.(*cachedDir); is {
		own, ok = cached.handle.(windowsHandle)
	}
	if !ok {
		return openPortableReader(h)
	}
	dir, err := vfs.Reopen(own.dir)
	if err != nil {
		return nil, err
	}
	return newWindowsReader(dir)
}

// windowsReader is a directory that is listed.
type windowsReader struct{ windowsHandle }

func newWindowsReader(dir vfs.Dir) (dirReader, error) {
	h := windowsHandle{dir: dir}
	if err := h.noteIdentity(); err != nil {
		h.close()
		return nil, err
	}
	return windowsReader{h}, nil
}

func (r windowsReader) openSubdir(name string) (dirReader, error) {
	dir, err := r.dir.Dir(name)
	if err != nil {
		return nil, wayError(err)
	}
	return newWindowsReader(dir)
}

func (r windowsReader) list(ctx context.Context, n *Names) error {
	f, err := vfs.Lister(r.dir)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		if ctx.Err() != nil {
			return refuseCancelled(ctx, "")
		}
		some, err := f.ReadDir(1024)
		for _, d := range some {
			n.add([]byte(d.Name()), fileInfo{mode: d.Type()}.kind())
		}
		if err == io.EOF || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r windowsReader) watch(w *watch.Watch, _ string) { w.Deafen() }

func (r windowsReader) open(name string) (File, error) { return r.openRegular(name) }
