package vfs

import (
	"io/fs"
	"maps"
	"slices"
	"syscall"
)

// memDir is an open directory of a [Memory].
type memDir struct {
	m      *Memory
	node   *inode
	epoch  int
	closed bool
}

// on makes one call about one name, with the disk to itself.
func (d *memDir) on(op, name string, call func() error) error {
	if err := single(op, name); err != nil {
		return err
	}
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	if err := d.usable(); err != nil {
		return failed(op, name, err)
	}
	if len(name) > 255 {
		return failed(op, name, syscall.ENAMETOOLONG)
	}
	return failed(op, name, call())
}

func (d *memDir) usable() error {
	if d.closed || d.epoch != d.m.epoch {
		return fs.ErrClosed
	}
	return nil
}

func (d *memDir) find(name string) (*inode, error) {
	if n := d.node.names[name]; n != nil {
		return n, nil
	}
	return nil, syscall.ENOENT
}

func (d *memDir) Close() error {
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	err := d.usable()
	d.closed = true
	return failed("close", "directory", err)
}

func (d *memDir) Dir(name string) (below Dir, err error) {
	err = d.on("open", name, func() error {
		n, err := d.find(name)
		switch {
		case err != nil:
			return err
		case n.is(fs.ModeSymlink):
			return syscall.ELOOP
		case !n.dir():
			return syscall.ENOTDIR
		}
		below = &memDir{m: d.m, node: n, epoch: d.epoch}
		return nil
	})
	return below, err
}

func (d *memDir) Open(name string) (f File, err error) {
	err = d.on("open", name, func() error {
		n, err := d.regular(name)
		if err == nil {
			f = d.file(n, name, false)
		}
		return err
	})
	return f, err
}

func (d *memDir) regular(name string) (*inode, error) {
	n, err := d.find(name)
	switch {
	case err != nil:
		return nil, err
	case n.is(0):
		return n, nil
	case n.dir():
		return nil, syscall.EISDIR
	case n.is(fs.ModeSymlink):
		return nil, syscall.ELOOP
	}
	return nil, ErrNotRegular
}

func (d *memDir) file(n *inode, name string, writable bool) *memFile {
	f := &memFile{m: d.m, node: n, name: name, epoch: d.epoch, writable: writable}
	d.m.open[f] = struct{}{}
	return f
}

func (d *memDir) Create(name string, perm fs.FileMode) (f File, err error) {
	err = d.on("open", name, func() error {
		n, err := d.add(name, perm.Perm())
		if err == nil {
			f = d.file(n, name, true)
		}
		return err
	})
	return f, err
}

// add makes an inode and gives it a name.
func (d *memDir) add(name string, mode fs.FileMode) (*inode, error) {
	if d.node.names[name] != nil {
		return nil, syscall.EEXIST
	}
	if d.node.gone {
		return nil, syscall.ENOENT
	}
	n, err := d.m.newInode(mode)
	if err != nil {
		return nil, err
	}
	if d.node.attr.mode&fs.ModeSetgid != 0 {
		n.attr.gid = d.node.attr.gid
		if n.dir() {
			n.attr.mode |= fs.ModeSetgid
		}
		n.keptAttr = n.attr
	}
	d.m.apply(change{{d.node, name, n, true}})
	return n, nil
}

func (d *memDir) Append(name string, perm fs.FileMode) (f File, err error) {
	err = d.on("open", name, func() error {
		n, err := d.regular(name)
		if err == syscall.ENOENT {
			n, err = d.add(name, perm.Perm())
		}
		if err == nil {
			err = d.m.breakLeases(n)
		}
		if err == nil {
			opened := d.file(n, name, true)
			opened.append = true
			f = opened
		}
		return err
	})
	return f, err
}

func (d *memDir) Mkdir(name string, perm fs.FileMode) error {
	return d.on("mkdir", name, func() error {
		_, err := d.add(name, fs.ModeDir|perm.Perm()&^umaskOfMemory)
		return err
	})
}

func (d *memDir) Chmod(perm fs.FileMode) error {
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	if err := d.usable(); err != nil {
		return failed("chmod", "directory", err)
	}
	d.node.attr.mode = fs.ModeDir | perm&^fs.ModeType
	return nil
}

func (d *memDir) Stat(name string) (info Info, err error) {
	if name == "." {
		d.m.mu.Lock()
		defer d.m.mu.Unlock()
		if err := d.usable(); err != nil {
			return Info{}, failed("stat", name, err)
		}
		return d.node.info(), nil
	}
	err = d.on("stat", name, func() error {
		n, err := d.find(name)
		if err == nil {
			info = n.info()
		}
		return err
	})
	return info, err
}

func (n *inode) info() Info {
	info := Info{
		ID:      ID{Dev: 1, Ino: n.ino},
		Mode:    n.attr.mode,
		Size:    int64(len(n.data) + len(n.link)),
		ModTime: n.mtime,
		Links:   n.links,
		UID:     n.attr.uid,
		GID:     n.attr.gid,
	}
	if !n.dir() || n.links == 0 {
		return info
	}
	info.Links = 2
	for _, below := range n.names {
		if below.dir() {
			info.Links++
		}
	}
	return info
}

func (d *memDir) Readlink(name string) (target string, err error) {
	err = d.on("readlink", name, func() error {
		n, err := d.find(name)
		if err != nil {
			return err
		}
		if !n.is(fs.ModeSymlink) {
			return syscall.EINVAL
		}
		target = n.link
		return nil
	})
	return target, err
}

func (d *memDir) Names() ([]string, error) {
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	if err := d.usable(); err != nil {
		return nil, failed("list", "directory", err)
	}
	if d.node.gone {
		return nil, failed("list", "directory", syscall.ENOENT)
	}
	return slices.Collect(maps.Keys(d.node.names)), nil
}

// onTwo makes one call about two names.
func (d *memDir) onTwo(op, name string, to Dir, as string, call func(to *memDir) error) error {
	if err := pair(op, name, as); err != nil {
		return err
	}
	other, ok := to.(*memDir)
	if !ok || other.m != d.m {
		return failedPair(op, name, as, errMaker)
	}
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	if d.usable() != nil || other.usable() != nil {
		return failedPair(op, name, as, fs.ErrClosed)
	}
	if len(name) > 255 || len(as) > 255 {
		return failedPair(op, name, as, syscall.ENAMETOOLONG)
	}
	return failedPair(op, name, as, call(other))
}

func (d *memDir) Link(name string, to Dir, as string) error {
	return d.onTwo("link", name, to, as, func(to *memDir) error {
		n, err := d.find(name)
		switch {
		case err != nil:
			return err
		case to.node.names[as] != nil:
			return syscall.EEXIST
		case to.node.gone:
			return syscall.ENOENT
		case n.dir():
			return syscall.EPERM
		}
		d.m.apply(change{{dir: to.node, name: as, to: n}})
		return nil
	})
}

func (d *memDir) Rename(name string, to Dir, as string, how How) error {
	return d.onTwo("rename", name, to, as, func(to *memDir) error {
		from, err := d.find(name)
		if err != nil {
			return err
		}
		there := to.node.names[as]
		if err := mayRename(d.node, from, to.node, there, how); err != nil {
			return err
		}
		if from == there {
			return nil // two names of one file: the system leaves both
		}
		d.m.rename(d.node, name, to.node, as, how)
		return nil
	})
}

// mayRename judges in the order in which Linux does.
func mayRename(in, from, to, there *inode, how How) error {
	switch {
	case how == NoReplace && there != nil:
		return syscall.EEXIST
	case how == Exchange && there == nil:
		return syscall.ENOENT
	case within(to, from):
		return syscall.EINVAL
	case how == Exchange && within(in, there):
		return syscall.EINVAL
	case within(in, there):
		return syscall.ENOTEMPTY
	case to.gone:
		return syscall.ENOENT
	case how != Replace || there == nil || there == from:
		return nil
	case from.dir() && !there.dir():
		return syscall.ENOTDIR
	case !from.dir() && there.dir():
		return syscall.EISDIR
	case len(there.names) > 0:
		return syscall.ENOTEMPTY
	}
	return nil
}

// within reports whether d is top or below it.
func within(d, top *inode) bool {
	if d == top {
		return true
	}
	if top == nil {
		return false
	}
	for _, below := range top.names {
		if below.dir() && within(d, below) {
			return true
		}
	}
	return false
}

func (m *Memory) rename(in *inode, name string, to *inode, as string, how How) {
	from, there := in.names[name], to.names[as]
	left := cell{dir: in, name: name}
	if how == Exchange {
		left.to = there
	}
	m.apply(change{{dir: to, name: as, to: from}, left})
	if there != nil && how == Replace {
		there.gone = there.dir()
		m.drop(there)
	}
}

func (d *memDir) Remove(name string) error {
	return d.on("remove", name, func() error {
		n, err := d.find(name)
		if err != nil {
			return err
		}
		if n.dir() {
			return syscall.EISDIR
		}
		d.take(name, n)
		return nil
	})
}

func (d *memDir) take(name string, n *inode) {
	d.m.apply(change{{dir: d.node, name: name}})
	d.m.drop(n)
}

func (d *memDir) RemoveDir(name string) error {
	return d.on("rmdir", name, func() error {
		n, err := d.find(name)
		switch {
		case err != nil:
			return err
		case !n.dir():
			return syscall.ENOTDIR
		case len(n.names) > 0:
			return syscall.ENOTEMPTY
		}
		n.gone = true
		d.take(name, n)
		return nil
	})
}

func (d *memDir) Sync() error {
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	if err := d.usable(); err != nil {
		return failed("sync", "directory", err)
	}
	d.m.syncDir(d.node)
	return nil
}
