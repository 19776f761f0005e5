package commit

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// mountAndOwner returns the mount that a directory is on, and its owner. A bind mount is a mount of its own, although
// it has the device of what it shows.
func mountAndOwner(dir string) (mount uint64, owner uint32, err error) {
	var st unix.Statx_t
	err = unix.Statx(unix.AT_FDCWD, dir, 0, unix.STATX_UID|unix.STATX_MNT_ID, &st)
	if err != nil {
		return 0, 0, &fs.PathError{Op: "statx", Path: dir, Err: err}
	}
	if st.Mask&unix.STATX_MNT_ID == 0 {
		st.Mnt_id = uint64(st.Dev_major)<<32 | uint64(st.Dev_minor)
	}
	return st.Mnt_id, st.Uid, nil
}
