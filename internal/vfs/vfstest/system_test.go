package vfstest

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/internal/vfs"
)

var systems = []System{Linux, NTFS, OldNTFS, APFS}

// on makes a disk of each system with files.
func onSystems(t *testing.T, files map[string]string, test func(t *testing.T, m *Disk, root vfs.Dir)) {
	for _, s := range systems {
		t.Run(s.String(), func(t *testing.T) {
			m := NewDiskOf(s, Journal)
			must(t, m.Plant(files))
			test(t, m, m.Root())
		})
	}
}

// want demands an error, none if it is nil.
func want(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || want == nil && err != nil {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// Names that differ in case are one name on Windows and macOS, and a rename to another spelling changes it.
func TestSpellings(t *testing.T) {
	onSystems(t, map[string]string{"a.txt": "a", "D/f": "f"}, func(t *testing.T, m *Disk, root vfs.Dir) {
		var missing, taken error = fs.ErrNotExist, nil
		if m.system != Linux {
			missing, taken = nil, fs.ErrExist
		}
		_, err := root.Stat("A.TXT")
		want(t, "stat", err, missing)
		_, err = root.Dir("d")
		want(t, "open directory", err, missing)
		_, err = root.Create("A.txt", 0o644)
		want(t, "create", err, taken)
		want(t, "link", root.Link("a.txt", root, "A.TXt"), taken)
		if m.system == Linux {
			return
		}
		for _, how := range []vfs.RenameMode{vfs.NoReplace, vfs.Replace} {
			for _, as := range []string{"A.Txt", "a.txt"} {
				want(t, "rename", root.Rename("a.TXT", root, as, how), nil)
				if names, _ := root.Names(); !slices.Contains(names, as) || len(names) != 2 {
					t.Errorf("%v to %s: %v", how, as, names)
				}
			}
		}
		if info, err := root.Stat("a.txt"); err != nil || info.Links != 1 {
			t.Errorf("%+v, %v", info, err)
		}
		f, err := root.Create("b", 0o644)
		must(t, errors.Join(err, f.Close(), root.Rename("b", root, "A.TXT", vfs.Replace)))
		if names, _ := root.Names(); !slices.Contains(names, "A.TXT") || len(names) != 2 {
			t.Errorf("replaced under another spelling: %v", names)
		}
		must(t, root.Remove("a.txt"))
	})
}

// Forms of an accent are one name on macOS only.
func TestNormalization(t *testing.T) {
	onSystems(t, map[string]string{"caf\u00e9": ""}, func(t *testing.T, m *Disk, root vfs.Dir) {
		var missing error = fs.ErrNotExist
		if m.system == APFS {
			missing = nil
		}
		_, err := root.Stat("CAFE\u0301")
		want(t, "decomposed, in capitals", err, missing)
		var bad error
		if m.system == APFS {
			bad = syscall.EILSEQ
		}
		want(t, "no UTF-8", root.Mkdir("\xff", 0o755), bad)
	})
}

// What another program has open and denies is refused on Windows, and nothing changes.
func TestHeldFiles(t *testing.T) {
	onSystems(t, map[string]string{"f": "held", "g": "g"}, func(t *testing.T, m *Disk, root vfs.Dir) {
		calls := map[string]struct {
			deny Use
			call func() error
		}{
			"open":    {DenyRead, func() error { return closing(root.Open("f")) }},
			"append":  {DenyWrite, func() error { return closing(root.Append("f", 0)) }},
			"rename":  {DenyDelete, func() error { return root.Rename("f", root, "h", vfs.NoReplace) }},
			"replace": {DenyDelete, func() error { return root.Rename("g", root, "f", vfs.Replace) }},
			"remove":  {DenyDelete, func() error { return root.Remove("f") }},
		}
		if !m.system.windows() {
			release, err := m.Hold("f", DenyRead|DenyWrite|DenyDelete)
			must(t, err)
			want(t, "append", calls["append"].call(), nil)
			want(t, "replace", calls["replace"].call(), nil)
			release()
			return
		}
		before := shape(m)
		for name, c := range calls {
			release, err := m.Hold("F", c.deny)
			must(t, err)
			err = c.call()
			want(t, name, err, errSharing)
			if now := shape(m); now != before {
				t.Errorf("%s: %v, and the disk is %s", name, err, now)
			}
			release()
		}
		release, err := m.Hold("f", DenyWrite)
		must(t, err)
		want(t, "open what may be read", calls["open"].call(), nil)
		m.Kill()
		root = m.Root()
		want(t, "append after a kill", closing(root.Append("f", 0)), errSharing)
		release()
		want(t, "replace at last", root.Rename("g", root, "f", vfs.Replace), nil)
	})
}

func closing(f vfs.File, err error) error {
	if err == nil {
		f.Close()
	}
	return err
}

// Old versions of Windows keep the name of a removed file until it is closed; nothing else can have it.
func TestRemovedWhileOpen(t *testing.T) {
	onSystems(t, map[string]string{"d/f": "x", "e/": ""}, func(t *testing.T, m *Disk, root vfs.Dir) {
		d, err := root.Dir("d")
		must(t, err)
		f, err := d.Open("f")
		must(t, err)
		must(t, d.Remove("f"))
		if m.system == OldNTFS {
			_, err := d.Stat("f")
			want(t, "stat", err, errSharing)
			_, err = d.Create("f", 0o644)
			want(t, "create", err, errSharing)
			want(t, "rename onto it", root.Rename("e", d, "f", vfs.NoReplace), errSharing)
			want(t, "remove its directory", root.RemoveDir("d"), syscall.ENOTEMPTY)
		}
		buf := make([]byte, 1)
		if _, err := f.Read(buf); err != nil || buf[0] != 'x' {
			t.Errorf("read %q, %v", buf, err)
		}
		must(t, f.Close())
		want(t, "create when it is closed", closing(d.Create("f", 0o644)), nil)
		must(t, d.Remove("f"))
		must(t, root.RemoveDir("d"))
		if m.system == OldNTFS {
			want(t, "create in what is going", closing(d.Create("x", 0o644)), fs.ErrNotExist)
			want(t, "make it anew", root.Mkdir("d", 0o755), errSharing)
		}
		must(t, d.Close())
		want(t, "make it anew", root.Mkdir("d", 0o755), nil)
	})
}

// A kill closes what was open, and what was to go is gone.
func TestRemovedWhileOpenAndKilled(t *testing.T) {
	onSystems(t, map[string]string{"f": "x"}, func(t *testing.T, m *Disk, root vfs.Dir) {
		_, err := root.Open("f")
		must(t, errors.Join(err, root.Remove("f")))
		m.Kill()
		if have := shape(m); have != "" {
			t.Error(have)
		}
	})
}

func TestReplaceWhileOpen(t *testing.T) {
	onSystems(t, map[string]string{"f": "old", "g": "new", "d/x": "", "e/": ""}, func(t *testing.T, m *Disk, root vfs.Dir) {
		f, err := root.Open("f")
		must(t, err)
		err = root.Rename("g", root, "f", vfs.Replace)
		if can := vfs.ReplacesOpen(root); can != (m.system != OldNTFS) {
			t.Errorf("it says of itself: %v", can)
		}
		if m.system == OldNTFS {
			want(t, "replace", err, errSharing)
			must(t, f.Close())
			err = root.Rename("g", root, "f", vfs.Replace)
		}
		want(t, "replace", err, nil)
		var denied, none error
		if m.system.windows() {
			denied, none = fs.ErrPermission, vfs.ErrUnsupported
		}
		must(t, m.Plant(map[string]string{"h": ""}))
		want(t, "exchange", root.Rename("f", root, "h", vfs.Exchange), none)
		d, err := root.Dir("d")
		must(t, err)
		x, err := d.Open("x")
		must(t, err)
		want(t, "rename a directory with an open file", root.Rename("d", root, "d2", vfs.NoReplace), denied)
		must(t, errors.Join(x.Close(), ignoreMissing(root.Rename("d2", root, "d", vfs.NoReplace))))
		want(t, "rename an open directory", root.Rename("d", root, "d2", vfs.NoReplace), nil)
		want(t, "replace an empty directory", root.Rename("d2", root, "e", vfs.Replace), nil)
	})
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Windows keeps of permissions only whether a file may be written, has no owners by number, and refuses some names.
func TestWhatWindowsKeeps(t *testing.T) {
	onSystems(t, nil, func(t *testing.T, m *Disk, root vfs.Dir) {
		f, err := root.Create("f", 0o640)
		must(t, errors.Join(err, f.Give(7, 8, 0o751)))
		is, err := f.Stat()
		must(t, err)
		mode, uid := fs.FileMode(0o751), uint32(7)
		if m.system.windows() {
			mode, uid = 0o666, 0
		}
		if is.Mode != mode || is.UID != uid {
			t.Errorf("%+v", is)
		}
		must(t, errors.Join(f.Chmod(0o440), f.Close()))
		var denied, invalid error
		if m.system.windows() {
			denied, invalid = fs.ErrPermission, fs.ErrInvalid
		}
		want(t, "append to a file that may not be written", closing(root.Append("f", 0)), denied)
		for _, name := range []string{"a.", "a ", "a?", "a\x01"} {
			want(t, name, root.Mkdir(name, 0o755), invalid)
		}
		want(t, "symlink", root.Symlink("f", "l"), denied)
		want(t, "remove", root.Remove("f"), nil)
	})
}

// A lease keeps writers out on Windows, and is not granted while somebody writes or keeps the file in its place.
func TestLeaseOfWindows(t *testing.T) {
	onSystems(t, map[string]string{"f": "x"}, func(t *testing.T, m *Disk, root vfs.Dir) {
		f, err := root.Open("f")
		must(t, err)
		for _, use := range []Use{Writes, DenyDelete, DenyWrite} {
			release, err := m.Hold("f", use)
			must(t, err)
			_, open := f.Lease()
			if should := use == Writes && m.system != APFS || use == DenyDelete && m.system.windows(); open != should {
				t.Errorf("%v: open %v", use, open)
			}
			release()
		}
		if !m.system.windows() {
			return
		}
		release, _ := f.Lease()
		want(t, "write to it", closing(root.Append("f", 0)), errSharing)
		want(t, "read it", closing(root.Open("f")), nil)
		if release() {
			t.Error("it says that somebody asked")
		}
		want(t, "write to it afterwards", closing(root.Append("f", 0)), nil)
	})
}
