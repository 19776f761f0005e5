//go:build linux

package scenes

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// metadata is the metadata of a file.
type metadata struct {
	content  string
	mode     fs.FileMode
	uid, gid uint32
	attrs    map[string]string // including access lists
	ino      uint64
	links    uint64
	mtime    int64 // nanoseconds
}

func look(t *testing.T, name string) metadata {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	st := info.Sys().(*syscall.Stat_t)
	return metadata{content: read(t, name), mode: info.Mode(), uid: st.Uid, gid: st.Gid, attrs: attributes(t, name),
		ino: st.Ino, links: uint64(st.Nlink), mtime: info.ModTime().UnixNano()}
}

// attributes reads the extended attributes that can be read.
func attributes(t *testing.T, name string) map[string]string {
	t.Helper()
	list := make([]byte, 64<<10)
	n, err := unix.Llistxattr(name, list)
	if errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	if err != nil {
		t.Fatalf("attributes of %s: %v", name, err)
	}
	out := map[string]string{}
	for attr := range strings.SplitSeq(strings.TrimSuffix(string(list[:n]), "\x00"), "\x00") {
		value := make([]byte, 64<<10)
		if n, err := unix.Lgetxattr(name, attr, value); err == nil {
			out[attr] = string(value[:n])
		}
	}
	return out
}

// lost names the metadata that now differs. Inode number, links and time are compared where they matter.
func (c metadata) lost(now metadata) (out []string) {
	differ := func(what string, a, b any) {
		if a != b {
			out = append(out, fmt.Sprintf("%s: %v, was %v", what, b, a))
		}
	}
	differ("content", fmt.Sprintf("%q", c.content), fmt.Sprintf("%q", now.content))
	differ("mode", c.mode, now.mode)
	differ("owner", c.uid, now.uid)
	differ("group", c.gid, now.gid)
	if !maps.Equal(c.attrs, now.attrs) {
		out = append(out, fmt.Sprintf("attributes: %q, were %q", now.attrs, c.attrs))
	}
	return out
}

// trait adds metadata to a file. Its error says why this system cannot.
type trait func(name string) error

func mode(m fs.FileMode) trait { return func(name string) error { return os.Chmod(name, m) } }

func owner(uid, gid int) trait {
	return func(name string) error { return os.Chown(name, uid, gid) }
}

func attribute(attr, value string) trait {
	return func(name string) error { return unix.Setxattr(name, attr, []byte(value), 0) }
}

// accessList sets the access list user::rw-, user:1234:r--, group::r--, mask::r--, other::---, in the kernel's format.
func accessList(name string) error {
	var b bytes.Buffer
	const everybody = ^uint32(0)
	binary.Write(&b, binary.LittleEndian, uint32(2)) // version
	for _, e := range []struct {
		Tag, Perm uint16
		ID        uint32
	}{{0x01, 6, everybody}, {0x02, 4, 1234}, {0x04, 4, everybody}, {0x10, 4, everybody}, {0x20, 0, everybody}} {
		binary.Write(&b, binary.LittleEndian, e)
	}
	return unix.Setxattr(name, "system.posix_acl_access", b.Bytes(), 0)
}

// addTraits gives the file the traits. It skips the test if the system lacks or forbids one.
func addTraits(t *testing.T, name string, traits ...trait) {
	t.Helper()
	for _, tr := range traits {
		err := tr(name)
		if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EPERM) {
			t.Skipf("this user, on this file system, cannot make such a file: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
