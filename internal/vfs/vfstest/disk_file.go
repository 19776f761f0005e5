package vfstest

import (
	"io"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
)

// diskFile is an open file of a [Disk].
type diskFile struct {
	m        *Disk
	node     *inode
	name     string
	epoch    int
	closed   bool
	off      int64
	writable bool
	append   bool
	locked   bool
	lease    *diskLease
}

type diskLease struct{ asked bool }

// on makes one call while it holds the disk.
func (f *diskFile) on(op string, call func() error) error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if f.closed || f.epoch != f.m.epoch {
		return pathError(op, f.name, fs.ErrClosed)
	}
	err := call()
	if err == io.EOF {
		return err
	}
	return pathError(op, f.name, err)
}

func (f *diskFile) Close() error {
	return f.on("close", func() error { f.m.forget(f); return nil })
}

// forget closes f, with its lock and its lease.
func (m *Disk) forget(f *diskFile) {
	f.closed, f.locked, f.lease = true, false, nil
	delete(m.open, f)
	m.closed(f.node)
	m.drop(f.node)
}

func (f *diskFile) Read(p []byte) (n int, err error) {
	err = f.on("read", func() (err error) {
		n, err = f.readAt(p, f.off)
		f.off += int64(n)
		if n > 0 {
			return nil
		}
		return err
	})
	return n, err
}

func (f *diskFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.on("read", func() (err error) { n, err = f.readAt(p, off); return err })
	return n, err
}

func (f *diskFile) readAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, syscall.EINVAL
	}
	n := copy(p, f.node.data[min(off, int64(len(f.node.data))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *diskFile) Write(p []byte) (n int, err error) {
	err = f.on("write", func() error {
		if len(p) == 0 {
			return nil
		}
		if !f.writable {
			return syscall.EBADF
		}
		if f.append {
			f.off = int64(len(f.node.data))
		}
		n = f.m.room(f.off, len(f.node.data), len(p))
		if n > 0 {
			f.m.write(f.node, p[:n], int(f.off))
			f.off += int64(n)
		}
		if n < len(p) {
			return syscall.ENOSPC
		}
		return nil
	})
	return n, err
}

// room returns how many of n bytes can be written at off to a file of size bytes. A hole takes space as well.
func (m *Disk) room(off int64, size, n int) int {
	if m.space == nil {
		return n
	}
	return int(max(0, min(int64(n), int64(size)+max(0, m.space.bytes)-off)))
}

func (m *Disk) write(n *inode, p []byte, off int) {
	n.stable = min(n.stable, off)
	if off < len(n.data) {
		n.data = slices.Clone(n.data) // synced may share the array
	}
	if end := off + len(p); end > len(n.data) {
		m.charge(end - len(n.data))
		n.data = append(n.data, make([]byte, end-len(n.data))...)
	}
	copy(n.data[off:], p)
	n.mtime = m.now()
	n.ctime = n.mtime
}

func (m *Disk) charge(bytes int) {
	if m.space != nil {
		m.space.bytes -= int64(bytes)
	}
}

func (f *diskFile) Truncate(size int64) error {
	return f.on("truncate", func() error {
		if !f.writable || size < 0 {
			return syscall.EINVAL
		}
		n := f.node
		grown := int(size) - len(n.data)
		f.m.charge(grown)
		n.stable = min(n.stable, int(size))
		if grown > 0 {
			n.data = append(n.data, make([]byte, grown)...)
		}
		n.data = n.data[:size:size] // synced may share the array beyond size, where the next write must not land
		n.mtime = f.m.now()
		n.ctime = n.mtime
		return nil
	})
}

func (f *diskFile) Stat() (info vfs.Info, err error) {
	err = f.on("stat", func() error { info = f.node.info(); return nil })
	return info, err
}

func (f *diskFile) CopyAttributes(from vfs.File) (lost []string, err error) {
	other, ok := from.(*diskFile)
	if !ok || other.m != f.m {
		return nil, pathError("adopt", f.name, vfs.ErrOtherMaker)
	}
	err = f.on("adopt", func() error {
		if other.closed || other.epoch != f.m.epoch {
			return fs.ErrClosed
		}
		was := other.node.attr
		if was.mode&fs.ModeSetuid != 0 {
			lost = append(lost, "setuid bit")
		}
		if was.mode&fs.ModeSetgid != 0 {
			lost = append(lost, "setgid bit")
		}
		was.mode &^= fs.ModeSetuid | fs.ModeSetgid
		f.node.attr, f.node.ctime = f.m.system.attr(was), f.m.now()
		return nil
	})
	return lost, err
}

func (f *diskFile) DefaultAttributes(dir vfs.Dir, perm fs.FileMode) error {
	d, ok := dir.(*diskDir)
	if !ok || d.m != f.m {
		return pathError("inherit", f.name, vfs.ErrOtherMaker)
	}
	return f.on("inherit", func() error {
		if err := d.usable(); err != nil {
			return err
		}
		f.node.attr.mode, f.node.ctime = perm.Perm()&^umask, f.m.now()
		f.node.attr.gid = 0
		if d.node.attr.mode&fs.ModeSetgid != 0 {
			f.node.attr.gid = d.node.attr.gid
		}
		f.node.attr = f.m.system.attr(f.node.attr)
		return nil
	})
}

// Plain answers as package vfs does: only on Linux can it tell.
func (f *diskFile) Plain(vfs.File) (bool, error) {
	return f.m.system == Linux, f.on("list attributes", func() error { return nil })
}

func (f *diskFile) Give(uid, gid uint32, perm fs.FileMode) error {
	return f.on("give", func() error {
		f.node.attr, f.node.ctime = f.m.system.attr(attr{perm.Perm(), uid, gid}), f.m.now()
		return nil
	})
}

func (f *diskFile) Chmod(perm fs.FileMode) error {
	return f.on("chmod", func() error {
		f.node.attr.mode, f.node.ctime = f.m.system.mode(perm.Perm()), f.m.now()
		return nil
	})
}

func (f *diskFile) StartWriteback() {}

func (f *diskFile) Sync() error {
	return f.on("sync", func() error { f.m.syncFile(f.node); return nil })
}

func (f *diskFile) Datasync() error {
	return f.on("datasync", func() error { f.m.syncData(f.node); return nil })
}

func (f *diskFile) TryLock() (locked bool, err error) {
	err = f.on("lock", func() error {
		for other := range f.m.open {
			if other != f && other.node == f.node && other.locked {
				return nil
			}
		}
		f.locked, locked = true, true
		return nil
	})
	return locked, err
}

// Lease works as on Linux, for an opener that does not wait: Append fails with EAGAIN while there is a lease. On Windows the holder does
// not hear of the opener, who is turned away.
func (f *diskFile) Lease() (release func() bool, open bool) {
	none := func() bool { return false }
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	switch {
	case f.closed || f.epoch != f.m.epoch || f.writable || f.m.system == APFS:
		return none, false
	case f.m.writes(f.node) || f.m.uses(f.node, DenyDelete):
		return none, true
	}
	lease := &diskLease{}
	f.lease = lease
	return func() bool { return f.release(lease) }, false
}

func (f *diskFile) release(lease *diskLease) bool {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if f.lease != lease {
		return false
	}
	f.lease = nil
	return lease.asked
}

// breakLeases tells the holders of leases on n that somebody wants to write.
func (m *Disk) breakLeases(n *inode) (err error) {
	for f := range m.open {
		if f.node == n && f.lease != nil {
			f.lease.asked, err = true, syscall.EAGAIN
		}
	}
	return err
}

func (f *diskFile) Touch(t time.Time) error {
	return f.on("touch", func() error { f.node.mtime, f.node.ctime = t, f.m.now(); return nil })
}
