package vfs

import (
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// infoAt opens the name to ask for its volume, index and number of links, which Windows does not return with the rest.
// Only files and directories have them here.
func infoAt(r *os.Root, name string, fi fs.FileInfo) (Info, error) {
	if !fi.IsDir() && !fi.Mode().IsRegular() {
		return Info{Mode: fi.Mode(), Size: fi.Size(), ModTime: fi.ModTime(), Links: 1}, nil
	}
	f, err := r.Open(name)
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	return infoOf(f, fi)
}

func infoOf(f *os.File, fi fs.FileInfo) (Info, error) {
	var by syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &by); err != nil {
		return Info{}, err
	}
	return Info{
		ID:      ID{uint64(by.VolumeSerialNumber), uint64(by.FileIndexHigh)<<32 | uint64(by.FileIndexLow)},
		Mode:    fi.Mode(),
		Size:    fi.Size(),
		ModTime: fi.ModTime(),
		Links:   uint64(by.NumberOfLinks),
	}, nil
}

func touch(f *os.File, t time.Time) error {
	ft := windows.NsecToFiletime(t.UnixNano())
	return pathError("touch", f.Name(), windows.SetFileTime(windows.Handle(f.Fd()), nil, nil, &ft))
}

// tryLock locks a byte far beyond any content: Windows would keep others from reading a locked byte.
func tryLock(f *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &at)
	if err == windows.ERROR_LOCK_VIOLATION {
		return false, nil
	}
	return err == nil, pathError("lock", f.Name(), err)
}
