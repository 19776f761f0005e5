package commit

import (
	"os"
	"syscall"
)

// dirIdentity returns a directory's inode number and birth time.
func dirIdentity(path string) (ino uint64, born int64, err error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return 0, 0, err
	}
	st := fi.Sys().(*syscall.Stat_t)
	return st.Ino, st.Birthtimespec.Nano(), nil
}
