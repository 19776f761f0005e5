//go:build linux || darwin

package vfs

import (
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// osFile is a regular file of the operating system. It is not an *os.File, which would register each descriptor with
// the poller in vain.
type osFile struct {
	handle
	name     string
	writable bool
}

func newFile(fd int, name string, writable bool) File {
	return &osFile{handle: handle{fd: fd}, name: name, writable: writable}
}

func (d *osDir) Open(name string) (File, error) {
	return d.openFile(name, func(dir int) (int, error) { return openRegular(dir, name, unix.O_RDONLY) }, false)
}

func (d *osDir) Create(name string, perm fs.FileMode) (File, error) {
	return d.openFile(name, func(dir int) (int, error) { return create(dir, name, 0, perm) }, true)
}

func (d *osDir) Append(name string, perm fs.FileMode) (File, error) {
	return d.openFile(name, func(dir int) (int, error) { return openAppend(dir, name, perm) }, true)
}

func (d *osDir) openFile(name string, open func(dir int) (int, error), writable bool) (File, error) {
	if err := CheckName("open", name); err != nil {
		return nil, err
	}
	opened := -1
	err := d.use(func(dir int) (err error) { opened, err = open(dir); return err })
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return newFile(opened, name, writable), nil
}

// openRegular checks the type before it opens, because opening a device can rewind a tape, and again after, because the
// name may have changed in between.
func openRegular(dir int, name string, flags int) (int, error) {
	st, err := statAt(dir, name)
	if err == nil {
		err = regular(&st)
	}
	if err != nil {
		return -1, err
	}
	fd, err := retryCount(func() (int, error) { return unix.Openat(dir, name, flags|fileFlags, 0) })
	if err != nil {
		return -1, err
	}
	if err := ensureRegular(fd, flags); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// ensureRegular checks that a descriptor that was opened with O_NONBLOCK is a regular file, and makes it read as one.
// Of the flags that it was opened with, F_SETFL can set only O_APPEND.
func ensureRegular(fd, flags int) error {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstat(fd, &st) }); err != nil {
		return err
	}
	if err := regular(&st); err != nil {
		return err
	}
	_, err := retryCount(func() (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags&unix.O_APPEND) })
	return err
}

func regular(st *unix.Stat_t) error {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return nil
	case unix.S_IFLNK:
		return unix.ELOOP
	case unix.S_IFDIR:
		return unix.EISDIR
	}
	return ErrNotRegular
}

// create makes a file with exactly perm: the umask, or an access list that the directory hands down, may take
// permissions away from what open asks for.
func create(dir int, name string, flags int, perm fs.FileMode) (int, error) {
	flags |= unix.O_RDWR | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := retryCount(func() (int, error) { return unix.Openat(dir, name, flags, uint32(perm.Perm())) })
	if err != nil {
		return -1, err
	}
	if err := setExactMode(fd, perm); err != nil {
		unix.Close(fd)
		// The name is new: to leave it would give a failed call an effect.
		retry(func() error { return unix.Unlinkat(dir, name, 0) })
		return -1, err
	}
	return fd, nil
}

// setExactMode gives a new file its permissions if it does not have them: to look costs next to nothing, to change is a
// write.
func setExactMode(fd int, perm fs.FileMode) error {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstat(fd, &st) }); err == nil && uint32(st.Mode)&0o7777 == uint32(perm.Perm()) {
		return nil
	}
	return retry(func() error { return unix.Fchmod(fd, uint32(perm.Perm())) })
}

// openAppend opens the file or else creates it, so that only a file that it made gets the permissions. A round without
// a result means that somebody made or removed the file in between.
func openAppend(dir int, name string, perm fs.FileMode) (int, error) {
	for range 100 {
		fd, err := openRegular(dir, name, unix.O_RDWR|unix.O_APPEND)
		if err != unix.ENOENT {
			return fd, err
		}
		fd, err = create(dir, name, unix.O_APPEND, perm)
		if err != unix.EEXIST {
			return fd, err
		}
	}
	return -1, fmt.Errorf("made and removed again and again by somebody else: %w", unix.EBUSY)
}

func (f *osFile) Close() error { return pathError("close", f.name, f.close()) }

// maxIO is the most that one call reads or writes: Darwin refuses more than 2 GiB.
const maxIO = 1 << 30

func (f *osFile) Read(p []byte) (n int, err error) {
	if len(p) == 0 {
		return 0, nil
	}
	err = f.use(func(fd int) (err error) {
		n, err = retryCount(func() (int, error) { return unix.Read(fd, p[:min(len(p), maxIO)]) })
		return err
	})
	return readResult("read", f.name, n, err)
}

func (f *osFile) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, pathError("read", f.name, unix.EINVAL)
	}
	err = f.use(func(fd int) error {
		for n < len(p) {
			part := p[n:min(len(p), n+maxIO)]
			m, err := retryCount(func() (int, error) { return unix.Pread(fd, part, off+int64(n)) })
			if err != nil {
				return err
			}
			if m == 0 {
				return io.EOF
			}
			n += m
		}
		return nil
	})
	if err == io.EOF {
		return n, err
	}
	return n, pathError("read", f.name, err)
}

// readResult turns the result of a read call into that of io.Reader, where 0 bytes are the end of the file.
func readResult(op, name string, n int, err error) (int, error) {
	switch {
	case err != nil:
		return 0, pathError(op, name, err)
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

func (f *osFile) Write(p []byte) (n int, err error) {
	err = f.use(func(fd int) error {
		for n < len(p) {
			part := p[n:min(len(p), n+maxIO)]
			m, err := retryCount(func() (int, error) { return unix.Write(fd, part) })
			if err != nil {
				return err
			}
			if m == 0 {
				return io.ErrUnexpectedEOF
			}
			n += m
		}
		return nil
	})
	return n, pathError("write", f.name, err)
}

// call makes one call on the file's descriptor.
func (f *osFile) call(op string, call func(fd int) error) error {
	return pathError(op, f.name, f.use(func(fd int) error {
		return retry(func() error { return call(fd) })
	}))
}

func (f *osFile) Truncate(size int64) error {
	return f.call("truncate", func(fd int) error { return unix.Ftruncate(fd, size) })
}

func (f *osFile) Stat() (Info, error) {
	var st unix.Stat_t
	if err := f.call("stat", func(fd int) error { return unix.Fstat(fd, &st) }); err != nil {
		return Info{}, err
	}
	return infoOf(&st), nil
}

func (f *osFile) Touch(t time.Time) error {
	return f.call("touch", func(fd int) error { return touch(fd, t) })
}

func (f *osFile) StartWriteback() {
	f.use(func(fd int) error { startWriteback(fd); return nil }) //nolint:errcheck // a hint
}

// Sync is never repeated, not even if a signal interrupted it.
func (f *osFile) Sync() error { return pathError("sync", f.name, f.use(syncAll)) }

// Datasync is never repeated, like Sync.
func (f *osFile) Datasync() error { return pathError("datasync", f.name, f.use(syncData)) }

// TryLock uses flock: the lock belongs to the open file, so it keeps out a second open file in the same process as
// well, and it ends with the file however the process ends.
func (f *osFile) TryLock() (bool, error) {
	err := f.call("lock", func(fd int) error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
	if isErrno(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func (f *osFile) Lease() (release func() (asked bool), open bool) {
	release = func() bool { return false }
	if f.writable {
		// A lease on a file that this process has open for writing would find only this process.
		return release, false
	}
	f.use(func(fd int) error { //nolint:errcheck // a closed file has no lease
		switch err := lease(fd); err {
		case nil:
			var once sync.Once
			release = func() (asked bool) {
				once.Do(func() { asked = f.endLease() })
				return asked
			}
		case unix.EAGAIN:
			open = true
		}
		return nil
	})
	return release, open
}

// endLease reports whether the lease was being broken, and gives it up. A file that was closed meanwhile took its lease
// along.
func (f *osFile) endLease() (asked bool) {
	f.use(func(fd int) error { asked = unlease(fd); return nil }) //nolint:errcheck // see above
	return asked
}

func (f *osFile) Plain(as File) (plain bool, err error) {
	other, ok := as.(*osFile)
	if !ok {
		return false, pathError("list attributes", f.name, ErrOtherMaker)
	}
	err = useBoth(&f.handle, &other.handle, func(fd, as int) (err error) {
		plain, err = hasOnlyXattrsOf(fd, as)
		return err
	})
	return plain, pathError("list attributes", f.name, err)
}

func (f *osFile) Give(uid, gid uint32, perm fs.FileMode) error {
	return pathError("give", f.name, f.use(func(fd int) error {
		var is unix.Stat_t
		if err := retry(func() error { return unix.Fstat(fd, &is) }); err != nil {
			return err
		}
		if is.Uid != uid || is.Gid != gid {
			if err := retry(func() error { return unix.Fchown(fd, int(uid), int(gid)) }); err != nil {
				return fmt.Errorf("the owner %d:%d cannot be given: %w", uid, gid, err)
			}
		}
		if err := removeACL(fd); err != nil {
			return err
		}
		return setExactMode(fd, perm)
	}))
}

func (f *osFile) Chmod(perm fs.FileMode) error {
	return pathError("chmod", f.name, f.use(func(fd int) error { return setExactMode(fd, perm) }))
}

func (f *osFile) CopyAttributes(from File) (lost []string, err error) {
	other, ok := from.(*osFile)
	if !ok {
		return nil, pathError("adopt", f.name, ErrOtherMaker)
	}
	err = useBoth(&other.handle, &f.handle, func(from, to int) (err error) {
		lost, err = copyAttributes(from, to)
		return err
	})
	return lost, pathError("adopt", f.name, err)
}
