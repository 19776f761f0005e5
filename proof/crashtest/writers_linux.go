package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// writer is a program that changes one tree to another.
type writer interface {
	// write does transaction t. When it returns nil, the transaction must survive a power cut.
	write(t int) error
	// repair runs the recovery after a crash.
	repair() error
	// recovered repairs a crash that happened when the writer was at m. It returns the number of the tree, and everything that
	// is wrong.
	recovered(m mark) (int, []error)
	// close ends what runs. The disk can be unmounted then.
	close() error
}

func newWriter(j job, w *work) (writer, error) {
	dir := filepath.Join(j.Dir, "tree")
	switch j.Writer {
	case "emend":
		return newEmend(j, w, dir), nil
	case "server":
		return &server{emend: newEmend(j, w, dir)}, nil
	case "packing":
		return &packer{newEmend(j, w, dir)}, nil
	case "indexing":
		return &indexer{newEmend(j, w, dir)}, nil
	case "landing":
		w.addBuilds()
		return &lander{newEmend(j, w, dir)}, nil
	case "plain":
		return &naive{work: w, dir: dir, put: os.WriteFile}, nil
	case "rename":
		return &naive{work: w, dir: dir, put: putByRename, sync: true}, nil
	}
	return nil, fmt.Errorf("-writer: no writer is called %q", j.Writer)
}

// naive writes file by file, as most agents do. It has no recovery.
type naive struct {
	work *work
	dir  string
	put  func(name string, data []byte, perm os.FileMode) error
	sync bool // sync the changed directories at the end
}

func (n *naive) write(t int) error {
	from, to := n.work.trees[t], n.work.trees[t+1]
	var touched []string
	for _, p := range slices.Sorted(maps.Keys(to)) {
		if from[p] == to[p] {
			continue
		}
		if err := n.one(p, to[p]); err != nil {
			return err
		}
		touched = append(touched, filepath.Dir(p))
	}
	for _, p := range slices.Sorted(maps.Keys(from)) {
		if _, stays := to[p]; stays {
			continue
		}
		if err := os.Remove(filepath.Join(n.dir, p)); err != nil {
			return err
		}
		touched = append(touched, filepath.Dir(p))
	}
	return n.syncAll(touched)
}

func (n *naive) one(p string, e entry) error {
	if e.mode.IsDir() {
		return os.Mkdir(filepath.Join(n.dir, p), e.mode.Perm())
	}
	return n.put(filepath.Join(n.dir, p), []byte(e.text), e.mode.Perm())
}

func (n *naive) syncAll(dirs []string) error {
	if !n.sync {
		return nil
	}
	slices.Sort(dirs)
	for _, d := range slices.Compact(dirs) {
		if err := syncPath(filepath.Join(n.dir, d)); err != nil {
			return err
		}
	}
	return nil
}

func (n *naive) repair() error { return nil }

func (n *naive) close() error { return nil }

func (n *naive) recovered(m mark) (int, []error) {
	got, err := readTree(os.DirFS(n.dir))
	if err != nil {
		return -1, []error{err}
	}
	t, err := n.work.verify(got, m)
	if err != nil {
		return -1, []error{err}
	}
	return t, nil
}

// putByRename writes a file atomically: it writes a new file, syncs it, and renames it over the old one.
func putByRename(name string, data []byte, perm os.FileMode) error {
	if err := os.WriteFile(name+".tmp", data, perm); err != nil {
		return err
	}
	if err := syncPath(name + ".tmp"); err != nil {
		return err
	}
	return os.Rename(name+".tmp", name)
}

func syncPath(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// writeTree creates t below dir.
func writeTree(dir string, t tree) error {
	n := &naive{dir: dir, put: os.WriteFile}
	for _, p := range slices.Sorted(maps.Keys(t)) {
		if err := n.one(p, t[p]); err != nil {
			return err
		}
	}
	return nil
}
