package vfs

import (
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// osFile is a regular file of the operating system.
type osFile struct {
	file *os.File
	dev  uint64
	// writable says that the handle may write, and atEnd that it writes at the end of the file.
	writable, atEnd bool
	// wrote says that content was written since the time of the content was last set: see Stat.
	wrote bool
}

// fullAccess is what a file gets that is made here: it is read back, gets attributes and an access list.
const fullAccess = windows.FILE_GENERIC_READ | windows.FILE_GENERIC_WRITE | windows.WRITE_DAC

func (d *osDir) Open(name string) (File, error) {
	return d.open(name, func(dir windows.Handle) (windows.Handle, error) {
		return openRegular(dir, name, windows.FILE_GENERIC_READ)
	}, false)
}

func (d *osDir) Create(name string, perm fs.FileMode) (File, error) {
	if err := checkNewName("open", name); err != nil {
		return nil, err
	}
	descriptor, err := descriptorFor(perm, false)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return d.open(name, func(dir windows.Handle) (windows.Handle, error) { return create(dir, name, perm, descriptor) }, true)
}

func (d *osDir) Append(name string, perm fs.FileMode) (File, error) {
	if err := checkNewName("open", name); err != nil {
		return nil, err
	}
	descriptor, err := descriptorFor(perm, false)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	f, err := d.open(name, func(dir windows.Handle) (h windows.Handle, err error) {
		for range 100 {
			h, err = openRegular(dir, name, windows.FILE_GENERIC_READ|windows.FILE_GENERIC_WRITE)
			if err != windows.STATUS_OBJECT_NAME_NOT_FOUND {
				return h, err
			}
			if h, err = create(dir, name, perm, descriptor); err != windows.STATUS_OBJECT_NAME_COLLISION {
				return h, err
			}
		}
		return h, err
	}, true)
	if err == nil {
		f.(*osFile).atEnd = true
	}
	return f, err
}

func (d *osDir) open(name string, open func(dir windows.Handle) (windows.Handle, error), writable bool) (f File, err error) {
	if err := CheckName("open", name); err != nil {
		return nil, err
	}
	err = d.use(func(dir windows.Handle) error {
		h, err := open(dir)
		if err != nil {
			return namingUsers(systemError(err), dir, name)
		}
		f = &osFile{file: os.NewFile(uintptr(h), name), dev: d.dev, writable: writable}
		return nil
	})
	return f, pathError("open", name, err)
}

// openRegular opens a regular file and nothing else. A file that a filter of the system fills in, a deduplicated one for example, is a
// reparse point as well; it is opened once more as what it looks like.
func openRegular(dir windows.Handle, name string, access uint32) (windows.Handle, error) {
	h, err := opening{access: access, options: itself | windows.FILE_NON_DIRECTORY_FILE}.openWaiting(dir, name)
	if err == windows.STATUS_FILE_IS_A_DIRECTORY && isLink(dir, name) {
		return h, syscall.ELOOP
	}
	if err != nil {
		return h, err
	}
	is, tag, err := query(h)
	if err == nil {
		err = regular(modeOf(is.Attributes, tag))
	}
	if err != nil || tag == 0 {
		return closeAfter(h, err)
	}
	windows.CloseHandle(h)
	if h, err = (opening{access: access, options: windows.FILE_NON_DIRECTORY_FILE}).openWaiting(dir, name); err != nil {
		return h, err
	}
	now, _, err := query(h)
	if err == nil && now.Index != is.Index {
		err = syscall.ELOOP // somebody has put a link in its place
	}
	return closeAfter(h, err)
}

// closeAfter closes h if there is an error.
func closeAfter(h windows.Handle, err error) (windows.Handle, error) {
	if err != nil {
		windows.CloseHandle(h)
		return windows.InvalidHandle, err
	}
	return h, nil
}

func regular(mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode&fs.ModeSymlink != 0:
		return syscall.ELOOP
	case mode.IsDir():
		return syscall.EISDIR
	}
	return ErrNotRegular
}

func create(dir windows.Handle, name string, perm fs.FileMode, descriptor *windows.SECURITY_DESCRIPTOR) (windows.Handle, error) {
	attributes := uint32(windows.FILE_ATTRIBUTE_NORMAL)
	if perm&0o200 == 0 {
		attributes = windows.FILE_ATTRIBUTE_READONLY
	}
	return opening{access: fullAccess, disposition: windows.FILE_CREATE, attributes: attributes, options: itself | windows.FILE_NON_DIRECTORY_FILE,
		descriptor: descriptor}.openWaiting(dir, name)
}

func (f *osFile) Close() error { return f.file.Close() }

func (f *osFile) Read(p []byte) (int, error) { return f.file.Read(p) }

func (f *osFile) ReadAt(p []byte, off int64) (int, error) { return f.file.ReadAt(p, off) }

func (f *osFile) Write(p []byte) (int, error) {
	f.wrote = true
	if f.atEnd {
		if _, err := f.file.Seek(0, io.SeekEnd); err != nil {
			return 0, err
		}
	}
	return f.file.Write(p)
}

func (f *osFile) Truncate(size int64) error {
	f.wrote = true
	return f.file.Truncate(size)
}

func (f *osFile) use(call func(h windows.Handle) error) error { return withHandle(f.file, call) }

// again opens the file once more, with other rights, for one call.
func (f *osFile) again(access, share uint32, call func(h windows.Handle) error) error {
	return f.use(func(h windows.Handle) error {
		own, err := opening{access: access, share: share}.openWaiting(h, "")
		if err != nil {
			return err
		}
		defer windows.CloseHandle(own)
		return call(own)
	})
}

// change lends a handle that may set attributes.
func (f *osFile) change(op string, call func(h windows.Handle) error) error {
	if f.writable {
		return pathError(op, f.file.Name(), systemError(f.use(call)))
	}
	return pathError(op, f.file.Name(), systemError(f.again(windows.FILE_READ_ATTRIBUTES|windows.FILE_WRITE_ATTRIBUTES, 0, call)))
}

// Stat first sets the time of what was written. Otherwise the system would set it when the handle is closed, and the file would
// look as if somebody had saved it since.
func (f *osFile) Stat() (info Info, err error) {
	if f.wrote {
		if err := f.Touch(time.Now()); err != nil {
			return Info{}, err
		}
	}
	err = f.use(func(h windows.Handle) error {
		is, tag, err := query(h)
		info = infoOf(&is, tag, f.dev)
		return err
	})
	if err != nil {
		return Info{}, pathError("stat", f.file.Name(), systemError(err))
	}
	return info, nil
}

// Touch says the attributes again: wine takes none for no attribute, so that a read-only file could be written to.
func (f *osFile) Touch(t time.Time) error {
	f.wrote = false
	written := windows.NsecToFiletime(t.UnixNano())
	return f.change("touch", func(h windows.Handle) error {
		is, _, err := query(h)
		if err != nil {
			return err
		}
		return setBasic(h, basicInfo{Written: int64(written.HighDateTime)<<32 | int64(written.LowDateTime), Attributes: is.Attributes})
	})
}

// Chmod sets the one permission that there is beside the access list: a file that nobody may write to is marked read-only.
func (f *osFile) Chmod(perm fs.FileMode) error {
	return f.change("chmod", func(h windows.Handle) error {
		is, _, err := query(h)
		if err != nil {
			return err
		}
		attributes := is.Attributes &^ windows.FILE_ATTRIBUTE_READONLY
		if perm&0o200 == 0 {
			attributes |= windows.FILE_ATTRIBUTE_READONLY
		}
		if attributes == is.Attributes {
			return nil
		}
		return setBasic(h, basicInfo{Attributes: attributes})
	})
}

// Give knows no numbers of owners: the file gets what a new one in its directory has, and the permission to write or not.
func (f *osFile) Give(_, _ uint32, perm fs.FileMode) error { return f.Chmod(perm) }

// Plain answers no: what is packed comes back without an access list and streams.
func (f *osFile) Plain(File) (bool, error) { return false, nil }

func (f *osFile) StartWriteback() {}

// Sync of a file that is open for reading needs a handle that may write. A read-only file gives none; what was written to it was
// synced before it was marked.
func (f *osFile) Sync() error {
	if f.writable {
		return f.file.Sync()
	}
	err := f.again(windows.FILE_WRITE_DATA, 0, windows.FlushFileBuffers)
	if err == windows.STATUS_ACCESS_DENIED {
		if is, serr := f.Stat(); serr == nil && is.Mode&0o200 == 0 {
			return nil
		}
	}
	return pathError("sync", f.file.Name(), systemError(err))
}

func (f *osFile) Datasync() error { return f.Sync() }

// TryLock locks a byte far beyond any content: Windows would keep others from reading a locked byte.
func (f *osFile) TryLock() (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := f.use(func(h windows.Handle) error {
		return windows.LockFileEx(h, flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	})
	if err == windows.ERROR_LOCK_VIOLATION || err == windows.ERROR_IO_PENDING {
		return false, nil
	}
	return err == nil, pathError("lock", f.file.Name(), err)
}

// Lease keeps others from opening the file for writing until it is released: they are refused and need not ask, so release never
// reports that somebody asked. open means that somebody has it open for writing, or in a way that forbids to rename it.
func (f *osFile) Lease() (release func() (asked bool), open bool) {
	release = func() bool { return false }
	if f.writable {
		return release, false
	}
	var own windows.Handle
	err := f.use(func(h windows.Handle) error {
		return waiting(func() (err error) {
			movable, err := opening{access: windows.DELETE}.open(h, "")
			if isBusy(err) {
				return err
			}
			if err == nil {
				windows.CloseHandle(movable)
			}
			own, err = opening{access: windows.FILE_READ_DATA, share: windows.FILE_SHARE_READ | windows.FILE_SHARE_DELETE}.open(h, "")
			return err
		})
	})
	if err != nil {
		return release, isBusy(err)
	}
	var once sync.Once
	return func() bool {
		once.Do(func() { windows.CloseHandle(own) })
		return false
	}, false
}

// Users names the other programs that have the file open.
func (f *osFile) Users() (out []string) {
	f.use(func(h windows.Handle) error { out = usersOf(h); return nil }) //nolint:errcheck // it is for a message
	return out
}

func (d *osDir) Readlink(name string) (target string, err error) {
	if err := CheckName("readlink", name); err != nil {
		return "", err
	}
	err = d.use(func(dir windows.Handle) error {
		h, err := opening{access: windows.FILE_READ_ATTRIBUTES, options: itself}.openWaiting(dir, name)
		if err != nil {
			return err
		}
		defer windows.CloseHandle(h)
		target, err = readlink(h)
		return err
	})
	return target, pathError("readlink", name, systemError(err))
}
