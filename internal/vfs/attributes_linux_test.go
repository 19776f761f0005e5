package vfs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// An access list as the kernel takes it: version 2, then tag, permissions and id of each entry.
const (
	aclUserObj  = 0x01
	aclUser     = 0x02
	aclGroupObj = 0x04
	aclMask     = 0x10
	aclOther    = 0x20
)

type entry struct {
	tag, perm uint16
	id        uint32
}

const nobody = ^uint32(0)

func list(entries ...entry) string {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range entries {
		b = binary.LittleEndian.AppendUint16(b, e.tag)
		b = binary.LittleEndian.AppendUint16(b, e.perm)
		b = binary.LittleEndian.AppendUint32(b, e.id)
	}
	return string(b)
}

// wide lets user 1234 write, and the group no more than read.
var wide = list(entry{aclUserObj, 6, nobody}, entry{aclUser, 7, 1234}, entry{aclGroupObj, 4, nobody},
	entry{aclMask, 7, nobody}, entry{aclOther, 0, nobody})

// capBytes is a capability set, version 2: CAP_NET_BIND_SERVICE.
var capBytes = "\x01\x00\x00\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// attrs gives a file attributes, or skips: not every file system has them.
func attrs(t *testing.T, path string, set map[string]string) {
	t.Helper()
	for name, value := range set {
		err := unix.Setxattr(path, name, []byte(value), 0)
		if errors.Is(err, ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
			t.Skipf("%s cannot be set here: %v", name, err)
		}
		check(t, err)
	}
}

func attrsOf(t *testing.T, path string) map[string]string {
	t.Helper()
	fd, err := unix.Open(path, unix.O_RDONLY, 0)
	check(t, err)
	defer unix.Close(fd)
	names, err := listXattrs(fd)
	check(t, err)
	have := map[string]string{}
	for _, name := range names {
		value, err := getXattr(fd, name)
		check(t, err)
		have[name] = string(value)
	}
	delete(have, "security.selinux")
	return have
}

func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
}

// stage makes two directories: "tree" with the file "old", and "stage" where new files are made.
func stage(t *testing.T) (path string, tree, staging Dir) {
	path = t.TempDir()
	d, err := Open(path)
	check(t, err)
	t.Cleanup(func() { d.Close() })
	tree, staging = dir(t, d, "tree"), dir(t, d, "stage")
	put(t, tree, "old", "old")
	return path, tree, staging
}

func adoptOld(t *testing.T, tree, staging Dir) ([]string, error) {
	t.Helper()
	old, err := tree.Open("old")
	check(t, err)
	defer old.Close()
	f, err := staging.Create("new", 0o600)
	check(t, err)
	defer f.Close()
	return f.CopyAttributes(old)
}

func TestAdopt(t *testing.T) {
	user := map[string]string{"user.a": "1", "user.empty": "", "user.bytes": "\x00\xff"}
	for _, c := range []struct {
		name     string
		mode     uint32
		owner    [2]int
		has      map[string]string
		staging  string // default access list of the staging directory
		wantMode fs.FileMode
		want     map[string]string
		lost     []string
	}{
		{name: "plain", mode: 0o644, wantMode: 0o644},
		{name: "same as made", mode: 0o600, wantMode: 0o600},
		{name: "executable", mode: 0o755, wantMode: 0o755},
		{name: "read only, with attributes", mode: 0o400, has: user, wantMode: 0o400, want: user},
		{name: "owner", mode: 0o640, owner: [2]int{1234, 5678}, wantMode: 0o640},
		{name: "group", mode: 0o640, owner: [2]int{0, 5678}, wantMode: 0o640},
		{name: "setuid", mode: unix.S_ISUID | 0o755, wantMode: 0o755, lost: []string{"setuid bit"}},
		{name: "setuid, setgid, owner", mode: unix.S_ISUID | unix.S_ISGID | 0o755, owner: [2]int{1234, 5678}, wantMode: 0o755,
			lost: []string{"setuid bit", "setgid bit"}},
		{name: "sticky", mode: unix.S_ISVTX | 0o644, wantMode: fs.ModeSticky | 0o644},
		{name: "capabilities", mode: 0o755, has: map[string]string{"security.capability": capBytes}, wantMode: 0o755,
			lost: []string{"capabilities"}},
		{name: "trusted", mode: 0o644, has: map[string]string{"trusted.x": "y"}, wantMode: 0o644,
			want: map[string]string{"trusted.x": "y"}},
		{name: "access list", mode: 0o670, has: map[string]string{xattrACL: wide}, wantMode: 0o670,
			want: map[string]string{xattrACL: wide}},
		{name: "access list, owner, setuid", mode: unix.S_ISUID | 0o670, owner: [2]int{1234, 5678},
			has: map[string]string{xattrACL: wide}, wantMode: 0o670, want: map[string]string{xattrACL: wide},
			lost: []string{"setuid bit"}},
		{name: "an inherited list goes", mode: 0o640, staging: wide, wantMode: 0o640},
		{name: "an inherited list goes from what agrees", mode: 0o600, staging: wide, wantMode: 0o600},
		{name: "an inherited list is replaced", mode: 0o670, staging: list(entry{aclUserObj, 7, nobody}, entry{aclUser, 7, 99},
			entry{aclGroupObj, 7, nobody}, entry{aclMask, 7, nobody}, entry{aclOther, 7, nobody}),
			has: map[string]string{xattrACL: wide}, wantMode: 0o670, want: map[string]string{xattrACL: wide}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.owner == [2]int{} {
				c.owner = [2]int{os.Geteuid(), os.Getegid()}
			} else {
				asRoot(t)
			}
			path, tree, staging := stage(t)
			old := filepath.Join(path, "tree/old")
			attrs(t, old, c.has)
			check(t, unix.Chown(old, c.owner[0], c.owner[1]))
			check(t, unix.Chmod(old, c.mode))
			if has, ok := c.has["security.capability"]; ok { // chown took it away
				attrs(t, old, map[string]string{"security.capability": has})
			}
			if c.staging != "" {
				attrs(t, filepath.Join(path, "stage"), map[string]string{xattrDefaultACL: c.staging})
			}
			lost, err := adoptOld(t, tree, staging)
			check(t, err)
			info, err := staging.Stat("new")
			check(t, err)
			if info.Mode != c.wantMode || int(info.UID) != c.owner[0] || int(info.GID) != c.owner[1] {
				t.Errorf("%v %d:%d, want %v %v", info.Mode, info.UID, info.GID, c.wantMode, c.owner)
			}
			if !slices.Equal(lost, c.lost) {
				t.Errorf("lost %q, want %q", lost, c.lost)
			}
			if have := attrsOf(t, filepath.Join(path, "stage/new")); !maps.Equal(have, c.want) {
				t.Errorf("attributes %q, want %q", have, c.want)
			}
		})
	}
}

// More names, and larger values, than fit the first buffer.
func TestAdoptMany(t *testing.T) {
	path, tree, staging := stage(t)
	want := map[string]string{}
	for i := range 60 {
		want[fmt.Sprint("user.a-rather-long-name-", i)] = fmt.Sprint(i)
	}
	want["user.large"] = strings.Repeat("x", 1000)
	attrs(t, filepath.Join(path, "tree/old"), want)
	lost, err := adoptOld(t, tree, staging)
	check(t, err)
	if have := attrsOf(t, filepath.Join(path, "stage/new")); !maps.Equal(have, want) || lost != nil {
		t.Errorf("%d attributes, want %d; lost %q", len(have), len(want), lost)
	}
}

// A stranger may not take over the file of somebody else, and what cannot be copied is named. Who is not root finds
// out in a process of its own.
func TestAdoptAsUser(t *testing.T) {
	if path := os.Getenv("VFS_TEST_ADOPT"); path != "" {
		adoptAsUser(t, path)
		return
	}
	asRoot(t)
	path, _, _ := stage(t)
	old := filepath.Join(path, "tree/old")
	attrs(t, old, map[string]string{"user.a": "1"})
	reachable(t, path)
	check(t, os.Chown(filepath.Join(path, "stage"), 1234, 1234))
	out, err := runAs(t, "TestAdoptAsUser", "VFS_TEST_ADOPT="+path, &syscall.Credential{Uid: 1234, Gid: 1234, Groups: []uint32{4321}})
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func adoptAsUser(t *testing.T, path string) {
	d, err := Open(path)
	check(t, err)
	tree, err := d.Dir("tree")
	check(t, err)
	staging, err := d.Dir("stage")
	check(t, err)
	_, err = adoptOld(t, tree, staging)
	if !errors.Is(err, syscall.EPERM) || !strings.Contains(err.Error(), "the owner 0:0 cannot be kept") {
		t.Errorf("another's file: %v", err)
	}
	put(t, staging, "mine", "")
	mine, err := staging.Open("mine")
	check(t, err)
	check(t, os.Chown(filepath.Join(path, "stage/mine"), 1234, 4321))
	check(t, os.Chmod(filepath.Join(path, "stage/mine"), 0o440))
	f, err := staging.Create("other", 0o644)
	check(t, err)
	lost, err := f.CopyAttributes(mine)
	check(t, err)
	info, err := f.Stat()
	check(t, err)
	if info.GID != 4321 || info.Mode != 0o440 || lost != nil {
		t.Errorf("my group's file: %d, %v, %q", info.GID, info.Mode, lost)
	}
}

// A file gets what a new file in the directory would get, whatever the staging directory is like.
func TestInherit(t *testing.T) {
	named := list(entry{aclUserObj, 7, nobody}, entry{aclUser, 6, 1234}, entry{aclGroupObj, 5, nobody},
		entry{aclMask, 7, nobody}, entry{aclOther, 4, nobody})
	plain := list(entry{aclUserObj, 7, nobody}, entry{aclGroupObj, 7, nobody}, entry{aclOther, 1, nobody})
	for _, tree := range []struct {
		name, list string
		setgid     bool
	}{{name: "plain"}, {name: "setgid", setgid: true}, {name: "list", list: named}, {name: "short list", list: plain},
		{name: "list, setgid", list: named, setgid: true}} {
		for _, staging := range []struct {
			name, list string
			setgid     bool
		}{{name: "plain"}, {name: "list", list: wide}, {name: "setgid", setgid: true}} {
			for _, perm := range []fs.FileMode{0o666, 0o777, 0o600} {
				t.Run(fmt.Sprint(tree.name, " from ", staging.name, " ", perm), func(t *testing.T) {
					if tree.setgid || staging.setgid {
						asRoot(t)
					}
					path, in, from := stage(t)
					prepare(t, filepath.Join(path, "tree"), tree.list, tree.setgid, 5678)
					prepare(t, filepath.Join(path, "stage"), staging.list, staging.setgid, 8765)
					f, err := from.Create("new", 0o600)
					check(t, err)
					check(t, f.DefaultAttributes(in, perm))
					check(t, f.Close())
					made, err := os.OpenFile(filepath.Join(path, "tree/made"), os.O_CREATE|os.O_WRONLY, perm)
					check(t, err)
					check(t, made.Close())
					want, err := in.Stat("made")
					check(t, err)
					have, err := from.Stat("new")
					check(t, err)
					if have.Mode != want.Mode || have.UID != want.UID || have.GID != want.GID {
						t.Errorf("%v %d:%d, want %v %d:%d", have.Mode, have.UID, have.GID, want.Mode, want.UID, want.GID)
					}
					as, bs := attrsOf(t, filepath.Join(path, "stage/new")), attrsOf(t, filepath.Join(path, "tree/made"))
					if !maps.Equal(as, bs) {
						t.Errorf("%q, want %q", as, bs)
					}
				})
			}
		}
	}
}

func prepare(t *testing.T, path, list string, setgid bool, group int) {
	t.Helper()
	if list != "" {
		attrs(t, path, map[string]string{xattrDefaultACL: list})
	}
	if setgid {
		check(t, os.Chown(path, 0, group))
		check(t, os.Chmod(path, fs.ModeSetgid|0o755))
	}
}

// A new file has exactly the requested permissions, even if the directory hands down a list.
func TestCreateExactly(t *testing.T) {
	path, _, staging := stage(t)
	old := unix.Umask(0o077)
	defer unix.Umask(old)
	for _, perm := range []fs.FileMode{0, 0o600, 0o644, 0o777} {
		for _, listed := range []bool{false, true} {
			if listed {
				attrs(t, filepath.Join(path, "stage"), map[string]string{xattrDefaultACL: wide})
			}
			name := fmt.Sprint(uint32(perm), listed)
			put := func(made string, f File, err error) {
				check(t, err)
				info, err := f.Stat()
				check(t, errors.Join(err, f.Close()))
				if info.Mode != perm {
					t.Errorf("%s with %v, list %v, is %v", made, perm, listed, info.Mode)
				}
			}
			f, err := staging.Create("c"+name, perm)
			put("created", f, err)
			f, err = staging.Append("a"+name, perm)
			put("appended", f, err)
		}
	}
}

// Plain tells a file that has no more than a new one from those that have an attribute, a list or a flag. Give leaves owner and
// permissions, and no list.
func TestPlainAndGive(t *testing.T) {
	path, _, staging := stage(t)
	at := func(name string) string { return filepath.Join(path, "stage", name) }
	open := func(name string) File {
		f, err := staging.Open(name)
		check(t, err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	for _, name := range []string{"as", "same", "attribute", "list", "flag"} {
		check(t, os.WriteFile(at(name), nil, 0o640))
	}
	attrs(t, at("attribute"), map[string]string{"user.x": "1"})
	attrs(t, at("list"), map[string]string{xattrACL: wide})
	want := map[string]bool{"same": true, "attribute": false, "list": false}
	if f, err := os.Open(at("flag")); err == nil && unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, 0x40) == nil { // nodump
		want["flag"] = false
		f.Close()
	} else {
		t.Logf("NOT RUN: no flags here: %v", err)
	}
	as := open("as")
	for name, plain := range want {
		if got, err := open(name).Plain(as); err != nil || got != plain {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	f, err := staging.Append("list", 0o600)
	check(t, err)
	check(t, errors.Join(f.Give(uint32(os.Getuid()), uint32(os.Getgid()), 0o604), f.Close()))
	is, err := os.Stat(at("list"))
	check(t, err)
	if plain, err := open("list").Plain(as); !plain || err != nil || is.Mode() != 0o604 {
		t.Errorf("%v, %v, %v", plain, err, is.Mode())
	}
}
