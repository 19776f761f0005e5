package vfstest

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/emend-dev/emend/internal/vfs"
)

// System says which system a disk in memory answers as.
type System uint8

const (
	Linux System = iota
	// NTFS is Windows since version 1709 of Windows 10. Names that differ in case are one name. No two names can be exchanged, and a
	// link needs a privilege. Of the permissions there is one, to write. Another program that has a file open can keep everybody else
	// out (see [Disk.Hold]), and a lease does so with those who would write. A directory with something open in it cannot be renamed.
	NTFS
	// OldNTFS is NTFS as older versions of Windows have it, and wine: an open file cannot be replaced, whoever has it open. A removed
	// file stays in its directory, where nobody can open it and nothing else can have its name, until everybody has closed it.
	OldNTFS
	// APFS is macOS with the file system that it comes with: names that differ in case, or in the form of an accent, are one name.
	APFS
)

func (s System) String() string { return [...]string{"Linux", "NTFS", "OldNTFS", "APFS"}[s] }

func (s System) windows() bool { return s == NTFS || s == OldNTFS }

// errSharing is what Windows says of a file that somebody has open and does not share.
var errSharing = errors.New("sharing violation")

// inUse returns the error of a call that an open file prevents. Package vfs waits for a while before it returns that.
func inUse() error { return &vfs.InUseError{Err: errSharing} }

// fold returns the form in which the system compares names.
func (s System) fold(name string) string {
	switch s {
	case NTFS, OldNTFS:
		return strings.Map(unicode.ToUpper, name)
	case APFS:
		return strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, norm.NFD.String(name))
	}
	return name
}

// checkName refuses a name that the system, or package vfs on it, refuses.
func (s System) checkName(name string) error {
	switch {
	case s == APFS && !utf8.ValidString(name):
		return syscall.EILSEQ
	case s.windows() && (strings.ContainsAny(name, `<>:"|?*\`) || strings.ContainsFunc(name, unicode.IsControl) || strings.TrimRight(name, ". ") != name):
		return fs.ErrInvalid
	case len(name) > 255:
		return syscall.ENAMETOOLONG
	}
	return nil
}

// mode returns what the system keeps of a mode.
func (s System) mode(mode fs.FileMode) fs.FileMode {
	if !s.windows() {
		return mode
	}
	switch {
	case mode.IsDir():
		return fs.ModeDir | 0o777
	case mode&fs.ModeSymlink != 0:
		return fs.ModeSymlink | 0o777
	case mode&0o200 != 0:
		return mode.Type() | 0o666
	}
	return mode.Type() | 0o444
}

// attr returns what the system keeps of attributes.
func (s System) attr(a attr) attr {
	if s.windows() {
		return attr{mode: s.mode(a.mode)}
	}
	return a
}

// spelled returns the name in d that the system takes for name; name itself if there is none.
func (m *Disk) spelled(d *inode, name string) string {
	if m.system == Linux || d.names[name] != nil {
		return name
	}
	folded := m.system.fold(name)
	for have := range d.names {
		if m.system.fold(have) == folded {
			return have
		}
	}
	return name
}

// Use says how another program has a file open.
type Use uint8

// A program writes, or it keeps others from reading the file, from writing to it, or from renaming, removing and replacing it.
const (
	Writes Use = 1 << iota
	DenyRead
	DenyWrite
	DenyDelete
)

// hold is a file that another program has open.
type hold struct {
	node *inode
	use  Use
}

// Hold opens the file at a slash path as another program, which outlives a [Disk.Kill], until release is called. Only on Windows can it
// deny others anything.
func (m *Disk) Hold(path string, use Use) (release func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.root
	for name := range strings.SplitSeq(path, "/") {
		if n = n.names[m.spelled(n, name)]; n == nil {
			return nil, pathError("open", path, syscall.ENOENT)
		}
	}
	h := &hold{n, use}
	if !m.system.windows() {
		h.use &= Writes
	}
	m.holds[h] = struct{}{}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.holds, h)
		m.closed(n)
	}, nil
}

// uses reports whether another program has a file open in one of the ways.
func (m *Disk) uses(n *inode, ways Use) bool {
	for h := range m.holds {
		if h.node == n && h.use&ways != 0 {
			return true
		}
	}
	return false
}

// writes reports whether anybody has a file open for writing.
func (m *Disk) writes(n *inode) bool {
	for f := range m.open {
		if f.node == n && f.writable {
			return true
		}
	}
	return m.uses(n, Writes)
}

// isOpen reports whether anybody has n open.
func (m *Disk) isOpen(n *inode) bool {
	for f := range m.open {
		if f.node == n {
			return true
		}
	}
	for h := range m.holds {
		if h.node == n {
			return true
		}
	}
	for d := range m.openDirs {
		if d.node == n {
			return true
		}
	}
	return false
}

// isOpenBelow reports whether anybody has something open below a directory.
func (m *Disk) isOpenBelow(d *inode) bool {
	for _, n := range d.names {
		if m.isOpen(n) || n.dir() && m.isOpenBelow(n) {
			return true
		}
	}
	return false
}

// doomed is a name that is gone when nobody has its file open any more.
type doomed struct {
	dir  *inode
	name string
	node *inode
}

// isDoomed reports whether a name is to go.
func (m *Disk) isDoomed(d *inode, name string) bool {
	for _, x := range m.doomed {
		if x.dir == d && x.name == name {
			return true
		}
	}
	return false
}

// isGoing reports whether a directory is to go.
func (m *Disk) isGoing(d *inode) bool {
	for _, x := range m.doomed {
		if x.node == d {
			return true
		}
	}
	return false
}

// remove takes a name away, now or when nobody has its file open any more.
func (m *Disk) remove(d *inode, name string, n *inode) {
	if m.system == OldNTFS && m.isOpen(n) {
		m.doomed = append(m.doomed, doomed{d, name, n})
		return
	}
	n.gone = n.dir()
	m.apply(change{{dir: d, name: name}})
	m.drop(n)
}

// closed removes what was to go when n is closed.
func (m *Disk) closed(n *inode) {
	if len(m.doomed) == 0 || m.isOpen(n) {
		return
	}
	var left, now []doomed
	for _, x := range m.doomed {
		if x.node == n {
			now = append(now, x)
		} else {
			left = append(left, x)
		}
	}
	m.doomed = left
	for _, x := range now {
		m.remove(x.dir, x.name, n)
	}
}

// mayReplace returns why a file that has the new name of a rename cannot be replaced here.
func (m *Disk) mayReplace(there *inode) error {
	if m.system == OldNTFS && m.isOpen(there) {
		return inUse()
	}
	return m.mayLeave(there)
}

// mayLeave returns why a file cannot leave its name here.
func (m *Disk) mayLeave(n *inode) error {
	switch {
	case m.uses(n, DenyDelete):
		return inUse()
	case m.system.windows() && n.dir() && m.isOpenBelow(n):
		return syscall.EACCES
	}
	return nil
}

// mayOpen returns why a file cannot be opened here.
func (m *Disk) mayOpen(n *inode, write bool) error {
	switch {
	case m.uses(n, DenyRead), write && m.uses(n, DenyWrite), write && m.system.windows() && m.isLeased(n):
		return inUse()
	case write && m.system.windows() && n.attr.mode&0o200 == 0:
		return syscall.EACCES
	}
	return nil
}

func (m *Disk) isLeased(n *inode) bool {
	for f := range m.open {
		if f.node == n && f.lease != nil {
			return true
		}
	}
	return false
}

// ReplacesOpen implements the question of [vfs.ReplacesOpen].
func (d *diskDir) ReplacesOpen() bool { return d.m.system != OldNTFS }

// hasRename reports whether the system has a rename of the kind.
func (s System) hasRename(how vfs.RenameMode) bool { return how != vfs.Exchange || !s.windows() }
