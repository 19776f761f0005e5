//go:build linux || darwin

package vfs

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

const (
	dirFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC

	// Without O_NONBLOCK, opening a FIFO that took the place of a file after we looked would wait for somebody to
	// open its other end; without O_NOCTTY a terminal could become ours.
	fileFlags = unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
)

// osDir is a directory of the operating system. Every call is one *at call on its descriptor, with a single name.
type osDir struct{ handle }

// Open opens the directory at path, which may lead through links: whoever names the path has judged it. Every directory
// below is opened with [Dir.Dir], which follows none. Open needs permission to read the directory.
func Open(path string) (Dir, error) {
	fd, err := retryCount(func() (int, error) { return unix.Open(path, dirFlags, 0) })
	if err != nil {
		return nil, pathError("open", path, err)
	}
	return FromFD(fd), nil
}

// FromFD makes a Dir of an open directory, and takes the descriptor over. It must be open for reading: Sync fails on a
// descriptor that is only a path (O_PATH).
func FromFD(fd int) Dir { return &osDir{handle{fd: fd}} }

// FromRoot opens the directory that r has open. r stays the caller's.
func FromRoot(r *os.Root) (Dir, error) {
	f, err := r.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd := -1
	if cerr := raw.Control(func(root uintptr) {
		fd, err = retryCount(func() (int, error) { return unix.Openat(int(root), ".", dirFlags, 0) })
	}); cerr != nil {
		return nil, cerr
	}
	if err != nil {
		return nil, pathError("open", r.Name(), err)
	}
	return FromFD(fd), nil
}

func (d *osDir) Close() error { return pathError("close", "directory", d.close()) }

func (d *osDir) Dir(name string) (Dir, error) {
	if err := CheckName("open", name); err != nil {
		return nil, err
	}
	below := -1
	err := d.use(func(fd int) (err error) { below, err = openBelow(fd, name); return err })
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return FromFD(below), nil
}

// openBelowPortable opens a directory where no single call refuses links and mount points.
func openBelowPortable(dir int, name string) (int, error) {
	fd, err := retryCount(func() (int, error) { return unix.Openat(dir, name, dirFlags|unix.O_NOFOLLOW, 0) })
	if err == unix.ENOTDIR && isLink(dir, name) {
		return -1, unix.ELOOP
	}
	if err != nil {
		return -1, err
	}
	if err := sameMount(dir, fd); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// sameMount compares devices, so it does not see a directory that is bound elsewhere on its own file system.
func sameMount(a, b int) error {
	is, below, err := statBoth(a, b)
	if err != nil {
		return err
	}
	if is.Dev != below.Dev {
		return unix.EXDEV
	}
	return nil
}

func isLink(dir int, name string) bool {
	st, err := statAt(dir, name)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK
}

func statAt(dir int, name string) (st unix.Stat_t, err error) {
	err = retry(func() error { return unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return st, err
}

func (d *osDir) Stat(name string) (info Info, err error) {
	if name != "." {
		if err := CheckName("stat", name); err != nil {
			return Info{}, err
		}
	}
	err = d.use(func(fd int) error {
		st, err := statAt(fd, name)
		info = infoOf(&st)
		return err
	})
	if err != nil {
		return Info{}, pathError("stat", name, err)
	}
	return info, nil
}

func (d *osDir) Readlink(name string) (target string, err error) {
	if err := CheckName("readlink", name); err != nil {
		return "", err
	}
	err = d.use(func(fd int) (err error) { target, err = readlinkAt(fd, name); return err })
	return target, pathError("readlink", name, err)
}

func readlinkAt(dir int, name string) (string, error) {
	for size := 256; ; size *= 4 {
		buf := make([]byte, size)
		n, err := retryCount(func() (int, error) { return unix.Readlinkat(dir, name, buf) })
		if err != nil {
			return "", err
		}
		if n < size {
			return string(buf[:n]), nil
		}
	}
}

func (d *osDir) Names() (names []string, err error) {
	err = d.use(func(fd int) (err error) { names, err = listNames(fd); return err })
	return names, pathError("list", "directory", err)
}

// listNames reads the directory through a descriptor of its own: the position in the list belongs to the descriptor,
// and two callers at once would each get a part.
func listNames(dir int) ([]string, error) {
	fd, err := retryCount(func() (int, error) { return unix.Openat(dir, ".", dirFlags, 0) })
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), ".")
	defer f.Close()
	return f.Readdirnames(-1)
}

func (d *osDir) Mkdir(name string, perm fs.FileMode) error {
	return d.callOne("mkdir", name, func(fd int) error { return unix.Mkdirat(fd, name, uint32(perm.Perm())) })
}

func (d *osDir) Symlink(target, name string) error {
	return d.callOne("symlink", name, func(fd int) error { return unix.Symlinkat(target, fd, name) })
}

func (d *osDir) Chmod(perm fs.FileMode) error {
	return pathError("chmod", "directory", d.use(func(fd int) error {
		return retry(func() error { return unix.Fchmod(fd, modeBits(perm)) })
	}))
}

func (d *osDir) Remove(name string) error {
	return d.callOne("remove", name, func(fd int) error { return unlink(fd, name) })
}

func (d *osDir) RemoveDir(name string) error {
	return d.callOne("rmdir", name, func(fd int) error { return unix.Unlinkat(fd, name, unix.AT_REMOVEDIR) })
}

// callOne makes one call with one name.
func (d *osDir) callOne(op, name string, call func(fd int) error) error {
	if err := CheckName(op, name); err != nil {
		return err
	}
	return pathError(op, name, d.use(func(fd int) error {
		return retry(func() error { return call(fd) })
	}))
}

func (d *osDir) Link(name string, to Dir, as string) error {
	return d.callTwo("link", name, to, as, func(from, to int) error { return unix.Linkat(from, name, to, as, 0) })
}

func (d *osDir) Rename(name string, to Dir, as string, how RenameMode) error {
	return d.callTwo("rename", name, to, as, func(from, to int) error {
		if how == Replace {
			return unix.Renameat(from, name, to, as)
		}
		return renameFlags(from, name, to, as, how)
	})
}

// callTwo makes one call with two names.
func (d *osDir) callTwo(op, name string, to Dir, as string, call func(from, to int) error) error {
	if err := CheckNames(op, name, as); err != nil {
		return err
	}
	other, ok := to.(*osDir)
	if !ok {
		return linkError(op, name, as, ErrOtherMaker)
	}
	return linkError(op, name, as, useBoth(&d.handle, &other.handle, func(from, to int) error {
		return retry(func() error { return call(from, to) })
	}))
}

// Sync is never repeated, not even if a signal interrupted it.
func (d *osDir) Sync() error {
	err := d.use(syncAll)
	if err == unix.EINVAL {
		// Some file systems, mostly in user space or over a network, have no fsync for directories. Nothing
		// else would help: their names are as durable as they make them.
		return nil
	}
	return pathError("sync", "directory", err)
}

// SyncAll is never repeated either.
func (d *osDir) SyncAll() error { return pathError("sync", "file system", d.use(syncFilesystem)) }
