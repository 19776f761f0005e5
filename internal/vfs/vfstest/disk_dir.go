package vfstest

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"slices"
	"syscall"

	"github.com/emend-dev/emend/internal/vfs"
)

// diskDir is an open directory of a [Disk].
type diskDir struct {
	m      *Disk
	node   *inode
	epoch  int
	closed bool
}

// on makes one call with one name, while it holds the disk.
func (d *diskDir) on(op, name string, call func() error) error {
	if err := vfs.CheckName(op, name); err != nil {
		return err
	}
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	if err := d.usable(); err != nil {
		return pathError(op, name, err)
	}
	if err := d.m.system.checkName(name); err != nil {
		return pathError(op, name, err)
	}
	return pathError(op, name, call())
}

func (d *diskDir) usable() error {
	if d.closed || d.epoch != d.m.epoch {
		return fs.ErrClosed
	}
	return nil
}

func (d *diskDir) find(name string) (*inode, error) {
	name = d.m.spelled(d.node, name)
	n := d.node.names[name]
	switch {
	case n == nil:
		return nil, syscall.ENOENT
	case d.m.isDoomed(d.node, name):
		return nil, inUse()
	}
	return n, nil
}

func (d *diskDir) Close() error {
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	err := d.usable()
	d.closed = true
	delete(d.m.openDirs, d)
	d.m.closed(d.node)
	return pathError("close", "directory", err)
}

func (d *diskDir) Dir(name string) (below vfs.Dir, err error) {
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
		below = d.m.openDir(n)
		return nil
	})
	return below, err
}

func (d *diskDir) Open(name string) (f vfs.File, err error) {
	err = d.on("open", name, func() error {
		n, err := d.regular(name)
		if err == nil {
			err = d.m.mayOpen(n, false)
		}
		if err == nil {
			f = d.file(n, name, false)
		}
		return err
	})
	return f, err
}

func (d *diskDir) regular(name string) (*inode, error) {
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
	return nil, vfs.ErrNotRegular
}

func (d *diskDir) file(n *inode, name string, writable bool) *diskFile {
	f := &diskFile{m: d.m, node: n, name: name, epoch: d.epoch, writable: writable}
	d.m.open[f] = struct{}{}
	return f
}

func (d *diskDir) Create(name string, perm fs.FileMode) (f vfs.File, err error) {
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
func (d *diskDir) add(name string, mode fs.FileMode) (*inode, error) {
	switch _, err := d.find(name); {
	case err == nil:
		return nil, syscall.EEXIST
	case err != syscall.ENOENT:
		return nil, err
	case d.node.gone || d.m.isGoing(d.node):
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

func (d *diskDir) Append(name string, perm fs.FileMode) (f vfs.File, err error) {
	err = d.on("open", name, func() error {
		n, err := d.regular(name)
		if err == syscall.ENOENT {
			n, err = d.add(name, perm.Perm())
		} else if err == nil {
			err = d.m.mayOpen(n, true)
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

func (d *diskDir) Mkdir(name string, perm fs.FileMode) error {
	return d.on("mkdir", name, func() error {
		_, err := d.add(name, fs.ModeDir|perm.Perm()&^umask)
		return err
	})
}

func (d *diskDir) Symlink(target, name string) error {
	return d.on("symlink", name, func() error {
		if target == "" {
			return syscall.ENOENT
		}
		if d.m.system.windows() {
			return syscall.EPERM
		}
		n, err := d.add(name, fs.ModeSymlink|0o777)
		if err == nil {
			n.link = target
		}
		return err
	})
}

func (d *diskDir) Chmod(perm fs.FileMode) error {
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	if err := d.usable(); err != nil {
		return pathError("chmod", "directory", err)
	}
	d.node.attr.mode, d.node.ctime = d.m.system.mode(fs.ModeDir|perm&^fs.ModeType), d.m.now()
	return nil
}

func (d *diskDir) Stat(name string) (info vfs.Info, err error) {
	if name == "." {
		d.m.mu.Lock()
		defer d.m.mu.Unlock()
		if err := d.usable(); err != nil {
			return vfs.Info{}, pathError("stat", name, err)
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

func (n *inode) info() vfs.Info {
	info := vfs.Info{
		ID:         vfs.ID{Dev: 1, Ino: n.ino},
		Mode:       n.attr.mode,
		Size:       int64(len(n.data) + len(n.link)),
		ModTime:    n.mtime,
		ChangeTime: n.ctime,
		Links:      n.links,
		UID:        n.attr.uid,
		GID:        n.attr.gid,
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

func (d *diskDir) Readlink(name string) (target string, err error) {
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

func (d *diskDir) Names() ([]string, error) {
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	if err := d.usable(); err != nil {
		return nil, pathError("list", "directory", err)
	}
	if d.node.gone {
		return nil, pathError("list", "directory", syscall.ENOENT)
	}
	return slices.Collect(maps.Keys(d.node.names)), nil
}

// onTwo makes one call with two names.
func (d *diskDir) onTwo(op, name string, to vfs.Dir, as string, call func(to *diskDir) error) error {
	if err := vfs.CheckNames(op, name, as); err != nil {
		return err
	}
	other, ok := to.(*diskDir)
	if !ok || other.m != d.m {
		return linkError(op, name, as, vfs.ErrOtherMaker)
	}
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	if d.usable() != nil || other.usable() != nil {
		return linkError(op, name, as, fs.ErrClosed)
	}
	if err := cmp.Or(d.m.system.checkName(name), d.m.system.checkName(as)); err != nil {
		return linkError(op, name, as, err)
	}
	return linkError(op, name, as, call(other))
}

func (d *diskDir) Link(name string, to vfs.Dir, as string) error {
	return d.onTwo("link", name, to, as, func(to *diskDir) error {
		n, err := d.find(name)
		if err != nil {
			return err
		}
		switch _, err := to.find(as); {
		case err == nil:
			return syscall.EEXIST
		case err != syscall.ENOENT:
			return err
		case to.node.gone || to.m.isGoing(to.node):
			return syscall.ENOENT
		case n.dir():
			return syscall.EPERM
		}
		d.m.apply(change{{dir: to.node, name: as, to: n}})
		return nil
	})
}

func (d *diskDir) Rename(name string, to vfs.Dir, as string, how vfs.RenameMode) error {
	return d.onTwo("rename", name, to, as, func(to *diskDir) error {
		from, err := d.find(name)
		if err != nil {
			return err
		}
		if !d.m.system.hasRename(how) {
			return vfs.ErrUnsupported
		}
		there, err := to.find(as)
		if err != nil && err != syscall.ENOENT {
			return err
		}
		name := d.m.spelled(d.node, name)
		if d.node == to.node && name == d.m.spelled(d.node, as) && name != as && how != vfs.Exchange {
			d.m.apply(change{{dir: d.node, name: as, to: from}, {dir: d.node, name: name}}) // its own name, spelled in another way
			return nil
		}
		if err := mayRename(d.node, from, to.node, there, how); err != nil {
			return err
		}
		if from == there {
			return nil // two names of one file: the system leaves both
		}
		if err := d.m.mayLeave(from); err != nil {
			return err
		}
		if there != nil && how == vfs.Replace {
			if err := d.m.mayReplace(there); err != nil {
				return err
			}
		}
		d.m.rename(d.node, name, to.node, as, how)
		return nil
	})
}

// mayRename checks in the order in which Linux does.
func mayRename(in, from, to, there *inode, how vfs.RenameMode) error {
	switch {
	case how == vfs.NoReplace && there != nil:
		return syscall.EEXIST
	case how == vfs.Exchange && there == nil:
		return syscall.ENOENT
	case within(to, from):
		return syscall.EINVAL
	case how == vfs.Exchange && within(in, there):
		return syscall.EINVAL
	case within(in, there):
		return syscall.ENOTEMPTY
	case to.gone:
		return syscall.ENOENT
	case how != vfs.Replace || there == nil || there == from:
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

func (m *Disk) rename(in *inode, name string, to *inode, as string, how vfs.RenameMode) {
	was := m.spelled(to, as)
	from, there := in.names[name], to.names[was]
	left := cell{dir: in, name: name}
	if how == vfs.Exchange {
		left.to, as = there, was
	}
	c := change{{dir: to, name: as, to: from}, left}
	if there != nil && was != as {
		c = append(c, cell{dir: to, name: was})
	}
	m.apply(c)
	if there != nil && how == vfs.Replace {
		there.gone = there.dir()
		m.drop(there)
	}
}

func (d *diskDir) Remove(name string) error {
	return d.on("remove", name, func() error {
		n, err := d.find(name)
		if err != nil {
			return err
		}
		if n.dir() {
			return syscall.EISDIR
		}
		return d.take(name, n)
	})
}

func (d *diskDir) take(name string, n *inode) error {
	if err := d.m.mayLeave(n); err != nil {
		return err
	}
	d.m.remove(d.node, d.m.spelled(d.node, name), n)
	return nil
}

func (d *diskDir) RemoveDir(name string) error {
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
		return d.take(name, n)
	})
}

func (d *diskDir) Sync() error {
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	if err := d.usable(); err != nil {
		return pathError("sync", "directory", err)
	}
	d.m.syncDir(d.node)
	return nil
}

func (d *diskDir) SyncAll() error {
	d.m.mu.Lock()
	defer d.m.mu.Unlock()
	if err := d.usable(); err != nil {
		return pathError("sync", "file system", err)
	}
	d.m.settle(d.m.root)
	return nil
}

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

func linkError(op, name, as string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: name, New: as, Err: err}
}
