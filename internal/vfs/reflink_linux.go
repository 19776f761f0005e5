package vfs

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Reflink gives the empty file to the content of from, which both share until one of them is written to. It fails where the file system
// cannot do that; to is empty then.
func Reflink(to, from File) error {
	t, ok := to.(*osFile)
	f, also := from.(*osFile)
	if !ok || !also {
		return errors.ErrUnsupported
	}
	return pathError("reflink", t.name, useBoth(&f.handle, &t.handle, func(from, to int) error { return unix.IoctlFileClone(to, from) }))
}
