//go:build linux || darwin

package vfs

import (
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// copyOwner gives to the owner and group of from. It returns the stat of from, and of to before the change. A file that
// changes hands is not the same file, so a failure is an error, not a loss.
func copyOwner(from, to int) (was, is unix.Stat_t, err error) {
	if was, is, err = statBoth(from, to); err != nil {
		return was, is, err
	}
	if was.Uid == is.Uid && was.Gid == is.Gid {
		return was, is, nil
	}
	if err := retry(func() error { return unix.Fchown(to, int(was.Uid), int(was.Gid)) }); err != nil {
		return was, is, fmt.Errorf("the owner %d:%d cannot be kept: %w", was.Uid, was.Gid, err)
	}
	return was, is, nil
}

// copyMode gives to the permissions of was. It comes after everything else: chown clears bits, an access list sets
// them, and attributes cannot be written to a file that its owner may only read.
func copyMode(to int, was, is unix.Stat_t) (lost []string, err error) {
	mode := FileMode(uint32(was.Mode))
	if mode&fs.ModeSetuid != 0 {
		lost = append(lost, "setuid bit")
	}
	if mode&fs.ModeSetgid != 0 {
		lost = append(lost, "setgid bit")
	}
	want := modeBits(mode &^ (fs.ModeSetuid | fs.ModeSetgid))
	if want == modeBits(FileMode(uint32(is.Mode))) {
		return lost, nil
	}
	return lost, retry(func() error { return unix.Fchmod(to, want) })
}

func statBoth(a, b int) (of, other unix.Stat_t, err error) {
	err = retry(func() error { return unix.Fstat(a, &of) })
	if err == nil {
		err = retry(func() error { return unix.Fstat(b, &other) })
	}
	return of, other, err
}
