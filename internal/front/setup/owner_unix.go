//go:build unix

package setup

import (
	"os"
	"syscall"
)

// copyOwner gives a file the owner and group of another. Where this account may not do that, it owns the file
// already.
func copyOwner(of, name string) error {
	from, err := os.Stat(of)
	if err != nil {
		return err
	}
	to, err := os.Stat(name)
	if err != nil {
		return err
	}
	a, b := from.Sys().(*syscall.Stat_t), to.Sys().(*syscall.Stat_t)
	if a.Uid == b.Uid && a.Gid == b.Gid {
		return nil
	}
	return os.Lchown(name, int(a.Uid), int(a.Gid))
}
