package vfstest

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
)

// everything makes every counted call, and continues after errors.
func everything(root vfs.Dir) (errs []error) {
	note := func(err error) bool {
		errs = append(errs, err)
		return err == nil
	}
	sub, err := root.Dir("d")
	if err != nil {
		return []error{err}
	}
	old, err := root.Open("old")
	if err != nil {
		return append(errs, err)
	}
	defer old.Close()
	defer sub.Close()
	if f, err := root.Create("new", 0o644); note(err) {
		_, err := f.Write([]byte("123456"))
		note(err)
		note(f.Truncate(5))
		_, err = f.CopyAttributes(old)
		note(err)
		note(f.DefaultAttributes(sub, 0o666))
		note(f.Touch(time.Unix(1, 0)))
		f.StartWriteback()
		_, err = f.TryLock()
		note(err)
		note(f.Datasync())
		note(f.Sync())
		f.Close()
	}
	if f, err := root.Append("log", 0o644); note(err) {
		f.Close()
	}
	note(root.Mkdir("e", 0o755))
	note(root.Link("old", sub, "kept"))
	note(root.Rename("old", sub, "kept2", vfs.NoReplace))
	note(root.Remove("x"))
	note(root.RemoveDir("gone"))
	note(sub.Chmod(0o700))
	note(root.Sync())
	return errs
}

func faulty(t *testing.T) *Disk {
	m := NewDisk(Strict)
	must(t, m.Plant(map[string]string{"d/": "", "gone/": "", "old": "O", "x": "X"}))
	return m
}

func count(errs []error, want error) (n int) {
	for _, err := range errs {
		if errors.Is(err, want) {
			n++
		}
	}
	return n
}

var all = []string{"create new", "write new", "truncate new", "adopt new", "inherit new", "touch new", "lock new",
	"datasync new", "sync new", "append log", "mkdir e", "link old to kept", "rename old to kept2, no replace", "remove x",
	"remove directory gone", "chmod directory", "sync directory"}

// Without a fault the calls are only counted.
func TestFaultCounts(t *testing.T) {
	bare, wrapped := faulty(t), faulty(t)
	fault := &Fault{At: -1}
	errs := everything(fault.Wrap(wrapped.Root()))
	must(t, errors.Join(errs...))
	must(t, errors.Join(everything(bare.Root())...))
	if shape(bare) != shape(wrapped) || fault.Fired() {
		t.Errorf("%s, wrapped %s, fired %v", shape(bare), shape(wrapped), fault.Fired())
	}
	if !slices.Equal(fault.Trace(), all) || fault.Calls() != len(all) {
		t.Errorf("%d calls: %q", fault.Calls(), fault.Trace())
	}
}

// Each call in turn fails once, with or without its effect, and later calls work.
func TestFaultOnce(t *testing.T) {
	for at := range all {
		for _, after := range []bool{false, true} {
			fault := &Fault{At: at, Err: syscall.ENOSPC, After: after}
			errs := everything(fault.Wrap(faulty(t).Root()))
			if !fault.Fired() || count(errs, syscall.ENOSPC) != 1 {
				t.Errorf("%s, after %v: fired %v, %v", all[at], after, fault.Fired(), errs)
			}
			if fault.Trace()[at] != all[at] {
				t.Errorf("call %d is %s, want %s", at, fault.Trace()[at], all[at])
			}
		}
	}
	fault := &Fault{At: len(all)}
	must(t, errors.Join(everything(fault.Wrap(faulty(t).Root()))...))
	if fault.Fired() {
		t.Error("fired beyond the last call")
	}
}

// A call that fails after its effect has one, and a call that fails before has none.
func TestFaultEffect(t *testing.T) {
	for _, c := range []struct {
		call          func(root vfs.Dir) error
		before, after string
		at            int
	}{
		{func(d vfs.Dir) error { return second(d.Create("new", 0o644)) }, "", "new=", 0},
		{func(d vfs.Dir) error { return second(d.Append("new", 0o644)) }, "", "new=", 0},
		{func(d vfs.Dir) error { return d.Mkdir("new", 0o755) }, "", "new/", 0},
		{func(d vfs.Dir) error { return d.Symlink("a", "new") }, "", "new->a", 0},
		{func(d vfs.Dir) error { return d.Link("a", d, "b") }, "a=1", "a=1 b=1", 0},
		{func(d vfs.Dir) error { return d.Rename("a", d, "b", vfs.Replace) }, "a=1", "b=1", 0},
		{func(d vfs.Dir) error { return d.Rename("a", d, "b", vfs.Exchange) }, "a=1 b=2", "a=2 b=1", 0},
		{func(d vfs.Dir) error { return d.Remove("a") }, "a=1", "", 0},
		{func(d vfs.Dir) error { return d.RemoveDir("d") }, "d/", "", 0},
		{func(d vfs.Dir) error {
			return onFile(d, func(f vfs.File) error { return second(f.Write([]byte("234"))) })
		}, "a=1", "a=12", 1},
		{func(d vfs.Dir) error { return onFile(d, func(f vfs.File) error { return f.Truncate(0) }) }, "a=1", "a=", 1},
	} {
		for _, after := range []bool{false, true} {
			m := NewDisk(Journal)
			for word := range strings.FieldsSeq(c.before) {
				path, data, _ := strings.Cut(word, "=")
				must(t, m.Plant(map[string]string{path: data}))
			}
			want := c.before
			if after {
				want = c.after
			}
			fault := &Fault{After: after, At: c.at}
			if err := c.call(fault.Wrap(m.Root())); !errors.Is(err, syscall.EIO) {
				t.Errorf("%v: %v", fault.Trace(), err)
			}
			if have := shape(m); have != want {
				t.Errorf("%v, after %v: %s, want %s", fault.Trace(), after, have, want)
			}
			if n := len(m.open); n > 1 {
				t.Errorf("%v: %d files left open", fault.Trace(), n)
			}
		}
	}
}

// onFile makes its call the second one that counts.
func onFile(d vfs.Dir, call func(vfs.File) error) error {
	f, err := d.Append("a", 0)
	if err != nil {
		return fmt.Errorf("opening: %v", err)
	}
	return call(f)
}

// Half of a write takes effect, and the count says so.
func TestFaultShortWrite(t *testing.T) {
	m := NewDisk(Journal)
	fault := &Fault{At: 1, After: true}
	f, err := fault.Wrap(m.Root()).Create("a", 0o644)
	must(t, err)
	n, err := f.Write([]byte("12345"))
	if n != 2 || !errors.Is(err, syscall.EIO) || shape(m) != "a=12" {
		t.Errorf("wrote %d, %v, have %s", n, err, shape(m))
	}
	n, err = f.Write([]byte("345"))
	if n != 3 || err != nil || shape(m) != "a=12345" {
		t.Errorf("then wrote %d, %v, have %s", n, err, shape(m))
	}
}

// After a kill, a process changes nothing more, and sees nothing.
func TestFaultDead(t *testing.T) {
	for at := range all {
		for _, after := range []bool{false, true} {
			m := faulty(t)
			fault := &Fault{At: at, After: after, Dead: true}
			root := fault.Wrap(m.Root())
			old, err := root.Open("old")
			must(t, err)
			errs := everything(root)
			if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i != at {
				t.Fatalf("%s: the first error is that of call %d", all[at], i)
			}
			if count(errs, nil) != at || len(fault.Trace()) != at+1 {
				t.Errorf("%s: %v after death", all[at], fault.Trace()[at+1:])
			}
			before := shape(m)
			silent(t, root, old)
			if have := shape(m); have != before {
				t.Errorf("%s: the dead made %s of %s", all[at], have, before)
			}
			for f := range m.open {
				if f.lease != nil {
					t.Errorf("%s: the dead have a lease", all[at])
				}
			}
			if n := len(m.open); n != 1 {
				t.Errorf("%s: the dead have %d files open, want old only", all[at], n)
			}
		}
	}
}

func silent(t *testing.T, root vfs.Dir, f vfs.File) {
	t.Helper()
	buf := make([]byte, 1)
	_, stat := root.Stat(".")
	_, names := root.Names()
	_, link := root.Readlink("l")
	_, read := f.Read(buf)
	_, readAt := f.ReadAt(buf, 0)
	_, fstat := f.Stat()
	for op, err := range map[string]error{"stat": stat, "names": names, "readlink": link, "dir": second(root.Dir("d")),
		"open": second(root.Open("old")), "read": read, "read at": readAt, "stat file": fstat, "write": root.Mkdir("z", 0)} {
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("%s after death: %v", op, err)
		}
	}
	if _, open := f.Lease(); open {
		t.Error("a rival after death")
	}
}

// Close works even after a kill: the locks end.
func TestFaultDeadClose(t *testing.T) {
	m := NewDisk(Journal)
	fault := &Fault{At: 2, Dead: true}
	root := fault.Wrap(m.Root())
	f, err := root.Append("lock", 0o600)
	must(t, err)
	if locked, err := f.TryLock(); !locked || err != nil {
		t.Fatal(locked, err)
	}
	if err := root.Sync(); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	if err := f.Close(); !errors.Is(err, syscall.EIO) {
		t.Errorf("close: %v", err)
	}
	other, err := m.Root().Open("lock")
	must(t, err)
	if locked, err := other.TryLock(); !locked || err != nil {
		t.Errorf("the dead hold the lock: %v, %v", locked, err)
	}
}

// With Reads, a fault hits reads as well.
func TestFaultReads(t *testing.T) {
	m := NewDisk(Journal)
	must(t, m.Plant(map[string]string{"a": "A"}))
	look := func(f *Fault) error {
		d := f.Wrap(m.Root())
		_, stat := d.Stat("a")
		file, open := d.Open("a")
		if open != nil {
			return open
		}
		_, read := file.Read(make([]byte, 1))
		return errors.Join(stat, read)
	}
	for at := range 3 {
		if err := look(&Fault{At: at}); err != nil {
			t.Errorf("a read failed unasked: %v", err)
		}
		fault := &Fault{At: at, Reads: true, Err: fs.ErrPermission}
		if err := look(fault); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%v: %v", fault.Trace(), err)
		}
	}
}

// A call that would have failed anyway returns its own error.
func TestFaultOfFailing(t *testing.T) {
	fault := &Fault{After: true}
	if err := fault.Wrap(NewDisk(Journal).Root()).Remove("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
