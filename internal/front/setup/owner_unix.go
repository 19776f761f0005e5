//go:build unix

package setup

import (
	"os"
	"syscall"
)

// sameOwner gives a file to the owner and group of another. Who may not do that has the file already.
func sameOwner(of, name string) error {
	was, err := os.Stat(of)
	if err != nil {
		return err
	}
	is, err := os.Stat(name)
	if err != nil {
		return err
	}
	a, b := was.Sys().(*syscall.Stat_t), is.Sys().(*syscall.Stat_t)
	if a.Uid == b.Uid && a.Gid == b.Gid {
		return nil
	}
	return os.Lchown(name, int(a.Uid), int(a.Gid))
}
