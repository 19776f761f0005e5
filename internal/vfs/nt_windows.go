package vfs

import (
	"errors"
	"io/fs"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// shareAll lets others read, write, rename and remove the file that is opened.
const shareAll = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE

// Information classes and flags that package windows does not name, or names otherwise.
const (
	classLink          = 11 // FileLinkInformation
	classAll           = 18 // FileAllInformation
	classStreams       = 22 // FileStreamInformation
	classAttributeTag  = 35 // FileAttributeTagInformation
	classUsers         = 47 // FileProcessIdsUsingFileInformation
	classRename        = 65 // FileRenameInformationEx
	nameSurrogate      = 0x20000000
	tagUnixSocket      = 0x80000023
	maxNameUTF16       = 255
	statusLockConflict = windows.NTStatus(0xC0000054) // STATUS_FILE_LOCK_CONFLICT
)

// opening says how to open one name. Every name is opened below the handle of a directory, as it is written: no call here
// takes a path, a drive, a device name or a name that Windows would trim. A reparse point is opened itself, never followed.
type opening struct {
	access, share, disposition, options, attributes uint32
	descriptor                                      *windows.SECURITY_DESCRIPTOR
}

// open opens name below at. The empty name opens once more what at has open.
func (o opening) open(at windows.Handle, name string) (windows.Handle, error) {
	text, err := windows.NewNTUnicodeString(name)
	if err != nil {
		return windows.InvalidHandle, syscall.EINVAL
	}
	what := windows.OBJECT_ATTRIBUTES{RootDirectory: at, ObjectName: text, Attributes: windows.OBJ_CASE_INSENSITIVE, SecurityDescriptor: o.descriptor}
	what.Length = uint32(unsafe.Sizeof(what))
	if o.share == 0 {
		o.share = shareAll
	}
	if o.disposition == 0 {
		o.disposition = windows.FILE_OPEN
	}
	if o.attributes == 0 {
		o.attributes = windows.FILE_ATTRIBUTE_NORMAL
	}
	o.options |= windows.FILE_SYNCHRONOUS_IO_NONALERT | windows.FILE_OPEN_FOR_BACKUP_INTENT
	var h windows.Handle
	var status windows.IO_STATUS_BLOCK
	err = windows.NtCreateFile(&h, o.access|windows.SYNCHRONIZE, &what, &status, nil, o.attributes, o.share, o.disposition, o.options, 0, 0)
	runtime.KeepAlive(text)
	if err != nil {
		return windows.InvalidHandle, err
	}
	return h, nil
}

// openWaiting is open, and waits a while for a program that does not share the file.
func (o opening) openWaiting(at windows.Handle, name string) (h windows.Handle, err error) {
	err = waiting(func() error { h, err = o.open(at, name); return err })
	return h, err
}

// itself is the option with which a link is opened and not its target.
const itself = windows.FILE_OPEN_REPARSE_POINT

// patience is how long a call waits, in all, for another program to let go of a file. Virus scanners and indexers open what was
// just written for some milliseconds.
const patience = time.Second

// waiting repeats a call as long as another program stands in its way, but not for longer than patience.
func waiting(call func() error) error {
	var waited time.Duration
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := call()
		if !isBusy(err) || waited >= patience {
			return err
		}
		time.Sleep(pause)
		waited += pause
	}
}

// isBusy reports whether a call failed because of what another program has open.
func isBusy(err error) bool {
	switch err {
	case windows.STATUS_SHARING_VIOLATION, windows.STATUS_DELETE_PENDING, windows.STATUS_USER_MAPPED_FILE, statusLockConflict:
		return true
	}
	return false
}

// errnos are the errors that callers ask for by the names that Unix has for them.
var errnos = map[windows.NTStatus]syscall.Errno{
	windows.STATUS_NOT_A_DIRECTORY:         syscall.ENOTDIR,
	windows.STATUS_FILE_IS_A_DIRECTORY:     syscall.EISDIR,
	windows.STATUS_OBJECT_NAME_COLLISION:   syscall.EEXIST,
	windows.STATUS_DIRECTORY_NOT_EMPTY:     syscall.ENOTEMPTY,
	windows.STATUS_NOT_SAME_DEVICE:         syscall.EXDEV,
	windows.STATUS_DISK_FULL:               syscall.ENOSPC,
	windows.STATUS_QUOTA_EXCEEDED:          syscall.EDQUOT,
	windows.STATUS_MEDIA_WRITE_PROTECTED:   syscall.EROFS,
	windows.STATUS_TOO_MANY_LINKS:          syscall.EMLINK,
	windows.STATUS_TOO_MANY_OPENED_FILES:   syscall.EMFILE,
	windows.STATUS_NAME_TOO_LONG:           syscall.ENAMETOOLONG,
	windows.STATUS_OBJECT_NAME_INVALID:     syscall.EINVAL,
	windows.STATUS_NOT_SUPPORTED:           syscall.ENOTSUP,
	windows.STATUS_NOT_IMPLEMENTED:         syscall.ENOSYS,
	windows.STATUS_INVALID_DEVICE_REQUEST:  syscall.ENOTSUP,
	windows.STATUS_INVALID_INFO_CLASS:      syscall.ENOTSUP,
	windows.STATUS_IO_REPARSE_TAG_MISMATCH: syscall.EINVAL,
	windows.STATUS_NOT_A_REPARSE_POINT:     syscall.EINVAL,
}

// systemError turns a status of the kernel into the error that [Dir] promises.
func systemError(err error) error {
	status, ok := err.(windows.NTStatus)
	if !ok {
		return err
	}
	if isBusy(status) {
		return &InUseError{Err: status.Errno()}
	}
	if number, ok := errnos[status]; ok {
		return number
	}
	return status.Errno()
}

// allInfo is FILE_ALL_INFORMATION. The name at its end is not used.
type allInfo struct {
	Created, Accessed, Written, Changed int64
	Attributes, _                       uint32
	Allocated, Size                     int64
	Links                               uint32
	DeletePending, Directory            byte
	_                                   uint16
	Index                               uint64
	_                                   [2]uint32
	_                                   int64
	_                                   [3]uint32
	_                                   [maxNameUTF16 + 5]uint16
}

// query describes what a handle has open. The kernel cuts the name off where it does not fit.
func query(h windows.Handle) (is allInfo, tag uint32, err error) {
	var status windows.IO_STATUS_BLOCK
	err = windows.NtQueryInformationFile(h, &status, (*byte)(unsafe.Pointer(&is)), uint32(unsafe.Sizeof(is)), classAll)
	if err != nil && err != windows.STATUS_BUFFER_OVERFLOW {
		return is, 0, err
	}
	if is.Attributes&windows.FILE_ATTRIBUTE_REPARSE_POINT == 0 {
		return is, 0, nil
	}
	var with struct{ Attributes, Tag uint32 }
	err = windows.NtQueryInformationFile(h, &status, (*byte)(unsafe.Pointer(&with)), uint32(unsafe.Sizeof(with)), classAttributeTag)
	return is, with.Tag, err
}

// infoOf turns what the kernel says into an Info, with the modes that package os gives on Windows.
func infoOf(is *allInfo, tag uint32, dev uint64) Info {
	return Info{
		ID:         ID{Dev: dev, Ino: is.Index},
		Mode:       modeOf(is.Attributes, tag),
		Size:       is.Size,
		ModTime:    timeOf(is.Written),
		ChangeTime: timeOf(is.Changed),
		Links:      uint64(is.Links),
	}
}

func modeOf(attributes, tag uint32) fs.FileMode {
	mode := fs.FileMode(0o666)
	dir := attributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0
	if attributes&windows.FILE_ATTRIBUTE_READONLY != 0 && !dir { // on a directory it is a mark of the Explorer
		mode = 0o444
	}
	switch {
	case tag == windows.IO_REPARSE_TAG_SYMLINK:
		return mode | fs.ModeSymlink
	case tag == tagUnixSocket:
		return mode | fs.ModeSocket
	case tag&nameSurrogate != 0: // a junction, a mounted volume, or another name for something elsewhere
		return mode | fs.ModeIrregular
	case dir:
		return fs.ModeDir | 0o777
	}
	return mode
}

// timeOf converts a time in units of 100 ns since 1601. A file system without it says 0.
func timeOf(t int64) time.Time {
	if t <= 0 {
		return time.Time{}
	}
	ft := windows.Filetime{LowDateTime: uint32(t), HighDateTime: uint32(t >> 32)}
	return time.Unix(0, ft.Nanoseconds())
}

// nameInfo is FILE_RENAME_INFORMATION(_EX) and FILE_LINK_INFORMATION. The new name is one name below the directory.
type nameInfo struct {
	Flags     uint32
	Directory windows.Handle
	Length    uint32
	Name      [maxNameUTF16 + 1]uint16
}

// setName gives the file of h another name.
func setName(h windows.Handle, class, flags uint32, dir windows.Handle, name string) error {
	text, err := windows.UTF16FromString(name)
	if err != nil {
		return syscall.EINVAL
	}
	info := nameInfo{Flags: flags, Directory: dir, Length: uint32(2 * (len(text) - 1))}
	if len(text) > len(info.Name) {
		return syscall.ENAMETOOLONG
	}
	copy(info.Name[:], text)
	var status windows.IO_STATUS_BLOCK
	return windows.NtSetInformationFile(h, &status, (*byte)(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), class)
}

// renameByHandle renames the file of h in one step. Systems before 2018 do not know the flag that lets a read-only file be
// replaced, those before 2016 and FAT not the whole call.
func renameByHandle(h, dir windows.Handle, name string, replace bool) error {
	flags := uint32(windows.FILE_RENAME_POSIX_SEMANTICS | windows.FILE_RENAME_IGNORE_READONLY_ATTRIBUTE)
	plain := uint32(0)
	if replace {
		flags |= windows.FILE_RENAME_REPLACE_IF_EXISTS
		plain = windows.FILE_RENAME_REPLACE_IF_EXISTS
	}
	err := setName(h, classRename, flags, dir, name)
	if isUnknown(err) {
		err = setName(h, classRename, flags&^windows.FILE_RENAME_IGNORE_READONLY_ATTRIBUTE, dir, name)
	}
	if isUnknown(err) {
		err = setName(h, windows.FileRenameInformation, plain, dir, name)
	}
	return err
}

// removeByHandle removes the name by which h was opened, at once where the system can.
func removeByHandle(h windows.Handle) error {
	var status windows.IO_STATUS_BLOCK
	flags := uint32(windows.FILE_DISPOSITION_DELETE | windows.FILE_DISPOSITION_POSIX_SEMANTICS | windows.FILE_DISPOSITION_IGNORE_READONLY_ATTRIBUTE)
	set := func() error {
		return windows.NtSetInformationFile(h, &status, (*byte)(unsafe.Pointer(&flags)), 4, windows.FileDispositionInformationEx)
	}
	err := set()
	if isUnknown(err) {
		flags &^= windows.FILE_DISPOSITION_IGNORE_READONLY_ATTRIBUTE
		err = set()
	}
	if isUnknown(err) {
		yes := byte(1)
		err = windows.NtSetInformationFile(h, &status, &yes, 1, windows.FileDispositionInformation)
	}
	return err
}

// isUnknown reports whether the system or the file system does not know a call or one of its flags.
func isUnknown(err error) bool {
	for _, unknown := range []windows.NTStatus{windows.STATUS_INVALID_INFO_CLASS, windows.STATUS_INVALID_PARAMETER,
		windows.STATUS_NOT_SUPPORTED, windows.STATUS_NOT_IMPLEMENTED, windows.STATUS_INVALID_DEVICE_REQUEST} {
		if errors.Is(err, unknown) {
			return true
		}
	}
	return false
}
