package guard

import (
	"context"
	"encoding/binary"

	"github.com/emend-dev/emend/internal/watch"
	"golang.org/x/sys/unix"
)

func openDirReader(h handle) (dirReader, error) {
	d, ok := h.(linuxHandle)
	if !ok {
		return openPortableReader(h)
	}
	fd, err := openDirectory(d.fd, ".")
	if err != nil {
		return nil, err
	}
	return linuxReader{linuxHandle{fd}}, nil
}

func openDirectory(at int, name string) (int, error) {
	return retryInterrupted(func() (int, error) {
		return unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
}

// linuxReader is a directory handle that can be listed, too.
type linuxReader struct{ linuxHandle }

func (r linuxReader) openSubdir(name string) (dirReader, error) {
	fd, err := openDirectory(r.fd, name)
	if err == unix.ELOOP {
		err = errLink
	}
	if err != nil {
		return nil, err
	}
	return linuxReader{linuxHandle{fd}}, nil
}

// listBytes is how much of a directory is read at a time.
const listBytes = 32 << 10

func (r linuxReader) list(ctx context.Context, n *Names) error {
	if n.buf == nil {
		n.buf = make([]byte, listBytes)
	}
	for {
		if ctx.Err() != nil {
			return refuseCancelled(ctx, "")
		}
		got, err := retryInterrupted(func() (int, error) { return unix.Getdents(r.fd, n.buf) })
		if err == unix.ENOENT { // the directory was removed
			return nil
		}
		if err != nil || got == 0 {
			return err
		}
		n.parseDirents(n.buf[:got])
	}
}

// The layout of struct linux_dirent64: inode, offset, total length, type, name with a NUL.
const (
	entryLength = 16
	entryType   = 18
	entryName   = 19
)

// parseDirents adds the names that the kernel filled in.
func (n *Names) parseDirents(buf []byte) {
	for len(buf) > entryName {
		length := int(binary.NativeEndian.Uint16(buf[entryLength:]))
		if length <= entryName || length > len(buf) {
			return
		}
		name := buf[entryName:length]
		end := 0
		for end < len(name) && name[end] != 0 {
			end++
		}
		if name = name[:end]; string(name) != "." && string(name) != ".." {
			n.add(name, direntKind(buf[entryType]))
		}
		buf = buf[length:]
	}
}

func direntKind(t byte) Kind {
	switch t {
	case unix.DT_REG:
		return Regular
	case unix.DT_DIR:
		return Directory
	case unix.DT_LNK:
		return Symlink
	case unix.DT_UNKNOWN:
		return Missing
	}
	return Special
}

func (r linuxReader) watch(w *watch.Watch, rel string) { w.Add(r.fd, rel) }

func (r linuxReader) open(name string) (File, error) { return r.openRegular(name) }
