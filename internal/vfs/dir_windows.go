package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// osDir is a directory of the operating system. Every call opens one name below its handle, or works on the handle itself.
// Nothing here is a path, so what happens to the paths above leads no call elsewhere.
type osDir struct {
	file *os.File // keeps the handle from being closed while a call uses it
	dev  uint64   // the volume: no call leaves it, since reparse points are not followed
}

const dirAccess = windows.FILE_LIST_DIRECTORY | windows.FILE_TRAVERSE | windows.FILE_READ_ATTRIBUTES | windows.READ_CONTROL

// Open opens the directory at path, which may lead through links: whoever names the path has judged it. Every directory
// below is opened with [Dir.Dir], which follows none.
func Open(path string) (Dir, error) {
	return openAgain(path, func() (*os.File, error) { return os.Open(path) })
}

// FromRoot opens the directory that r has open. r stays the caller's.
func FromRoot(r *os.Root) (Dir, error) {
	return openAgain(r.Name(), func() (*os.File, error) { return r.Open(".") })
}

// openAgain opens a directory as package os does, which shares it with nobody who renames or removes it, waits for those, and opens it
// once more with a handle that shares it.
func openAgain(path string, open func() (*os.File, error)) (dir Dir, err error) {
	var f *os.File
	waiting(func() error { //nolint:errcheck // it is err, as the system says it
		if f, err = open(); errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
			return windows.STATUS_SHARING_VIOLATION
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return fromFile(f, path)
}

func fromFile(f *os.File, path string) (dir Dir, err error) {
	err = withHandle(f, func(h windows.Handle) error {
		var by windows.ByHandleFileInformation
		if err := windows.GetFileInformationByHandle(h, &by); err != nil {
			return err
		}
		own, err := opening{access: dirAccess, options: windows.FILE_DIRECTORY_FILE}.openWaiting(h, "")
		if err == nil {
			dir = newDir(own, path, uint64(by.VolumeSerialNumber))
		}
		return err
	})
	return dir, pathError("open", path, systemError(err))
}

func newDir(h windows.Handle, name string, dev uint64) *osDir {
	return &osDir{file: os.NewFile(uintptr(h), name), dev: dev}
}

// withHandle lends the handle of f to call. It stays open until call is done.
func withHandle(f *os.File, call func(h windows.Handle) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if cerr := raw.Control(func(h uintptr) { err = call(windows.Handle(h)) }); cerr != nil {
		return fs.ErrClosed
	}
	return err
}

func (d *osDir) use(call func(dir windows.Handle) error) error { return withHandle(d.file, call) }

// useBoth lends two handles, which may be the same one.
func useBoth(a, b *osDir, call func(a, b windows.Handle) error) error {
	return a.use(func(from windows.Handle) error {
		return b.use(func(to windows.Handle) error { return call(from, to) })
	})
}

func (d *osDir) Close() error { return d.file.Close() }

func (d *osDir) Dir(name string) (dir Dir, err error) {
	if err := CheckName("open", name); err != nil {
		return nil, err
	}
	err = d.use(func(at windows.Handle) error {
		h, err := opening{access: dirAccess, options: itself | windows.FILE_DIRECTORY_FILE}.openWaiting(at, name)
		if err == windows.STATUS_NOT_A_DIRECTORY && isLink(at, name) {
			return syscall.ELOOP
		}
		if err != nil {
			return err
		}
		if err := ensureDirectory(h); err != nil {
			windows.CloseHandle(h)
			return err
		}
		dir = newDir(h, name, d.dev)
		return nil
	})
	return dir, pathError("open", name, systemError(err))
}

// ensureDirectory refuses a link to a directory, a junction and a mounted volume.
func ensureDirectory(h windows.Handle) error {
	is, tag, err := query(h)
	if err != nil {
		return err
	}
	switch mode := modeOf(is.Attributes, tag); {
	case mode&fs.ModeSymlink != 0:
		return syscall.ELOOP
	case mode&fs.ModeIrregular != 0:
		return syscall.EXDEV
	case !mode.IsDir():
		return syscall.ENOTDIR
	}
	return nil
}

func isLink(at windows.Handle, name string) bool {
	is, tag, err := look(at, name)
	return err == nil && modeOf(is.Attributes, tag)&fs.ModeSymlink != 0
}

// look describes a name. It opens the file for its attributes only, which no other program can deny.
func look(at windows.Handle, name string) (is allInfo, tag uint32, err error) {
	h, err := opening{access: windows.FILE_READ_ATTRIBUTES, options: itself}.openWaiting(at, name)
	if err != nil {
		return is, 0, err
	}
	defer windows.CloseHandle(h)
	return query(h)
}

func (d *osDir) Stat(name string) (info Info, err error) {
	if name == "." {
		err = d.use(func(dir windows.Handle) error {
			is, tag, err := query(dir)
			info = infoOf(&is, tag, d.dev)
			return err
		})
		return info, pathError("stat", name, systemError(err))
	}
	if err := CheckName("stat", name); err != nil {
		return Info{}, err
	}
	err = d.use(func(dir windows.Handle) error {
		is, tag, err := look(dir, name)
		info = infoOf(&is, tag, d.dev)
		return err
	})
	if err != nil {
		return Info{}, pathError("stat", name, systemError(err))
	}
	return info, nil
}

// Names opens the directory once more, since a handle remembers how far it was listed.
func (d *osDir) Names() ([]string, error) {
	f, err := d.lister()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func (d *osDir) lister() (f *os.File, err error) {
	err = d.use(func(dir windows.Handle) error {
		h, err := opening{access: dirAccess, options: windows.FILE_DIRECTORY_FILE}.openWaiting(dir, "")
		if err == nil {
			f = os.NewFile(uintptr(h), d.file.Name())
		}
		return err
	})
	return f, pathError("list", d.file.Name(), systemError(err))
}

// Lister opens the directory once more for listing, as package os does.
func Lister(d Dir) (*os.File, error) {
	own, ok := d.(*osDir)
	if !ok {
		return nil, ErrOtherMaker
	}
	return own.lister()
}

// Reopen opens the same directory once more.
func Reopen(d Dir) (Dir, error) {
	own, ok := d.(*osDir)
	if !ok {
		return nil, ErrOtherMaker
	}
	f, err := own.lister()
	if err != nil {
		return nil, err
	}
	return &osDir{file: f, dev: own.dev}, nil
}

// OpenFile opens a regular file as [Dir.Open] does.
func OpenFile(d Dir, name string) (*os.File, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	own, ok := f.(*osFile)
	if !ok {
		return nil, errors.Join(ErrOtherMaker, f.Close())
	}
	return own.file, nil
}

// Mkdir gives a directory that is for its owner alone an access list of its own. Any other inherits that of d.
func (d *osDir) Mkdir(name string, perm fs.FileMode) error {
	if err := checkNewName("mkdir", name); err != nil {
		return err
	}
	descriptor, err := descriptorFor(perm, true)
	if err != nil {
		return pathError("mkdir", name, err)
	}
	return pathError("mkdir", name, systemError(d.use(func(dir windows.Handle) error {
		h, err := opening{access: windows.FILE_READ_ATTRIBUTES, disposition: windows.FILE_CREATE, options: itself | windows.FILE_DIRECTORY_FILE,
			descriptor: descriptor}.openWaiting(dir, name)
		if err == nil {
			windows.CloseHandle(h)
		}
		return err
	})))
}

// Chmod does nothing: a directory has no permissions here but its access list.
func (d *osDir) Chmod(fs.FileMode) error { return nil }

// Remove removes the name at once, even if somebody has the file open. File systems without POSIX semantics remove it when the
// last handle is closed.
func (d *osDir) Remove(name string) error {
	return d.remove("remove", name, func(mode fs.FileMode, attributes uint32) error {
		if mode.IsDir() {
			return syscall.EISDIR
		}
		return nil
	})
}

func (d *osDir) RemoveDir(name string) error {
	return d.remove("remove", name, func(mode fs.FileMode, attributes uint32) error {
		switch {
		case mode&fs.ModeSymlink != 0:
			return syscall.ELOOP
		case !mode.IsDir():
			return syscall.ENOTDIR
		}
		return nil
	})
}

func (d *osDir) remove(op, name string, check func(fs.FileMode, uint32) error) error {
	if err := CheckName(op, name); err != nil {
		return err
	}
	return d.one(op, name, windows.DELETE|windows.FILE_READ_ATTRIBUTES, func(dir, h windows.Handle) error {
		is, tag, err := query(h)
		if err == nil {
			err = check(modeOf(is.Attributes, tag), is.Attributes)
		}
		if err != nil {
			return err
		}
		return waiting(func() error { return removeByHandle(h) })
	})
}

// one opens a name itself, for one call. If another program stands in the way, the error says which.
func (d *osDir) one(op, name string, access uint32, call func(dir, h windows.Handle) error) error {
	err := d.use(func(dir windows.Handle) error {
		h, err := opening{access: access, options: itself}.openWaiting(dir, name)
		if err == nil {
			err = call(dir, h)
			windows.CloseHandle(h)
		}
		return namingUsers(systemError(err), dir, name)
	})
	return pathError(op, name, err)
}

func (d *osDir) Link(name string, to Dir, as string) error {
	return d.two("link", name, to, as, windows.FILE_WRITE_ATTRIBUTES, func(h, dir windows.Handle) error {
		return setName(h, classLink, 0, dir, as)
	})
}

// Rename is one step of the file system. Where a file that is open cannot be replaced, the error is an [InUseError].
func (d *osDir) Rename(name string, to Dir, as string, how RenameMode) error {
	if how == Exchange {
		return linkError("rename", name, as, ErrUnsupported)
	}
	return d.two("rename", name, to, as, windows.DELETE|windows.FILE_READ_ATTRIBUTES, func(h, dir windows.Handle) error {
		err := renameByHandle(h, dir, as, how == Replace)
		if err == nil || how != Replace {
			return err
		}
		return replaceAgain(h, dir, as, err)
	})
}

// replaceAgain is for a rename that was refused because of what has the new name. An empty directory that is in the way is removed.
// ACCESS_DENIED is what some file systems say for a file that is open; if it may be removed, that is the reason.
func replaceAgain(h, dir windows.Handle, as string, why error) error {
	if why != windows.STATUS_ACCESS_DENIED && why != windows.STATUS_OBJECT_NAME_COLLISION {
		return why
	}
	target, err := opening{access: windows.DELETE | windows.FILE_READ_ATTRIBUTES, options: itself}.open(dir, as)
	if err != nil {
		if isBusy(err) {
			return err
		}
		return why
	}
	there, tag, err := query(target)
	is, _, err2 := query(h)
	switch {
	case err != nil || err2 != nil:
		err = why
	case !modeOf(there.Attributes, tag).IsDir():
		err = windows.STATUS_SHARING_VIOLATION
	case is.Attributes&windows.FILE_ATTRIBUTE_DIRECTORY == 0:
		err = syscall.EISDIR
	default:
		err = removeByHandle(target)
	}
	windows.CloseHandle(target)
	if err != nil {
		return err
	}
	return renameByHandle(h, dir, as, false)
}

// two makes one call with two names, and waits for programs that are in the way of either.
func (d *osDir) two(op, name string, to Dir, as string, access uint32, call func(h, dir windows.Handle) error) error {
	if err := CheckName(op, name); err != nil {
		return err
	}
	if err := checkNewName(op, as); err != nil {
		return err
	}
	other, ok := to.(*osDir)
	if !ok {
		return linkError(op, name, as, ErrOtherMaker)
	}
	if d.dev != other.dev {
		return linkError(op, name, as, syscall.EXDEV)
	}
	return linkError(op, name, as, useBoth(d, other, func(from, in windows.Handle) error {
		h, err := opening{access: access, options: itself}.openWaiting(from, name)
		if err != nil {
			return namingUsers(systemError(err), from, name)
		}
		defer windows.CloseHandle(h)
		err = systemError(waiting(func() error { return call(h, in) }))
		return namingUsers(namingUsers(err, in, as), from, name)
	}))
}

// replacing has, for each volume, what ReplacesOpen found.
var replacing sync.Map

var probes atomic.Int64

// ReplacesOpen tries it once on each volume, with two files of its own.
func (d *osDir) ReplacesOpen() bool {
	if can, known := replacing.Load(d.dev); known {
		return can.(bool)
	}
	can, err := d.replacesOpen()
	if err != nil {
		return true // the rename itself will say what is wrong
	}
	replacing.Store(d.dev, can)
	return can
}

func (d *osDir) replacesOpen() (can bool, err error) {
	err = d.use(func(dir windows.Handle) error {
		n := probes.Add(1)
		var files [2]windows.Handle
		name := func(i int) string { return fmt.Sprintf("emend-%d-%d-%d.probe", os.Getpid(), n, i) }
		for i := range files {
			h, err := opening{access: windows.FILE_GENERIC_READ | windows.FILE_WRITE_ATTRIBUTES | windows.DELETE, disposition: windows.FILE_CREATE,
				options: windows.FILE_NON_DIRECTORY_FILE}.open(dir, name(i))
			if err != nil {
				return err
			}
			defer func() {
				removeByHandle(h) //nolint:errcheck // a name that stays takes no space
				windows.CloseHandle(h)
			}()
			files[i] = h
		}
		if setName(files[1], classLink, 0, dir, name(2)) != nil {
			return nil
		}
		if can = renameByHandle(files[0], dir, name(2), true) == nil; !can {
			d.Remove(name(2)) //nolint:errcheck // as above
		}
		return nil
	})
	return can, err
}

// Sync writes out the names of the directory. Only a handle with the right to add files can do that.
func (d *osDir) Sync() error {
	err := d.use(func(dir windows.Handle) error {
		h, err := opening{access: windows.FILE_WRITE_DATA | windows.FILE_READ_ATTRIBUTES, options: windows.FILE_DIRECTORY_FILE}.openWaiting(dir, "")
		if err != nil {
			return err
		}
		defer windows.CloseHandle(h)
		err = windows.FlushFileBuffers(h)
		if err == windows.ERROR_INVALID_FUNCTION || err == windows.ERROR_NOT_SUPPORTED {
			return nil // some network shares: their names are as durable as they make them
		}
		return err
	})
	return pathError("sync", d.file.Name(), systemError(err))
}

// SyncAll would need the rights of an administrator.
func (d *osDir) SyncAll() error { return pathError("sync", "file system", ErrUnsupported) }

// checkNewName refuses to make a name that other programs could not use: the kernel takes "a." and "NUL", Windows trims the one
// and opens a device for the other.
func checkNewName(op, name string) error {
	if err := CheckName(op, name); err != nil {
		return err
	}
	if why := BadWindowsName(name); why != "" {
		return pathError(op, name, fmt.Errorf("%s: %w", why, fs.ErrInvalid))
	}
	return nil
}

// namingUsers adds to an error who has the file open that is called name.
func namingUsers(err error, dir windows.Handle, name string) error {
	busy, ok := err.(*InUseError)
	if !ok || len(busy.Programs) > 0 {
		return err
	}
	h, oerr := opening{access: windows.FILE_READ_ATTRIBUTES, options: itself}.open(dir, name)
	if oerr != nil {
		return err
	}
	defer windows.CloseHandle(h)
	busy.Programs = usersOf(h)
	return busy
}

// usersOf names the programs that have open what h has open, without this one. The system need not know.
func usersOf(h windows.Handle) []string {
	var list struct {
		Count uint32
		IDs   [64]uintptr
	}
	var status windows.IO_STATUS_BLOCK
	if err := windows.NtQueryInformationFile(h, &status, (*byte)(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), classUsers); err != nil {
		return nil
	}
	var out []string
	for _, id := range list.IDs[:min(int(list.Count), len(list.IDs))] {
		if int(id) != os.Getpid() {
			out = append(out, fmt.Sprintf("%s (process %d)", programOf(uint32(id)), id))
		}
	}
	slices.Sort(out)
	return out
}

// programOf returns the name of a process's program.
func programOf(id uint32) string {
	p, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, id)
	if err != nil {
		return "a program"
	}
	defer windows.CloseHandle(p)
	text := make([]uint16, 1024)
	n := uint32(len(text))
	if err := windows.QueryFullProcessImageName(p, 0, &text[0], &n); err != nil {
		return "a program"
	}
	path := windows.UTF16ToString(text[:n])
	return path[strings.LastIndexByte(path, '\\')+1:]
}
