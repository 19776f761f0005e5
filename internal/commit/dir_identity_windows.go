package commit

import (
	"os"
	"syscall"
)

// dirIdentity returns a directory's creation time.
func dirIdentity(path string) (ino uint64, born int64, err error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return 0, 0, err
	}
	return 0, fi.Sys().(*syscall.Win32FileAttributeData).CreationTime.Nanoseconds(), nil
}
