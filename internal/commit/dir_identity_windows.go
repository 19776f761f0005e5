package commit

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"

	"github.com/emend-dev/emend/internal/vfs"
)

// dirIdentity returns a directory's file number and creation time; the time is 0 in wine, which says when the directory last changed.
func dirIdentity(path string) (ino uint64, born int64, err error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return 0, 0, err
	}
	d, err := vfs.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer d.Close()
	is, err := d.Stat(".")
	if !inWine {
		born = fi.Sys().(*syscall.Win32FileAttributeData).CreationTime.Nanoseconds()
	}
	return is.ID.Ino, born, err
}

var inWine = windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
