//go:build linux || darwin

package vfstest

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/vfs"
)

// disk is an empty directory of some implementation, with ways to make in it what a Dir cannot make.
type disk struct {
	root    vfs.Dir
	symlink func(name, target string) error
	fifo    func(name string) error
}

func osDisk(t *testing.T) disk {
	dir := t.TempDir()
	d, err := vfs.Open(dir)
	check(t, err)
	t.Cleanup(func() { d.Close() })
	return disk{d,
		func(name, target string) error { return os.Symlink(target, filepath.Join(dir, name)) },
		func(name string) error { return unix.Mkfifo(filepath.Join(dir, name), 0o644) },
	}
}

func memoryDisk(kind Kind) disk {
	m := NewDisk(kind)
	return disk{m.Root(), m.Symlink, m.Mkfifo}
}

func faultDisk() disk {
	d := memoryDisk(Journal)
	d.root = (&Fault{At: -1}).Wrap(d.root)
	return d
}

// each runs a test on every implementation: they must give the same answers.
func each(t *testing.T, test func(t *testing.T, d vfs.Dir, in disk)) {
	for name, make := range map[string]func() disk{
		"os":      func() disk { return osDisk(t) },
		"journal": func() disk { return memoryDisk(Journal) },
		"strict":  func() disk { return memoryDisk(Strict) },
		"fault":   faultDisk,
	} {
		t.Run(name, func(t *testing.T) {
			in := make()
			test(t, in.root, in)
		})
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// is demands an error, of the kind want when there is one.
func is(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
}

func put(t testing.TB, d vfs.Dir, name, data string) {
	t.Helper()
	f, err := d.Create(name, 0o644)
	check(t, err)
	write(t, f, data)
	check(t, f.Close())
}

func write(t testing.TB, f vfs.File, data string) {
	t.Helper()
	n, err := f.Write([]byte(data))
	check(t, err)
	if n != len(data) {
		t.Fatalf("wrote %d of %d", n, len(data))
	}
}

func holds(t *testing.T, d vfs.Dir, want map[string]string) {
	t.Helper()
	have := map[string]string{}
	tree, err := Snapshot(d)
	check(t, err)
	for path, n := range tree {
		switch n.Mode.Type() {
		case fs.ModeDir:
			path += "/"
		case fs.ModeSymlink:
			n.Data = "-> " + n.Target
		}
		have[path] = n.Data
	}
	if !maps.Equal(have, want) {
		t.Errorf("tree is %v, want %v", have, want)
	}
}

func dir(t testing.TB, d vfs.Dir, name string) vfs.Dir {
	t.Helper()
	check(t, d.Mkdir(name, 0o755))
	sub, err := d.Dir(name)
	check(t, err)
	t.Cleanup(func() { sub.Close() })
	return sub
}

func TestFile(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, _ disk) {
		f, err := d.Create("a", 0o666)
		check(t, err)
		write(t, f, "hello")
		write(t, f, " world")
		buf := make([]byte, 5)
		n, err := f.ReadAt(buf, 6)
		if n != 5 || err != nil || string(buf) != "world" {
			t.Errorf("read %d %q %v", n, buf, err)
		}
		n, err = f.ReadAt(buf, 9)
		if n != 2 || err != io.EOF {
			t.Errorf("read %d, %v at the end", n, err)
		}
		n, err = f.Read(buf)
		if n != 0 || err != io.EOF {
			t.Errorf("read %d, %v after writing", n, err)
		}
		_, err = f.ReadAt(buf, -1)
		is(t, err, syscall.EINVAL)
		info, err := f.Stat()
		check(t, err)
		if info.Size != 11 || info.Mode != 0o666 || info.Links != 1 || info.ID.Ino == 0 {
			t.Errorf("%+v", info)
		}
		check(t, f.Truncate(2))
		check(t, f.Truncate(4))
		is(t, f.Truncate(-1), syscall.EINVAL)
		f.StartWriteback()
		check(t, f.Datasync())
		check(t, f.Sync())
		check(t, d.Sync())
		check(t, f.Close())
		holds(t, d, map[string]string{"a": "he\x00\x00"})
	})
}

func TestReadOnly(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, _ disk) {
		put(t, d, "a", "abc")
		f, err := d.Open("a")
		check(t, err)
		defer f.Close()
		_, err = f.Write([]byte("x"))
		is(t, err, syscall.EBADF)
		is(t, f.Truncate(0), syscall.EINVAL)
		data, err := io.ReadAll(f)
		check(t, err)
		if string(data) != "abc" {
			t.Errorf("read %q", data)
		}
		n, err := f.Read(nil)
		if n != 0 || err != nil {
			t.Errorf("read nothing: %d, %v", n, err)
		}
	})
}

func TestAppend(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, _ disk) {
		a, err := d.Append("log", 0o600)
		check(t, err)
		write(t, a, "one ")
		b, err := d.Append("log", 0o644)
		check(t, err)
		write(t, b, "two ")
		write(t, a, "three")
		info, err := b.Stat()
		check(t, err)
		if info.Mode != 0o600 {
			t.Errorf("permissions are %v, though it was there", info.Mode)
		}
		data := make([]byte, 13)
		_, err = b.ReadAt(data, 0)
		check(t, err)
		check(t, errors.Join(a.Close(), b.Close()))
		holds(t, d, map[string]string{"log": "one two three"})
	})
}

// A directory gets exactly the requested permissions, with the special bits, and stays a directory.
func TestChmodDirectory(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, in disk) {
		sub := dir(t, d, "d")
		for _, perm := range []fs.FileMode{0o700, 0o777, fs.ModeSticky | 0o777, 0o755} {
			check(t, sub.Chmod(perm))
			is, err := d.Stat("d")
			check(t, err)
			if is.Mode != fs.ModeDir|perm {
				t.Errorf("mode is %v, want %v", is.Mode, fs.ModeDir|perm)
			}
		}
		check(t, sub.Close())
		is(t, sub.Chmod(0o700), fs.ErrClosed)
	})
}

// Every Dir refuses what it must not open with the same error, and at once: a FIFO would block it.
func TestOpenRefuses(t *testing.T) {
	watch := time.AfterFunc(time.Minute, func() { panic(t.Name() + " hangs") })
	defer watch.Stop()
	each(t, func(t *testing.T, d vfs.Dir, in disk) {
		check(t, d.Mkdir("d", 0o755))
		check(t, in.symlink("l", "f"))
		check(t, in.symlink("ld", "d"))
		check(t, in.symlink("broken", "none"))
		check(t, in.fifo("p"))
		put(t, d, "f", "")
		long := strings.Repeat("x", 256)
		for _, c := range []struct {
			name               string
			open, append, make error
			dir, readlink      error
			remove, rmdir      error
		}{
			{"none", syscall.ENOENT, nil, nil, syscall.ENOENT, syscall.ENOENT, syscall.ENOENT, syscall.ENOENT},
			{"d", syscall.EISDIR, syscall.EISDIR, syscall.EEXIST, nil, syscall.EINVAL, syscall.EISDIR, nil},
			{"l", syscall.ELOOP, syscall.ELOOP, syscall.EEXIST, syscall.ELOOP, nil, nil, syscall.ENOTDIR},
			{"ld", syscall.ELOOP, syscall.ELOOP, syscall.EEXIST, syscall.ELOOP, nil, nil, syscall.ENOTDIR},
			{"broken", syscall.ELOOP, syscall.ELOOP, syscall.EEXIST, syscall.ELOOP, nil, nil, syscall.ENOTDIR},
			{"p", vfs.ErrNotRegular, vfs.ErrNotRegular, syscall.EEXIST, syscall.ENOTDIR, syscall.EINVAL, nil, syscall.ENOTDIR},
			{"f", nil, nil, syscall.EEXIST, syscall.ENOTDIR, syscall.EINVAL, nil, syscall.ENOTDIR},
			{long, syscall.ENAMETOOLONG, syscall.ENAMETOOLONG, syscall.ENAMETOOLONG, syscall.ENAMETOOLONG,
				syscall.ENAMETOOLONG, syscall.ENAMETOOLONG, syscall.ENAMETOOLONG},
		} {
			t.Run(c.name[:min(len(c.name), 6)], func(t *testing.T) {
				answer(t, "open", c.open, shut(d.Open(c.name)))
				answer(t, "dir", c.dir, shut(d.Dir(c.name)))
				_, err := d.Readlink(c.name)
				answer(t, "readlink", c.readlink, err)
				if c.make != nil {
					answer(t, "create", c.make, shut(d.Create(c.name, 0o644)))
					answer(t, "mkdir", c.make, d.Mkdir(c.name, 0o755))
				}
				if c.remove != nil {
					answer(t, "remove", c.remove, d.Remove(c.name))
				}
				if c.rmdir != nil {
					answer(t, "rmdir", c.rmdir, d.RemoveDir(c.name))
				}
				answer(t, "append", c.append, shut(d.Append(c.name, 0o644)))
				check(t, d.Sync())
				if c.remove == nil {
					answer(t, "remove", nil, d.Remove(c.name))
				}
				if c.rmdir == nil {
					answer(t, "rmdir", nil, d.RemoveDir(c.name))
				}
			})
		}
	})
}

func answer(t *testing.T, op string, want, have error) {
	t.Helper()
	if !errors.Is(have, want) {
		t.Errorf("%s: %v, want %v", op, have, want)
	}
}

// shut closes what was opened.
func shut[T io.Closer](opened T, err error) error {
	if err != nil {
		return err
	}
	return opened.Close()
}

func TestErrorsOfGo(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, _ disk) {
		put(t, d, "a", "")
		is(t, shut(d.Open("none")), fs.ErrNotExist)
		is(t, shut(d.Create("a", 0)), fs.ErrExist)
		is(t, d.Mkdir("a", 0), fs.ErrExist)
		is(t, d.Link("a", d, "a"), fs.ErrExist)
		is(t, d.Rename("none", d, "a", vfs.Exchange), fs.ErrNotExist)
	})
}

// A path is not a single name.
func TestSingleNames(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, _ disk) {
		sub := dir(t, d, "d")
		put(t, sub, "f", "")
		put(t, d, "a", "")
		for _, name := range []string{"", ".", "..", "d/f", "/", "d/", "/d", "./a", "../a", "a\x00", "\x00"} {
			_, readlink := d.Readlink(name)
			for op, err := range map[string]error{
				"open":     shut(d.Open(name)),
				"create":   shut(d.Create(name, 0o644)),
				"append":   shut(d.Append(name, 0o644)),
				"dir":      shut(d.Dir(name)),
				"mkdir":    d.Mkdir(name, 0o755),
				"readlink": readlink,
				"link":     d.Link(name, d, "b"),
				"linked":   d.Link("a", d, name),
				"rename":   d.Rename(name, d, "b", vfs.Replace),
				"renamed":  d.Rename("a", d, name, vfs.Exchange),
				"remove":   d.Remove(name),
				"rmdir":    d.RemoveDir(name),
			} {
				if !errors.Is(err, fs.ErrInvalid) {
					t.Errorf("%s %q: %v", op, name, err)
				}
			}
			_, err := d.Stat(name)
			if (name == ".") != (err == nil) {
				t.Errorf("stat %q: %v", name, err)
			}
		}
		holds(t, d, map[string]string{"d/": "", "d/f": "", "a": ""})
	})
}

func TestStat(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, in disk) {
		check(t, in.symlink("l", "target"))
		check(t, in.fifo("p"))
		check(t, d.Mkdir("d", 0o755))
		put(t, d, "f", "12345")
		check(t, d.Link("f", d, "g"))
		for name, want := range map[string]fs.FileMode{"l": fs.ModeSymlink, "p": fs.ModeNamedPipe, "d": fs.ModeDir, "f": 0} {
			info, err := d.Stat(name)
			check(t, err)
			if info.Mode.Type() != want {
				t.Errorf("%s is %v", name, info.Mode)
			}
		}
		f, err := d.Stat("f")
		check(t, err)
		g, err := d.Stat("g")
		check(t, err)
		if f.ID != g.ID || f.Links != 2 || f.Size != 5 {
			t.Errorf("%+v, %+v", f, g)
		}
		l, err := d.Stat("l")
		check(t, err)
		if l.Size != int64(len("target")) || l.ID == f.ID {
			t.Errorf("%+v", l)
		}
		sub, err := d.Dir("d")
		check(t, err)
		defer sub.Close()
		self, err := sub.Stat(".")
		check(t, err)
		from, err := d.Stat("d")
		check(t, err)
		if self != from || !self.Mode.IsDir() {
			t.Errorf("%+v is %+v from above", self, from)
		}
	})
}

func TestNames(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, _ disk) {
		var want []string
		for i := range 300 {
			name := "f" + strings.Repeat("x", i%100) + string(rune('a'+i%26)) + string(rune('a'+i/26))
			put(t, d, name, "")
			want = append(want, name)
		}
		for range 2 {
			names, err := d.Names()
			check(t, err)
			slices.Sort(names)
			slices.Sort(want)
			if !slices.Equal(names, want) {
				t.Errorf("%d names, want %d", len(names), len(want))
			}
		}
	})
}

func TestRename(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, in disk) {
		sub := dir(t, d, "d")
		put(t, d, "a", "A")
		put(t, sub, "b", "B")
		is(t, d.Rename("a", sub, "b", vfs.NoReplace), fs.ErrExist)
		is(t, d.Rename("a", sub, "c", vfs.Exchange), fs.ErrNotExist)
		check(t, d.Rename("a", sub, "b", vfs.Exchange))
		holds(t, d, map[string]string{"a": "B", "d/": "", "d/b": "A"})
		check(t, d.Rename("a", sub, "c", vfs.NoReplace))
		holds(t, d, map[string]string{"d/": "", "d/b": "A", "d/c": "B"})
		check(t, sub.Rename("b", sub, "c", vfs.Replace))
		holds(t, d, map[string]string{"d/": "", "d/c": "A"})
		check(t, in.symlink("l", "d/c"))
		check(t, d.Rename("l", sub, "c", vfs.Exchange))
		holds(t, d, map[string]string{"d/": "", "d/c": "-> d/c", "l": "A"})
	})
}

func TestRenameDirectories(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, _ disk) {
		a := dir(t, d, "a")
		b := dir(t, a, "b")
		put(t, d, "f", "")
		put(t, b, "x", "")
		is(t, d.Rename("a", b, "c", vfs.Replace), syscall.EINVAL)
		is(t, d.Rename("a", a, "c", vfs.Replace), syscall.EINVAL)
		is(t, a.Rename("b", d, "a", vfs.Replace), syscall.ENOTEMPTY)
		is(t, d.Rename("a", a, "b", vfs.Exchange), syscall.EINVAL)
		is(t, a.Rename("b", d, "a", vfs.Exchange), syscall.EINVAL)
		is(t, d.Rename("f", d, "a", vfs.Replace), syscall.EISDIR)
		is(t, d.Rename("a", d, "f", vfs.Replace), syscall.ENOTDIR)
		is(t, d.RemoveDir("a"), syscall.ENOTEMPTY)
		is(t, d.Link("a", d, "b"), syscall.EPERM)
		empty := dir(t, d, "empty")
		check(t, a.Rename("b", d, "empty", vfs.Replace))
		is(t, empty.Mkdir("x", 0o755), fs.ErrNotExist)
		holds(t, d, map[string]string{"a/": "", "empty/": "", "empty/x": "", "f": ""})
		check(t, d.Rename("f", d, "empty", vfs.Exchange))
		holds(t, d, map[string]string{"a/": "", "f/": "", "f/x": "", "empty": ""})
		put(t, b, "still", "the same directory")
		holds(t, d, map[string]string{"a/": "", "f/": "", "f/x": "", "f/still": "the same directory", "empty": ""})
	})
}

// A rename onto another name of the same file does nothing, and reports success.
func TestRenameSameFile(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, _ disk) {
		put(t, d, "a", "A")
		check(t, d.Link("a", d, "b"))
		check(t, d.Rename("a", d, "b", vfs.Replace))
		check(t, d.Rename("a", d, "b", vfs.Exchange))
		check(t, d.Rename("a", d, "a", vfs.Replace))
		is(t, d.Rename("a", d, "b", vfs.NoReplace), fs.ErrExist)
		holds(t, d, map[string]string{"a": "A", "b": "A"})
	})
}

func TestReadlink(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, in disk) {
		for _, size := range []int{1, 255, 256, 257, 4000} {
			want := strings.Repeat("x", size)
			check(t, in.symlink("l", want))
			target, err := d.Readlink("l")
			check(t, err)
			if target != want {
				t.Errorf("%d bytes, want %d", len(target), size)
			}
			check(t, d.Remove("l"))
		}
	})
}

// A link to a link is a second name of the link.
func TestLinkOfLink(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, in disk) {
		check(t, in.symlink("l", "f"))
		put(t, d, "f", "F")
		check(t, d.Link("l", d, "m"))
		is(t, d.Link("f", d, "m"), fs.ErrExist)
		is(t, d.Link("none", d, "m"), fs.ErrNotExist)
		holds(t, d, map[string]string{"l": "-> f", "m": "-> f", "f": "F"})
	})
}

// Nothing can be made in a removed directory.
func TestRemovedDirectory(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, _ disk) {
		sub := dir(t, d, "d")
		put(t, d, "f", "")
		check(t, d.RemoveDir("d"))
		is(t, shut(sub.Create("a", 0o644)), fs.ErrNotExist)
		is(t, shut(sub.Append("a", 0o644)), fs.ErrNotExist)
		is(t, sub.Mkdir("a", 0o755), fs.ErrNotExist)
		is(t, d.Link("f", sub, "a"), fs.ErrNotExist)
		is(t, d.Rename("f", sub, "a", vfs.NoReplace), fs.ErrNotExist)
		if _, err := sub.Stat("."); err != nil {
			t.Error(err)
		}
		_, err := sub.Names()
		is(t, err, fs.ErrNotExist)
	})
}

// An open file without a name can still be used.
func TestRemovedFile(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, _ disk) {
		f, err := d.Create("f", 0o644)
		check(t, err)
		defer f.Close()
		check(t, d.Remove("f"))
		write(t, f, "abc")
		info, err := f.Stat()
		check(t, err)
		if info.Links != 0 || info.Size != 3 {
			t.Errorf("%+v", info)
		}
	})
}

func TestClosed(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, _ disk) {
		f, err := d.Create("f", 0o644)
		check(t, err)
		other, err := d.Open("f")
		check(t, err)
		defer other.Close()
		check(t, f.Close())
		// Whatever is opened now may well get the number of what was closed.
		g, err := d.Create("g", 0o644)
		check(t, err)
		defer g.Close()
		_, read := f.Read(make([]byte, 1))
		_, readAt := f.ReadAt(make([]byte, 1), 0)
		_, wrote := f.Write([]byte("x"))
		_, stat := f.Stat()
		_, adopt := f.CopyAttributes(other)
		_, adopted := other.CopyAttributes(f)
		_, lock := f.TryLock()
		for op, err := range map[string]error{"read": read, "read at": readAt, "write": wrote, "stat": stat, "adopt": adopt,
			"adopted": adopted, "lock": lock, "truncate": f.Truncate(0), "sync": f.Sync(), "datasync": f.Datasync(),
			"touch": f.Touch(time.Now()), "inherit": f.DefaultAttributes(d, 0o644), "close": f.Close()} {
			if !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%s: %v", op, err)
			}
		}
		f.StartWriteback()
		if release, open := f.Lease(); open || release() {
			t.Error("a lease on a closed file")
		}
		holds(t, d, map[string]string{"f": "", "g": ""})
	})
}

func TestClosedDirectory(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, _ disk) {
		sub := dir(t, d, "d")
		put(t, sub, "f", "")
		check(t, sub.Close())
		_, stat := sub.Stat(".")
		_, names := sub.Names()
		_, readlink := sub.Readlink("f")
		for op, err := range map[string]error{"stat": stat, "names": names, "readlink": readlink, "open": shut(sub.Open("f")),
			"create": shut(sub.Create("g", 0)), "append": shut(sub.Append("g", 0)), "dir": shut(sub.Dir("g")),
			"mkdir": sub.Mkdir("g", 0), "link": sub.Link("f", d, "g"), "linked": d.Link("d", sub, "g"),
			"rename": sub.Rename("f", d, "g", vfs.NoReplace), "renamed": d.Rename("d", sub, "g", vfs.NoReplace),
			"remove": sub.Remove("f"), "rmdir": sub.RemoveDir("f"), "sync": sub.Sync(), "close": sub.Close()} {
			if !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%s: %v", op, err)
			}
		}
		holds(t, d, map[string]string{"d/": "", "d/f": ""})
	})
}

func TestLock(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, _ disk) {
		a, err := d.Append("lock", 0o600)
		check(t, err)
		b, err := d.Open("lock")
		check(t, err)
		defer b.Close()
		for _, c := range []struct {
			by   vfs.File
			want bool
		}{{a, true}, {a, true}, {b, false}} {
			locked, err := c.by.TryLock()
			check(t, err)
			if locked != c.want {
				t.Errorf("locked: %v, want %v", locked, c.want)
			}
		}
		check(t, a.Close())
		if locked, err := b.TryLock(); err != nil || !locked {
			t.Errorf("after the other's close: %v, %v", locked, err)
		}
	})
}

func TestTouch(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, _ disk) {
		f, err := d.Create("f", 0o644)
		check(t, err)
		defer f.Close()
		for _, when := range []time.Time{time.Unix(1234567890, 987654000), time.Unix(0, 0), time.Unix(-1, 0)} {
			check(t, f.Touch(when))
			info, err := d.Stat("f")
			check(t, err)
			if !info.ModTime.Equal(when) {
				t.Errorf("touched %v, is %v", when, info.ModTime)
			}
		}
	})
}

// Calls across two implementations, or two disks, fail.
func TestOtherMaker(t *testing.T) {
	each(t, func(t *testing.T, d vfs.Dir, _ disk) {
		other := NewDisk(Journal).Root()
		put(t, d, "f", "")
		put(t, other, "g", "")
		f, err := d.Open("f")
		check(t, err)
		defer f.Close()
		g, err := other.Open("g")
		check(t, err)
		_, adopt := f.CopyAttributes(g)
		for op, err := range map[string]error{"link": d.Link("f", other, "x"), "rename": d.Rename("f", other, "x", vfs.Replace),
			"adopt": adopt, "inherit": f.DefaultAttributes(other, 0o644)} {
			if !errors.Is(err, vfs.ErrOtherMaker) {
				t.Errorf("%s: %v", op, err)
			}
		}
	})
}
