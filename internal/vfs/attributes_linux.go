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
	xattrACL        = "system.posix_acl_access"
	xattrDefaultACL = "system.posix_acl_default"
	xattrCapability = "security.capability"
)

// copyAttributes copies owner, extended attributes, access list and permissions, in this order (see copyMode). It does
// not copy, and does not even see, the flags of chattr and the project of a quota.
func copyAttributes(from, to int) (lost []string, err error) {
	was, is, err := copyOwner(from, to)
	if err != nil {
		return nil, err
	}
	has, err := listXattrs(from)
	if err != nil {
		return nil, err
	}
	lost, err = copyXattrs(from, to, has)
	if err != nil {
		return nil, err
	}
	set, err := copyACL(from, to, slices.Contains(has, xattrACL))
	if err != nil {
		return nil, fmt.Errorf("the access list cannot be kept: %w", err)
	}
	if set || was.Uid != is.Uid || was.Gid != is.Gid {
		// The access list sets permissions, and chown may have cleared some.
		if err := retry(func() error { return unix.Fstat(to, &is) }); err != nil {
			return nil, err
		}
	}
	more, err := copyMode(to, was, is)
	return append(lost, more...), err
}

// copyXattrs copies the attributes that can be copied and names the rest. It never copies capabilities: a new content
// must not run with the rights that somebody gave to the old one.
func copyXattrs(from, to int, names []string) (lost []string, err error) {
	for _, name := range names {
		switch {
		case name == xattrACL:
		case name == xattrCapability:
			lost = append(lost, "capabilities")
		case !copyXattr(from, to, name):
			lost = append(lost, "attribute "+name)
		}
	}
	return lost, nil
}

// copyXattr does not write a value that is there already: every new file has a label of SELinux, which may not be
// writable at all.
func copyXattr(from, to int, name string) bool {
	want, err := getXattr(from, name)
	if errors.Is(err, unix.ENODATA) {
		return true // removed since it was listed
	}
	if err != nil {
		return false
	}
	if have, err := getXattr(to, name); err == nil && bytes.Equal(have, want) {
		return true
	}
	return retry(func() error { return unix.Fsetxattr(to, name, want, 0) }) == nil
}

// copyACL copies the access list, or removes the one that to inherited from the defaults of its directory. Without its
// list a file can be open to more people than with it, since the group's permissions become those of the mask; so a
// failure is an error. set reports whether anything was changed.
func copyACL(from, to int, has bool) (set bool, err error) {
	if has {
		list, err := getXattr(from, xattrACL)
		if err != nil {
			return false, err
		}
		return true, retry(func() error { return unix.Fsetxattr(to, xattrACL, list, 0) })
	}
	inherited, err := listXattrs(to)
	if err != nil || !slices.Contains(inherited, xattrACL) {
		return false, err
	}
	return true, retry(func() error { return unix.Fremovexattr(to, xattrACL) })
}

// removeACL removes the access list that a file inherited from the defaults of its directory.
func removeACL(fd int) error {
	_, err := copyACL(-1, fd, false)
	return err
}

// userFlags are the flags of chattr that a person sets on a file, and that a copy has not: all up to noatime, compression,
// journalled data, tails, copy on write and direct access.
const userFlags = 0x0280c4ff

// sameFlags reports whether two files have the same flags. A file system without flags has no others.
func sameFlags(fd, as int) bool {
	mine, err := unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS)
	if err != nil {
		return errors.Is(err, unix.ENOTTY) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL)
	}
	other, err := unix.IoctlGetUint32(as, unix.FS_IOC_GETFLAGS)
	return err == nil && (mine^other)&userFlags == 0
}

// hasOnlyXattrsOf reports whether fd has no access list, no other flags than as, and no attribute that as has not.
func hasOnlyXattrsOf(fd, as int) (bool, error) {
	if !sameFlags(fd, as) {
		return false, nil
	}
	names, err := listXattrs(fd)
	if err != nil {
		return false, err
	}
	for _, name := range names {
		mine, err := getXattr(fd, name)
		other, none := getXattr(as, name)
		if name == xattrACL || err != nil || none != nil || !bytes.Equal(mine, other) {
			return false, nil
		}
	}
	return true, nil
}

// listXattrs lists the names of a file's extended attributes. It is one call if there are none, or if the file system
// has no such thing.
func listXattrs(fd int) ([]string, error) {
	var few [256]byte
	list, err := callWithRoom(few[:], func(buf []byte) (int, error) { return unix.Flistxattr(fd, buf) })
	if errors.Is(err, ErrUnsupported) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the extended attributes cannot be listed: %w", err)
	}
	return strings.FieldsFunc(string(list), func(r rune) bool { return r == 0 }), nil
}

func getXattr(fd int, name string) ([]byte, error) {
	return callWithRoom(make([]byte, 256), func(buf []byte) (int, error) { return unix.Fgetxattr(fd, name, buf) })
}

// callWithRoom calls with a larger buffer until it is large enough. 64 KiB is the kernel's limit for a list and for a
// value.
func callWithRoom(buf []byte, call func([]byte) (int, error)) ([]byte, error) {
	for {
		n, err := retryCount(func() (int, error) { return call(buf) })
		if err != unix.ERANGE || len(buf) > 64<<10 {
			return buf[:max(n, 0)], err
		}
		buf = make([]byte, 4*len(buf))
	}
}

// setDefaultMode does what the kernel does for a new file: the default access list of the directory, if there is one,
// takes the place of the umask. It has the format of an access list; chmod then narrows its first, group (or mask) and
// last entries to perm.
func setDefaultMode(dir, fd int, perm uint32) error {
	list, err := getXattr(dir, xattrDefaultACL)
	if err == nil {
		return setDefaultACL(fd, list, perm)
	}
	if err != unix.ENODATA && !errors.Is(err, ErrUnsupported) {
		return fmt.Errorf("the default access list cannot be read: %w", err)
	}
	if _, err := copyACL(-1, fd, false); err != nil {
		return fmt.Errorf("the access list of the staging directory cannot be removed: %w", err)
	}
	return retry(func() error { return unix.Fchmod(fd, perm&^umask) })
}

func setDefaultACL(fd int, list []byte, perm uint32) error {
	if err := retry(func() error { return unix.Fsetxattr(fd, xattrACL, list, 0) }); err != nil {
		return fmt.Errorf("the default access list cannot be given: %w", err)
	}
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstat(fd, &st) }); err != nil {
		return err
	}
	return retry(func() error { return unix.Fchmod(fd, uint32(st.Mode)&perm) })
}
