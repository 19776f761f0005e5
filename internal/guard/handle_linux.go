package guard

import (
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/vfs"
)

// With these flags the kernel refuses to leave the root and to pass through any link: a directory is where its names say.
const resolveFlags uint64 = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_SYMLINKS

// haveOpenat2 checks once whether the kernel has openat2 and the sandbox, if there is one, allows it.
var haveOpenat2 = sync.OnceValue(func() bool {
	fd, err := openat2(unix.AT_FDCWD, ".", unix.O_PATH, resolveFlags)
	if err == nil {
		unix.Close(fd)
	}
	return err != unix.ENOSYS && err != unix.EPERM
})

func openTree(dir string) (tree, error) {
	if !haveOpenat2() {
		return openPortable(dir)
	}
	fd, err := retryInterrupted(func() (int, error) {
		return unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, err
	}
	return openat2Tree{os.NewFile(uintptr(fd), dir)}, nil
}

// openat2Tree is a root whose paths the kernel resolves.
type openat2Tree struct{ root *os.File }

func (t openat2Tree) info() (fs.FileInfo, error) { return t.root.Stat() }
func (t openat2Tree) close() error               { return t.root.Close() }

func (t openat2Tree) openDir(names []string) (handle, error) {
	fd, err := t.openat2(names, unix.O_PATH, resolveFlags)
	if err != nil {
		return nil, err
	}
	return linuxHandle{fd}, nil
}

func (t openat2Tree) open(names []string) (vfs.Dir, error) {
	fd, err := t.openat2(names, unix.O_RDONLY, resolveFlags|unix.RESOLVE_NO_XDEV)
	if err == errMoved && t.crossesMount(names) {
		return nil, errMount
	}
	if err != nil {
		return nil, err
	}
	return vfs.FromFD(fd), nil
}

// crossesMount reports whether names lead to another mount.
func (t openat2Tree) crossesMount(names []string) bool {
	h, err := t.openDir(names)
	if err != nil {
		return false
	}
	defer h.close()
	top, err := t.openDir(nil)
	if err != nil {
		return false
	}
	defer top.close()
	here, err := h.mount(".")
	if err != nil {
		return false
	}
	root, err := top.mount(".")
	return err == nil && here != root
}

func (t openat2Tree) openat2(names []string, flags, resolve uint64) (fd int, err error) {
	// Through Control, so that closing the guard in the middle of a call cannot leave us with a number that belongs to
	// another file by now.
	raw, err := t.root.SyscallConn()
	if err != nil {
		return 0, err
	}
	if cerr := raw.Control(func(root uintptr) {
		fd, err = openat2(int(root), strings.Join(append([]string{"."}, names...), "/"), flags, resolve)
	}); cerr != nil {
		return 0, cerr
	}
	switch err {
	case unix.ELOOP:
		err = errLink
	case unix.EXDEV: // a directory was moved out of the root during the call, or a mount is in the way
		err = errMoved
	}
	return fd, err
}

func openat2(root int, path string, flags, resolve uint64) (int, error) {
	return retryInterrupted(func() (int, error) {
		return unix.Openat2(root, path, &unix.OpenHow{
			Flags:   flags | unix.O_DIRECTORY | unix.O_CLOEXEC,
			Resolve: resolve,
		})
	})
}

// maxRetries is how often openat2 is called again because names moved while it followed them. A file that somebody has leased
// gives the same error for as long as they like.
const maxRetries = 1000

// retryInterrupted repeats a call that a signal interrupted, or that failed with "try again".
func retryInterrupted(call func() (int, error)) (int, error) {
	for tries := 0; ; tries++ {
		n, err := call()
		if err != unix.EINTR && (err != unix.EAGAIN || tries >= maxRetries) {
			return n, err
		}
	}
}

// linuxHandle is an O_PATH handle.
type linuxHandle struct{ fd int }

func (d linuxHandle) close() { unix.Close(d.fd) }

func (d linuxHandle) identity() (Identity, error) {
	is, err := d.stat(".")
	return is.id, err
}

func (d linuxHandle) ancestors(n int) ([]Identity, error) {
	// The kernel's "..", from the handle itself: true even if the directory has been moved since.
	ids := make([]Identity, 0, n)
	for up := "."; len(ids) < n; up += "/.." {
		is, err := d.stat(up)
		if err != nil {
			return nil, err
		}
		ids = append(ids, is.id)
	}
	return ids, nil
}

func (d linuxHandle) stat(name string) (fileInfo, error) {
	// With the mount, which no other call reports.
	const flags, mask = unix.AT_SYMLINK_NOFOLLOW | unix.AT_NO_AUTOMOUNT, unix.STATX_BASIC_STATS | unix.STATX_MNT_ID
	var st unix.Statx_t
	_, err := retryInterrupted(func() (int, error) { return 0, unix.Statx(d.fd, name, flags, mask, &st) })
	if err == unix.ENOSYS || err == unix.EPERM {
		return d.fstatat(name)
	}
	if err != nil {
		return fileInfo{}, err
	}
	return fileInfo{
		id:       Identity{Dev: unix.Mkdev(st.Dev_major, st.Dev_minor), Ino: st.Ino},
		size:     int64(st.Size),
		mode:     vfs.FileMode(uint32(st.Mode)),
		mtime:    time.Unix(st.Mtime.Sec, int64(st.Mtime.Nsec)),
		ctime:    time.Unix(st.Ctime.Sec, int64(st.Ctime.Nsec)),
		links:    uint64(st.Nlink),
		mount:    st.Mnt_id,
		hasMount: st.Mask&unix.STATX_MNT_ID != 0,
	}, nil
}

// fstatat is for a kernel, or a sandbox, without statx.
func (d linuxHandle) fstatat(name string) (fileInfo, error) {
	var st unix.Stat_t
	_, err := retryInterrupted(func() (int, error) {
		return 0, unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	})
	if err != nil {
		return fileInfo{}, err
	}
	return fileInfo{
		id:    Identity{Dev: uint64(st.Dev), Ino: st.Ino},
		size:  st.Size,
		mode:  vfs.FileMode(st.Mode),
		mtime: time.Unix(st.Mtim.Unix()),
		ctime: time.Unix(st.Ctim.Unix()),
		links: uint64(st.Nlink),
	}, nil
}

func (d linuxHandle) readlink(name string) (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := retryInterrupted(func() (int, error) { return unix.Readlinkat(d.fd, name, buf) })
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}

func (d linuxHandle) list(n int) ([]string, error) {
	// An O_PATH handle cannot be read, but its "." is the same directory wherever that is by now.
	fd, err := retryInterrupted(func() (int, error) {
		return unix.Openat(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), ".")
	defer f.Close()
	return f.Readdirnames(n)
}

func (d linuxHandle) open(name string) (*os.File, error) {
	fd, err := retryInterrupted(func() (int, error) {
		// Without O_NONBLOCK, opening a FIFO waits for a writer.
		const flags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_NOCTTY | unix.O_CLOEXEC
		return unix.Openat(d.fd, name, flags, 0)
	})
	if err == unix.ELOOP {
		return nil, errLink
	}
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

func (d linuxHandle) openRegular(name string) (File, error) {
	fd, err := retryInterrupted(func() (int, error) {
		const flags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_NOCTTY | unix.O_CLOEXEC
		return unix.Openat(d.fd, name, flags, 0)
	})
	if err == unix.ELOOP {
		err = errLink
	}
	if err != nil {
		return File{}, err
	}
	var st unix.Stat_t
	if _, err = retryInterrupted(func() (int, error) { return 0, unix.Fstat(fd, &st) }); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = refuseUnreadable(name, fileInfo{mode: vfs.FileMode(st.Mode)}, "")
	}
	if err != nil {
		unix.Close(fd)
		return File{}, err
	}
	return File{Size: st.Size, fd: fd}, nil
}
