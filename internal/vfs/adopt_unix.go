//go:build linux || darwin

package vfs

import (
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// adoptOwner gives to the owner and group of from, and returns what from is and what to has become. A file that
// changes hands is not the same file: that is an error, not a loss.
func adoptOwner(from, to int) (was, is unix.Stat_t, err error) {
	if was, is, err = statBoth(from, to); err != nil {
		return was, is, err
	}
	if was.Uid == is.Uid && was.Gid == is.Gid {
		return was, is, nil
	}
	if err := again(func() error { return unix.Fchown(to, int(was.Uid), int(was.Gid)) }); err != nil {
		return was, is, fmt.Errorf("the owner %d:%d cannot be kept: %w", was.Uid, was.Gid, err)
	}
	return was, is, nil
}

// adoptMode gives to the permissions of was. It comes after everything else: chown clears bits, an access list sets
// them, and attributes cannot be written to a file that its owner may only read.
func adoptMode(to int, was, is unix.Stat_t) (lost []string, err error) {
	mode := FileMode(uint32(was.Mode))
	if mode&fs.ModeSetuid != 0 {
		lost = append(lost, "setuid bit")
	}
	if mode&fs.ModeSetgid != 0 {
		lost = append(lost, "setgid bit")
	}
	want := bitsOf(mode &^ (fs.ModeSetuid | fs.ModeSetgid))
	if want == bitsOf(FileMode(uint32(is.Mode))) {
		return lost, nil
	}
	return lost, again(func() error { return unix.Fchmod(to, want) })
}

func statBoth(a, b int) (of, other unix.Stat_t, err error) {
	err = again(func() error { return unix.Fstat(a, &of) })
	if err == nil {
		err = again(func() error { return unix.Fstat(b, &other) })
	}
	return of, other, err
}
