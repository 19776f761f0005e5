package vfstest

import (
	"io"
	"io/fs"

	"github.com/emend-dev/emend/internal/vfs"
)

// Node is what a tree has at one path. Two nodes are equal if they look the same to a reader.
type Node struct {
	Mode     fs.FileMode
	UID, GID uint32
	Data     string // content of a regular file
	Target   string // target of a symbolic link
}

// Snapshot reads the whole tree below d, by slash path. d itself is not in it.
func Snapshot(d vfs.Dir) (map[string]Node, error) {
	tree := map[string]Node{}
	return tree, snapshot(tree, d, "")
}

func snapshot(tree map[string]Node, d vfs.Dir, prefix string) error {
	names, err := d.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		n, err := nodeOf(d, name)
		if err != nil {
			return err
		}
		tree[prefix+name] = n
		if !n.Mode.IsDir() {
			continue
		}
		if err := below(tree, d, name, prefix); err != nil {
			return err
		}
	}
	return nil
}

func below(tree map[string]Node, d vfs.Dir, name, prefix string) error {
	sub, err := d.Dir(name)
	if err != nil {
		return err
	}
	defer sub.Close()
	return snapshot(tree, sub, prefix+name+"/")
}

func nodeOf(d vfs.Dir, name string) (Node, error) {
	info, err := d.Stat(name)
	if err != nil {
		return Node{}, err
	}
	n := Node{Mode: info.Mode, UID: info.UID, GID: info.GID}
	switch info.Mode.Type() {
	case 0:
		n.Data, err = ReadFile(d, name)
	case fs.ModeSymlink:
		n.Target, err = d.Readlink(name)
	}
	return n, err
}

// ReadFile reads the regular file called name.
func ReadFile(d vfs.Dir, name string) (string, error) {
	f, err := d.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return string(data), err
}

// Snapshot returns the whole tree at one moment, by slash path.
func (m *Disk) Snapshot() map[string]Node {
	m.mu.Lock()
	defer m.mu.Unlock()
	tree := map[string]Node{}
	m.root.snapshot(tree, "")
	return tree
}

func (n *inode) snapshot(tree map[string]Node, prefix string) {
	for name, below := range n.names {
		a := below.attr
		tree[prefix+name] = Node{Mode: a.mode, UID: a.uid, GID: a.gid, Data: string(below.data), Target: below.link}
		below.snapshot(tree, prefix+name+"/")
	}
}
