package guard

import (
	"context"
	"errors"
	"io"
	"io/fs"
)

// openPortableShelf is for systems without openat2: h is a root of its own, and stays open.
func openPortableShelf(h handle) (shelf, error) {
	s, ok := h.(steps)
	if !ok {
		return nil, errors.New("not a portable handle")
	}
	root, err := s.root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	return portableShelf{steps{root: root}}, nil
}

// portableShelf is a root of its own at the directory.
type portableShelf struct{ steps }

func (s portableShelf) id() (Identity, error) {
	is, err := s.stat(".")
	return is.file, err
}

func (s portableShelf) enter(name string) (shelf, error) {
	root, err := s.root.OpenRoot(".") // down closes the one that it leaves
	if err != nil {
		return nil, err
	}
	next := steps{root: root}
	if err := next.down(name); err != nil {
		next.close()
		return nil, err
	}
	return portableShelf{steps{root: next.root}}, nil
}

func (s portableShelf) list(ctx context.Context, n *Names) error {
	f, err := s.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		if ctx.Err() != nil {
			return cancelled(ctx, "")
		}
		some, err := f.ReadDir(1024)
		for _, d := range some {
			n.add([]byte(d.Name()), info{mode: d.Type()}.kind())
		}
		if err == io.EOF || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s portableShelf) open(name string) (File, error) { return s.file(name) }
