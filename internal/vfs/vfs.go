// Package vfs has the few file calls that a commit makes, as interfaces. The operating system implements them here; package
// vfstest implements them for tests.
//
// It decides nothing. A [Dir] is an open directory. Every name that it takes is a single name below it, and Dir never
// follows a name that is a link: nothing that happens to the paths above can lead the holder of a Dir elsewhere.
//
// Errors are those of the system: errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOSPC) and so on hold for every
// implementation.
package vfs

import (
	"errors"
	"io"
	"io/fs"
	"time"
)

// ID identifies a file or directory among all that exist at the same time.
type ID struct{ Dev, Ino uint64 }

// Info is what the file system says of one name.
type Info struct {
	ID      ID
	Mode    fs.FileMode // type and permissions, with setuid, setgid and sticky
	Size    int64
	ModTime time.Time
	// ChangeTime is when content, attributes or names last changed. No program can set it. It is zero where the system does
	// not have it.
	ChangeTime time.Time
	Links      uint64
	UID        uint32
	GID        uint32
}

// RenameMode says what a rename does if something has the new name.
type RenameMode uint8

// The modes of a rename.
const (
	Replace   RenameMode = iota // what had the new name is gone
	NoReplace                   // fails with fs.ErrExist if anything has the new name
	Exchange                    // swaps the two names; both must exist
)

// ErrUnsupported is the error of a call that this file system, kernel or platform cannot make: for example Exchange and
// NoReplace on some network and user-space file systems.
var ErrUnsupported = errors.ErrUnsupported

// Dir is an open directory. Several goroutines may call its methods at once.
type Dir interface {
	// Dir opens the directory called name, on the same mount.
	Dir(name string) (Dir, error)
	// Open opens a regular file for reading. It never blocks, and never opens anything but a regular file.
	Open(name string) (File, error)
	// Create makes a new regular file, open for reading and writing. It fails with fs.ErrExist if anything has the
	// name. The permissions are exactly perm, whatever the umask.
	Create(name string, perm fs.FileMode) (File, error)
	// Append opens a regular file for reading, and for writing at its end. It makes the file if it is missing.
	Append(name string, perm fs.FileMode) (File, error)
	// Mkdir makes a directory with permissions perm, less the umask.
	Mkdir(name string, perm fs.FileMode) error
	// Chmod sets the permissions of this directory, whatever the umask.
	Chmod(perm fs.FileMode) error
	// Stat describes the file called name; "." is the directory itself.
	Stat(name string) (Info, error)
	// Readlink returns the target of a symbolic link.
	Readlink(name string) (string, error)
	// Symlink makes a symbolic link called name. It fails with fs.ErrExist if anything has the name.
	Symlink(target, name string) error
	// Names lists the names in the directory, in no order, without "." and "..".
	Names() ([]string, error)
	// Link gives the file called name a second name in to. It fails with fs.ErrExist if anything has that name. It
	// links a symbolic link itself.
	Link(name string, to Dir, as string) error
	// Rename moves name to the name as in to, which must come from the same implementation.
	Rename(name string, to Dir, as string, how RenameMode) error
	// Remove removes a name that is not a directory.
	Remove(name string) error
	// RemoveDir removes an empty directory.
	RemoveDir(name string) error
	// Sync makes the directory's names durable.
	Sync() error
	// SyncAll makes everything durable that was written to the file system of the directory before: contents, attributes and
	// names. Where the system has no such call, the error is ErrUnsupported.
	SyncAll() error
	Close() error
}

// File is an open regular file.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	Truncate(size int64) error
	Stat() (Info, error)
	// CopyAttributes gives the file the owner, permissions, extended attributes and access list of from, without setuid
	// and setgid bits and capabilities. lost names what could not be copied, in words for a person: "setuid bit",
	// "capabilities", "attribute user.x". An error means that the file must not replace from: its owner, group or
	// access list cannot be kept, so it would be open to other people than before.
	CopyAttributes(from File) (lost []string, err error)
	// DefaultAttributes gives the file what a new file gets that an ordinary program makes in dir: perm less the umask,
	// or less what the default access list of dir says, and the group of a directory with the setgid bit.
	DefaultAttributes(dir Dir, perm fs.FileMode) error
	// Plain reports whether the file has no access list, the flags of chattr that as has, and no extended attribute that as
	// does not have with the same value. Content, times, owner and permissions are then all that it has.
	Plain(as File) (bool, error)
	// Give gives the file an owner, a group and permissions, without setuid, setgid and sticky, and takes away an access
	// list. Like CopyAttributes it fails if the owner cannot be given.
	Give(uid, gid uint32, perm fs.FileMode) error
	// Chmod sets the permissions, whatever the umask.
	Chmod(perm fs.FileMode) error
	// StartWriteback asks the system to begin writing the content out, so that Sync finds less to do. It promises
	// nothing.
	StartWriteback()
	// Sync makes content and attributes durable. Never call it again after an error: the system may then report success
	// with old bytes on disk.
	Sync() error
	// Datasync makes the content durable, and the attributes that are needed to read it back.
	Datasync() error
	// TryLock takes the exclusive advisory lock on the file, for as long as the file stays open. It does not wait;
	// false means that somebody else has the lock.
	TryLock() (bool, error)
	// Lease asks to hear of anybody who opens the file for writing. open means that somebody has it open for writing
	// now. Without leases, or if this one is not granted, release does nothing and open is false. release ends the
	// lease and reports whether somebody asked for the file meanwhile; they waited until now.
	Lease() (release func() (asked bool), open bool)
	// Touch sets the modification time.
	Touch(t time.Time) error
	Close() error
}
