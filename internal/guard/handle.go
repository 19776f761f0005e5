package guard

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
)

// tree is the handle of the root and the only way to the directories below it.
type tree interface {
	// openDir opens the directory at names. It follows no link: if there is one, the error is errLink.
	openDir(names []string) (handle, error)
	// open opens the directory at names for a commit. If a mount point is on the way or at its end, the error is errMount.
	open(names []string) (vfs.Dir, error)
	// info describes the root.
	info() (fs.FileInfo, error)
	close() error
}

// handle is an open directory below the root. Its methods take a single name and follow no link.
type handle interface {
	identity() (Identity, error)
	// ancestors returns the identity of the directory, then of the one above it, and so on, n of them.
	ancestors(n int) ([]Identity, error)
	stat(name string) (fileInfo, error)
	// mount returns a number for the mount that has the file called name, different for each mount.
	mount(name string) (uint64, error)
	readlink(name string) (string, error)
	// list returns the names in the directory, at most n of them.
	list(n int) ([]string, error)
	// open opens a file for reading and never waits for another process. The file may turn out not to be regular.
	open(name string) (*os.File, error)
	// openRegular opens a regular file and nothing else.
	openRegular(name string) (File, error)
	close()
}

// fileInfo is what the file system says of one name.
type fileInfo struct {
	id    Identity
	size  int64
	mode  fs.FileMode
	mtime time.Time
	ctime time.Time // zero where the system does not have it
	links uint64
	mount uint64 // see [handle.mount]; set if the system reports it together with the rest
	// hasMount reports whether mount is set.
	hasMount bool
}

var (
	errLink  = errors.New("a link is in the way")
	errMoved = errors.New("the directories on the way keep changing")
)

// Kind is the kind of file that a path leads to.
type Kind uint8

// The kinds. Special is a FIFO, a socket, a device or anything else that is not one of the others.
const (
	Missing Kind = iota
	Regular
	Directory
	Symlink
	Special
)

// String returns the word that messages use.
func (k Kind) String() string {
	return [...]string{"missing", "regular file", "directory", "symbolic link", "special file"}[k]
}

func (i fileInfo) kind() Kind {
	switch {
	case i.mode.IsRegular():
		return Regular
	case i.mode.IsDir():
		return Directory
	case i.mode&fs.ModeSymlink != 0:
		return Symlink
	}
	return Special
}

// Identity identifies a file by device and inode. For a place in a directory it is the directory's, and Name the names below
// it.
type Identity struct {
	Dev, Ino uint64
	Name     string
}

// errMount reports a directory on another mount than the root.
var errMount = errors.New("a mount point is in the way")

// deviceOf stands in for the mount where the system does not number mounts: it is the device of a directory. A file counts
// with its directory, since some file systems give files another device.
func deviceOf(h handle, name string) (uint64, error) {
	is, err := h.stat(name)
	if err == nil && is.kind() != Directory {
		is, err = h.stat(".")
	}
	return is.id.Dev, err
}
