package guard

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
)

// tree is the root's handle and the one way to the directories below it.
type tree interface {
	// dir opens the directory at names. It is never reached through a link: then the error is errLink.
	openDir(names []string) (handle, error)
	// open is dir for a commit. A mount point on the way or at its end is errMount.
	open(names []string) (vfs.Dir, error)
	// info describes the root.
	info() (fs.FileInfo, error)
	close() error
}

// handle is an open directory below the root. Its methods take a single name and follow no link.
type handle interface {
	identity() (Identity, error)
	// chain is the identity of the directory, then of the one above, and so on: n of them.
	ancestors(n int) ([]Identity, error)
	stat(name string) (fileInfo, error)
	// mount tells the mounts apart: it is that of what the name leads to.
	mount(name string) (uint64, error)
	readlink(name string) (string, error)
	// list is the names in the directory, at most n of them.
	list(n int) ([]string, error)
	// open opens a file for reading and never waits for another process. It may turn out not to be regular.
	open(name string) (*os.File, error)
	// file is open for what is a regular file, and nothing else.
	openRegular(name string) (File, error)
	close()
}

// info is what the file system says of one name.
type fileInfo struct {
	openRegular Identity
	size        int64
	mode        fs.FileMode
	mtime       time.Time
	links       uint64
	mount       uint64 // see [handle.mount], where the system says so at the same time
	// hasMount: it did.
	hasMount bool
}

var (
	errLink  = errors.New("a link is in the way")
	errMoved = errors.New("the directories on the way keep changing")
)

// Kind is what a path leads to.
type Kind uint8

// The kinds. Special is a FIFO, a socket, a device or anything else that is not one of the others.
const (
	Missing Kind = iota
	Regular
	Directory
	Symlink
	Special
)

// String is the word for messages.
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
