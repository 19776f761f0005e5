//go:build unix

package guard

import (
	"io/fs"
	"os"
	"syscall"
)

// nonblock keeps the opening of a FIFO from waiting for a writer.
const nonblock = syscall.O_NONBLOCK | syscall.O_NOCTTY

// fileID returns the device, inode and number of links of the file that fi describes.
func fileID(_ *os.Root, _ string, fi fs.FileInfo) (Identity, uint64, error) {
	st := fi.Sys().(*syscall.Stat_t)
	return Identity{Dev: uint64(st.Dev), Ino: uint64(st.Ino)}, uint64(st.Nlink), nil
}
