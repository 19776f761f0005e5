//go:build linux || darwin

package landing

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock opens the directory of a layer and locks it, until the file is closed by this process and by the supervisor of the run. The error
// is errInUse if another process has it, and fs.ErrNotExist if the layer is gone.
func lock(dir string, how lockMode) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := flock(f, how); err != nil {
		f.Close()
		return nil, err
	}
	// A lock on a directory that was removed meanwhile excludes nobody.
	mine, err := f.Stat()
	if err == nil {
		var is os.FileInfo
		if is, err = os.Stat(dir); err == nil && !os.SameFile(mine, is) {
			err = os.ErrNotExist
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func flock(f *os.File, how lockMode) error {
	op := map[lockMode]int{lockWait: unix.LOCK_EX, lockNow: unix.LOCK_EX | unix.LOCK_NB, lockLook: unix.LOCK_SH | unix.LOCK_NB}[how]
	for {
		err := unix.Flock(int(f.Fd()), op)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return errInUse
		case err != nil:
			return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
		default:
			return nil
		}
	}
}
