//go:build unix

package broker

import "golang.org/x/sys/unix"

// freeBytes returns how much may still be written on the disk of dir.
func freeBytes(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}
