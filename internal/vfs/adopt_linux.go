package vfs

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	accessList  = "system.posix_acl_access"
	defaultList = "system.posix_acl_default"
	capability  = "security.capability"
)

// adopt makes to what from is: owner, attributes, access list, permissions, in this order (see adoptMode). Not kept,
// and not even seen, are the flags of chattr and the project of a quota.
func adopt(from, to int) (lost []string, err error) {
	was, is, err := adoptOwner(from, to)
	if err != nil {
		return nil, err
	}
	has, err := attributes(from)
	if err != nil {
		return nil, err
	}
	lost, err = adoptAttributes(from, to, has)
	if err != nil {
		return nil, err
	}
	set, err := adoptList(from, to, slices.Contains(has, accessList))
	if err != nil {
		return nil, fmt.Errorf("the access list cannot be kept: %w", err)
	}
	if set || was.Uid != is.Uid || was.Gid != is.Gid {
		// The access list has set permissions, chown may have cleared some.
		if err := again(func() error { return unix.Fstat(to, &is) }); err != nil {
			return nil, err
		}
	}
	more, err := adoptMode(to, was, is)
	return append(lost, more...), err
}

// adoptAttributes copies what can be copied and names the rest. Capabilities are never carried over: a new content
// must not run with the rights that somebody gave to the old one.
func adoptAttributes(from, to int, names []string) (lost []string, err error) {
	for _, name := range names {
		switch {
		case name == accessList:
		case name == capability:
			lost = append(lost, "capabilities")
		case !copyAttribute(from, to, name):
			lost = append(lost, "attribute "+name)
		}
	}
	return lost, nil
}

// copyAttribute does not write what is there already: a label of SELinux is on every new file, and may not be
// writable at all.
func copyAttribute(from, to int, name string) bool {
	want, err := attribute(from, name)
	if errors.Is(err, unix.ENODATA) {
		return true // gone since it was listed
	}
	if err != nil {
		return false
	}
	if have, err := attribute(to, name); err == nil && bytes.Equal(have, want) {
		return true
	}
	return again(func() error { return unix.Fsetxattr(to, name, want, 0) }) == nil
}

// adoptList copies the access list, or takes away the one that to inherited from the defaults of its directory.
// Without its list a file can be open to more people than with it (the group's permissions become those of the mask),
// so failing here is an error.
// set reports whether anything was changed.
func adoptList(from, to int, has bool) (set bool, err error) {
	if has {
		list, err := attribute(from, accessList)
		if err != nil {
			return false, err
		}
		return true, again(func() error { return unix.Fsetxattr(to, accessList, list, 0) })
	}
	inherited, err := attributes(to)
	if err != nil || !slices.Contains(inherited, accessList) {
		return false, err
	}
	return true, again(func() error { return unix.Fremovexattr(to, accessList) })
}

// attributes lists the names of a file's attributes: one call where there are none, or no such thing at all.
func attributes(fd int) ([]string, error) {
	var few [256]byte
	list, err := grow(few[:], func(buf []byte) (int, error) { return unix.Flistxattr(fd, buf) })
	if errors.Is(err, ErrUnsupported) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the extended attributes cannot be listed: %w", err)
	}
	return strings.FieldsFunc(string(list), func(r rune) bool { return r == 0 }), nil
}

func attribute(fd int, name string) ([]byte, error) {
	return grow(make([]byte, 256), func(buf []byte) (int, error) { return unix.Fgetxattr(fd, name, buf) })
}

// grow calls with more room until it is enough. 64 KiB is the kernel's limit for both a list and a value.
func grow(buf []byte, call func([]byte) (int, error)) ([]byte, error) {
	for {
		n, err := again2(func() (int, error) { return call(buf) })
		if err != unix.ERANGE || len(buf) > 64<<10 {
			return buf[:max(n, 0)], err
		}
		buf = make([]byte, 4*len(buf))
	}
}

// inheritMode does what the kernel does for a new file: the default access list of the directory, where there is one,
// takes the place of the umask. Its bytes are those of an access list, and chmod then narrows its first, group (or
// mask) and last entries to perm.
func inheritMode(dir, fd int, perm uint32) error {
	list, err := attribute(dir, defaultList)
	if err == nil {
		return inheritList(fd, list, perm)
	}
	if err != unix.ENODATA && !errors.Is(err, ErrUnsupported) {
		return fmt.Errorf("the default access list cannot be read: %w", err)
	}
	if _, err := adoptList(-1, fd, false); err != nil {
		return fmt.Errorf("the access list of the staging directory cannot be removed: %w", err)
	}
	return again(func() error { return unix.Fchmod(fd, perm&^umask) })
}

func inheritList(fd int, list []byte, perm uint32) error {
	if err := again(func() error { return unix.Fsetxattr(fd, accessList, list, 0) }); err != nil {
		return fmt.Errorf("the default access list cannot be given: %w", err)
	}
	var st unix.Stat_t
	if err := again(func() error { return unix.Fstat(fd, &st) }); err != nil {
		return err
	}
	return again(func() error { return unix.Fchmod(fd, uint32(st.Mode)&perm) })
}
