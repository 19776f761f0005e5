//go:build unix && !linux

package commit

import (
	"os"
	"syscall"
)

// mountAndOwner returns the device that a directory is on, and its owner.
func mountAndOwner(dir string) (mount uint64, owner uint32, err error) {
	fi, err := os.Stat(dir)
	if err != nil {
		return 0, 0, err
	}
	uid, _ := ownerOf(fi)
	return uint64(fi.Sys().(*syscall.Stat_t).Dev), uid, nil
}
