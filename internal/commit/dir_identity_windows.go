package commit

import (
	"os"
	"syscall"

	"github.com/emend-dev/emend/internal/vfs"
)

// dirIdentity returns a directory's file number and creation time.
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
	return is.ID.Ino, fi.Sys().(*syscall.Win32FileAttributeData).CreationTime.Nanoseconds(), err
}
