package vfstest

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
)

// Kind says what a disk in memory forgets in a power cut.
type Kind uint8

const (
	// Journal is a file system with a metadata journal, such as ext4, xfs and btrfs. Changes of names happen in one
	// order, each whole: after a power cut, a first part of them has happened and the rest has not. Syncing a directory
	// makes all changes durable up to the last one in that directory; syncing a file, all up to its creation.
	Journal Kind = iota
	// Strict is the weakest reading of POSIX: each name in each directory is a cell of its own, and after a power cut
	// holds any value that it has had since the directory was last synced. A rename can leave both names, or neither.
	// Syncing a file does nothing for its name.
	Strict
)

func (k Kind) String() string { return [...]string{"Journal", "Strict"}[k] }

// Disk is a disk in memory that answers as Linux does, or as another [System]. Its space can be limited, and it can lose power: see
// [Disk.Crash] and [Disk.Kill]. All calls are made by root with umask 022. It has no access lists, no extended
// attributes, no mount points, and no permissions that would stop anybody.
//
// After a power cut the content of a file is any of: what was last synced; what was written last; that without its last
// byte, without the second half of what is not synced, or with zeros in place of what is not synced; nothing. Bytes
// that were synced and not written over since, with no truncation below them, always come back.
type Disk struct {
	mu       sync.Mutex
	kind     Kind
	system   System
	root     *inode
	clock    int64
	lastIno  uint64
	space    *space
	epoch    int // grows with each Kill; a handle of an earlier epoch is closed
	open     map[*diskFile]struct{}
	openDirs map[*diskDir]struct{}
	holds    map[*hold]struct{}
	doomed   []doomed // names that go when their files are closed
	pending  []change // changes of names that are not yet durable, oldest first
}

// space is what is left on a limited disk.
type space struct{ bytes, inodes int64 }

// change is one indivisible operation on names.
type change []cell

// cell is a name in a directory and what it refers to after a change; nil for nothing.
type cell struct {
	dir  *inode
	name string
	to   *inode
	born bool // this is the first name of to
}

// inode is a file, directory, link or special file: its current state, and what would survive a power cut.
type inode struct {
	ino   uint64
	attr  attr
	mtime time.Time
	ctime time.Time
	links uint64
	data  []byte
	link  string
	names map[string]*inode // of a directory
	gone  bool              // a removed directory

	// The fields below are the durable state. stable is how many bytes at the beginning of data are synced and unchanged.
	kept      map[string]*inode
	synced    []byte
	stable    int
	keptAttr  attr
	keptMtime time.Time
}

type attr struct {
	mode     fs.FileMode
	uid, gid uint32
}

func (n *inode) is(t fs.FileMode) bool { return n.attr.mode.Type() == t }
func (n *inode) dir() bool             { return n.is(fs.ModeDir) }

const umask fs.FileMode = 0o022

// NewDisk makes an empty disk with a root directory, which answers as Linux does.
func NewDisk(kind Kind) *Disk { return NewDiskOf(Linux, kind) }

// NewDiskOf makes an empty disk with a root directory, which answers as system does.
func NewDiskOf(system System, kind Kind) *Disk {
	m := &Disk{kind: kind, system: system}
	m.closeAll()
	m.root, _ = m.newInode(fs.ModeDir | 0o755)
	m.root.links = 1
	m.settle(m.root)
	return m
}

// Root opens the root directory.
func (m *Disk) Root() vfs.Dir {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.openDir(m.root)
}

// openDir opens a directory.
func (m *Disk) openDir(n *inode) *diskDir {
	d := &diskDir{m: m, node: n, epoch: m.epoch}
	m.openDirs[d] = struct{}{}
	return d
}

// closeAll forgets what is open.
func (m *Disk) closeAll() {
	m.open, m.openDirs, m.holds = map[*diskFile]struct{}{}, map[*diskDir]struct{}{}, map[*hold]struct{}{}
}

// SetSpace sets how much more the disk can take from now on: bytes of content, and inodes. Removed files give their
// space back. Names take no space. Two negative numbers lift the limit.
func (m *Disk) SetSpace(bytes, inodes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.space = &space{bytes, inodes}
	if bytes < 0 && inodes < 0 {
		m.space = nil
	}
}

// Kill does what kill -9 does: every handle is closed, with its lock and its lease, and nothing is lost.
func (m *Disk) Kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.epoch++
	for d := range m.openDirs {
		delete(m.openDirs, d)
		m.closed(d.node)
	}
	for f := range m.open {
		m.forget(f)
	}
}

// now returns the time of a change, later than every one before.
func (m *Disk) now() time.Time {
	m.clock++
	return time.Unix(1_700_000_000, m.clock)
}

// newInode makes an inode without a name. Its number was never used on this disk, nor on one that it crashed from.
func (m *Disk) newInode(mode fs.FileMode) (*inode, error) {
	if m.space != nil {
		if m.space.inodes <= 0 {
			return nil, syscall.ENOSPC
		}
		m.space.inodes--
	}
	m.lastIno++
	n := &inode{ino: m.lastIno, attr: attr{mode: m.system.mode(mode)}, mtime: m.now()}
	n.ctime = n.mtime
	n.keptAttr, n.keptMtime = n.attr, n.mtime
	if n.dir() {
		n.names, n.kept = map[string]*inode{}, map[string]*inode{}
	}
	return n, nil
}

// drop gives back the space of an inode that nobody can reach any more.
func (m *Disk) drop(n *inode) {
	if n.links > 0 || m.space == nil || m.isOpen(n) {
		return
	}
	m.space.bytes += int64(len(n.data))
	m.space.inodes++
}

// apply makes a change of names, and remembers it until it is durable.
func (m *Disk) apply(c change) {
	m.pending = append(m.pending, c)
	t := m.now()
	for _, cell := range c {
		cell.dir.mtime = t
		was := cell.dir.names[cell.name]
		set(cell.dir.names, cell)
		if cell.to != nil {
			cell.to.links++
			cell.to.ctime = t
		}
		if was != nil {
			was.links--
			was.ctime = t
		}
	}
}

func set(names map[string]*inode, c cell) {
	if c.to == nil {
		delete(names, c.name)
		return
	}
	names[c.name] = c.to
}

// harden makes the first n changes durable.
func (m *Disk) harden(n int) {
	for _, c := range m.pending[:n] {
		for _, cell := range c {
			set(cell.dir.kept, cell)
		}
	}
	m.pending = m.pending[n:]
}

// syncDir makes the names in d durable, and on a journal everything that happened before them.
func (m *Disk) syncDir(d *inode) {
	if m.kind == Strict {
		d.kept = maps.Clone(d.names)
		m.forgetChanges(d)
		return
	}
	m.hardenLast(func(c cell) bool { return c.dir == d })
}

func (m *Disk) forgetChanges(d *inode) {
	for i, c := range m.pending {
		m.pending[i] = slices.DeleteFunc(c, func(c cell) bool { return c.dir == d })
	}
	m.pending = slices.DeleteFunc(m.pending, func(c change) bool { return len(c) == 0 })
}

// syncFile makes content and attributes durable, and on a journal the file's first name.
func (m *Disk) syncFile(n *inode) {
	m.syncData(n)
	n.keptAttr, n.keptMtime = n.attr, n.mtime
	if m.kind == Journal {
		m.hardenLast(func(c cell) bool { return c.to == n && c.born })
	}
}

func (m *Disk) syncData(n *inode) {
	n.synced, n.stable = n.data, len(n.data)
}

// hardenLast makes everything durable up to the last change with a cell that matches.
func (m *Disk) hardenLast(match func(cell) bool) {
	for i := len(m.pending) - 1; i >= 0; i-- {
		if slices.ContainsFunc(m.pending[i], match) {
			m.harden(i + 1)
			return
		}
	}
}

// Settle makes everything durable, as sync and a long rest do.
func (m *Disk) Settle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle(m.root)
}

func (m *Disk) settle(n *inode) {
	m.pending = nil
	m.syncData(n)
	n.keptAttr, n.keptMtime = n.attr, n.mtime
	if n.dir() {
		n.kept = maps.Clone(n.names)
	}
	for _, below := range n.names {
		m.settle(below)
	}
}

// Plant makes files and directories by slash path and makes them durable, so that a test has something to begin with.
// "dir/" is a directory, and the content "-> x" makes a link to x. Parent directories are made as needed.
func (m *Disk) Plant(tree map[string]string) error {
	for path, data := range tree {
		if err := m.plant(path, data); err != nil {
			return err
		}
	}
	m.Settle()
	return nil
}

func (m *Disk) plant(path, data string) error {
	if dir, ok := strings.CutSuffix(path, "/"); ok {
		_, err := m.parent(dir + "/.")
		return err
	}
	if target, ok := strings.CutPrefix(data, "-> "); ok {
		return m.Symlink(path, target)
	}
	return m.special(path, 0o644, func(n *inode) { n.data = []byte(data) })
}

// Symlink makes a symbolic link at a slash path.
func (m *Disk) Symlink(path, target string) error {
	return m.special(path, fs.ModeSymlink|0o777, func(n *inode) { n.link = target })
}

// Mkfifo makes a FIFO at a slash path. It stands for every kind of special file.
func (m *Disk) Mkfifo(path string) error {
	return m.special(path, fs.ModeNamedPipe|0o644, func(*inode) {})
}

// Change sets permissions, owner, group and modification time of what is at a slash path, durably.
func (m *Disk) Change(path string, change func(*vfs.Info)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.root
	for name := range strings.SplitSeq(path, "/") {
		if n = n.names[m.spelled(n, name)]; n == nil {
			return pathError("change", path, syscall.ENOENT)
		}
	}
	info := n.info()
	change(&info)
	n.attr = m.system.attr(attr{n.attr.mode.Type() | info.Mode&^fs.ModeType, info.UID, info.GID})
	n.mtime, n.ctime = info.ModTime, m.now()
	n.keptAttr, n.keptMtime = n.attr, n.mtime
	return nil
}

func (m *Disk) special(path string, mode fs.FileMode, fill func(*inode)) error {
	d, err := m.parent(path)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	name := path[strings.LastIndex(path, "/")+1:]
	if d.names[m.spelled(d, name)] != nil {
		return pathError("make", path, syscall.EEXIST)
	}
	n, err := m.newInode(mode)
	if err != nil {
		return pathError("make", path, err)
	}
	fill(n)
	m.apply(change{{d, name, n, true}})
	return nil
}

// parent returns the directory above the last name of path, and makes what is missing.
func (m *Disk) parent(path string) (*inode, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	names := strings.Split(path, "/")
	d := m.root
	for _, name := range names[:len(names)-1] {
		if name = m.spelled(d, name); d.names[name] == nil {
			n, err := m.newInode(fs.ModeDir | 0o755)
			if err != nil {
				return nil, pathError("make", path, err)
			}
			m.apply(change{{d, name, n, true}})
		}
		if d = d.names[name]; !d.dir() {
			return nil, pathError("make", path, syscall.ENOTDIR)
		}
	}
	return d, nil
}
