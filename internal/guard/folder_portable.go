package guard

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/emend-dev/emend/internal/watch"
)

// openPortableReader is for systems without openat2. The handle h is a root of its own, and stays open.
func openPortableReader(h handle) (dirReader, error) {
	s, ok := h.(portableHandle)
	if !ok {
		return nil, errors.New("not a portable handle")
	}
	root, err := s.root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	return portableReader{portableHandle{root: root}}, nil
}

// portableReader is an os.Root at the directory.
type portableReader struct{ portableHandle }

func (s portableReader) identity() (Identity, error) {
	is, err := s.stat(".")
	return is.id, err
}

func (s portableReader) openSubdir(name string) (dirReader, error) {
	root, err := s.root.OpenRoot(".") // openNext closes the root that it leaves
	if err != nil {
		return nil, err
	}
	next := portableHandle{root: root}
	if err := next.openNext(name); err != nil {
		next.close()
		return nil, err
	}
	return portableReader{portableHandle{root: next.root}}, nil
}

func (s portableReader) list(ctx context.Context, n *Names) error {
	f, err := s.root.Open(".")
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

func (s portableReader) watch(w *watch.Watch, _ string) { w.Deafen() }

func (s portableReader) open(name string) (File, error) { return s.openRegular(name) }
