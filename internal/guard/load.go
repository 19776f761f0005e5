package guard

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"unsafe"

	"github.com/emend-dev/emend/fail"
)

// maxSize is the largest file that is read, in bytes.
const maxSize = min(1<<32-1, math.MaxInt)

// Load reads the regular file that e names, whole, and returns its bytes and their SHA-256 in lower-case hexadecimal. The
// path is resolved again, following no link, and the directory at its end must be the one that Resolve saw. The file is
// whatever has the name now: the hash is true of it, e may be older. A file that grows or shrinks meanwhile is read as far as
// it goes.
func (g *Guard) Load(ctx context.Context, e Entry) (data, sha256 string, err error) {
	v := g.NewBatch()
	defer v.Close()
	return v.Load(ctx, e)
}

// Load is [Guard.Load] with what the batch knows already.
func (b *Batch) Load(ctx context.Context, e Entry) (data, sha256 string, err error) {
	data, sha256, err = b.load(ctx, e, false)
	return data, sha256, asRefusal(e.Rel, err)
}

// load reads the file that e names. With just, Resolve has seen it as recently as another look before opening it would.
func (b *Batch) load(ctx context.Context, e Entry, just bool) (data, sum string, err error) {
	data, sum, err = b.loadOnce(ctx, e, just)
	for n := 1; n < maxAttempts && b.cache.disableIfExhausted(err); n++ {
		data, sum, err = b.loadOnce(ctx, e, just)
	}
	return data, sum, err
}

func (b *Batch) loadOnce(ctx context.Context, e Entry, just bool) (data, sum string, err error) {
	parent, last, err := b.g.checkLoad(e)
	if err != nil {
		return "", "", err
	}
	h, err := reopenParent(b.cache, e, parent)
	if err != nil {
		return "", "", err
	}
	defer h.close()
	if !just {
		if err := requireRegular(h, e.Rel, last); err != nil {
			return "", "", err
		}
	}
	f, err := h.openRegular(last)
	if err != nil {
		return "", "", refuseNewLink(e.Rel, err)
	}
	defer f.Close()
	if f.Size > maxSize {
		return "", "", refuseTooLarge(e.Rel)
	}
	return readAll(ctx, f, e.Rel, f.Size)
}

// openEntry opens the regular file that e names, for reading.
func (g *Guard) openEntry(e Entry) (*os.File, fs.FileInfo, error) {
	parent, last, err := g.checkLoad(e)
	if err != nil {
		return nil, nil, err
	}
	h, err := reopenParent(g.tree, e, parent)
	if err != nil {
		return nil, nil, err
	}
	defer h.close()
	return openRegular(h, e.Rel, last)
}

// checkLoad checks that the file of e may be read, and returns the names of its directory and its own.
func (g *Guard) checkLoad(e Entry) (parent []string, last string, err error) {
	if !fs.ValidPath(e.Rel) {
		return nil, "", refuseArgument(e.Rel, "not a path that was looked at: "+fail.Quote(e.Rel), "Look at the path first.")
	}
	names := splitNames(e.Rel)
	if err := g.checkFor(e.Rel, false, e.asked)(names); err != nil {
		return nil, "", err
	}
	if len(names) == 0 {
		return nil, "", refuseUnreadable(".", fileInfo{mode: fs.ModeDir}, "")
	}
	// The kind that Resolve saw decides, though another file may have the name by now: the caller relied on it.
	if e.Kind == Directory || e.Kind == Symlink || e.Kind == Special {
		return nil, "", refuseUnreadable(e.Rel, fileInfo{mode: e.Mode}, e.Target)
	}
	parent, names = splitLast(names)
	return parent, names[0], nil
}

// reopenParent opens the directory of e, which must be the one that Resolve saw.
func reopenParent(t tree, e Entry, names []string) (handle, error) {
	h, err := t.openDir(names)
	if err != nil {
		return nil, err
	}
	id, err := h.identity()
	if err == nil && e.HasParent && (id.Dev != e.Place.Dev || id.Ino != e.Place.Ino) {
		err = &fail.Error{Kind: fail.Stale, Path: e.Rel, Msg: "its directory was replaced", Hint: "Look at the path again."}
	}
	if err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// openRegular opens a regular file and nothing else. It looks before it opens, since opening alone has an effect on some
// devices, and again at the open file, since the first look may be out of date by then.
func openRegular(h handle, path, name string) (*os.File, fs.FileInfo, error) {
	if err := requireRegular(h, path, name); err != nil {
		return nil, nil, err
	}
	f, err := h.open(name)
	if err != nil {
		return nil, nil, refuseNewLink(path, err)
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = refuseUnreadable(path, fileInfo{mode: fi.Mode()}, "")
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, fi, nil
}

// requireRegular refuses a name that is not a regular file's.
func requireRegular(h handle, path, name string) error {
	is, err := h.stat(name)
	if err == nil && is.kind() != Regular {
		target, _ := h.readlink(name)
		err = refuseUnreadable(path, is, target)
	}
	return err
}

// readAll reads r to its end into the only copy of its bytes, and hashes them at the same time. size is a guess.
func readAll(ctx context.Context, r io.Reader, path string, size int64) (data, sum string, err error) {
	b := make([]byte, 0, size+1) // one more, to see the end
	h := newParallelHash(size)
	defer h.stop()
	for {
		if ctx.Err() != nil {
			return "", "", refuseCancelled(ctx, path)
		}
		if len(b) == cap(b) {
			b = slices.Grow(b, blockSize)
		}
		room := b[len(b):min(cap(b), len(b)+blockSize)]
		n, err := r.Read(room)
		h.add(room[:n])
		b = b[:len(b)+n]
		if err == nil && n < len(room) && int64(len(b)) == size {
			err = io.EOF // the whole size was read, and there was room for more
		}
		switch {
		case len(b) > maxSize:
			return "", "", refuseTooLarge(path)
		case err == io.EOF:
			return unsafe.String(unsafe.SliceData(b), len(b)), h.sum(), nil // nobody writes to b any more
		case err != nil:
			return "", "", err
		}
	}
}

// blockSize is how many bytes are read at once; a cancelled call ends between two blocks.
const blockSize = 256 << 10

func refuseTooLarge(path string) error {
	return &fail.Error{Kind: fail.FileTooLarge, Path: path, Msg: fmt.Sprintf("the file is over %d bytes", int64(maxSize)),
		Hint: "Only smaller files can be read and patched."}
}
