package commit

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// dirIdentity returns a directory's inode number and birth time; the time is 0 if the file system does not have it.
func dirIdentity(path string) (ino uint64, born int64, err error) {
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_BTIME, &st); err != nil {
		return 0, 0, &fs.PathError{Op: "statx", Path: path, Err: err}
	}
	if st.Mask&unix.STATX_BTIME != 0 {
		born = st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
	}
	return st.Ino, born, nil
}
