package vfstest

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/internal/vfs"
)

func TestKill(t *testing.T) {
	m := NewDisk(Journal)
	root := m.Root()
	f, err := root.Append("f", 0o644)
	must(t, err)
	_, err = f.Write([]byte("x"))
	must(t, err)
	if locked, err := f.TryLock(); !locked || err != nil {
		t.Fatal(locked, err)
	}
	m.Kill()
	_, err = f.Write([]byte("y"))
	for op, err := range map[string]error{"write": err, "close": f.Close(), "create": root.Mkdir("d", 0), "sync": root.Sync()} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: %v", op, err)
		}
	}
	if have := shape(m); have != "f=x" {
		t.Errorf("lost something: %s", have)
	}
	g, err := m.Root().Open("f")
	must(t, err)
	if release, open := g.Lease(); open || release() {
		t.Error("the dead still have it open")
	}
	if locked, err := g.TryLock(); !locked || err != nil {
		t.Errorf("the dead still have the lock: %v %v", locked, err)
	}
}

func TestSpace(t *testing.T) {
	m := NewDisk(Journal)
	root := m.Root()
	m.SetSpace(5, 2)
	f, err := root.Create("f", 0o644)
	must(t, err)
	n, err := f.Write([]byte("1234567"))
	if n != 5 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("wrote %d, %v", n, err)
	}
	must(t, root.Mkdir("d", 0o755))
	for op, err := range map[string]error{"mkdir": root.Mkdir("e", 0o755), "create": second(root.Create("e", 0o644))} {
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: %v", op, err)
		}
	}
	must(t, errors.Join(root.Link("f", root, "g"), root.Rename("g", root, "h", vfs.Replace)))
	must(t, root.Remove("f"))
	must(t, root.Remove("h"))
	if _, err := f.Write([]byte("8")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("an open file gave back its space: %v", err)
	}
	must(t, f.Close())
	must(t, root.RemoveDir("d"))
	f, err = root.Create("f", 0o644)
	must(t, err)
	_, err = f.Write([]byte("12345"))
	must(t, err)
	must(t, f.Truncate(3))
	must(t, f.Truncate(5))
	if _, err := f.Write([]byte("6")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("wrote more than there is: %v", err)
	}
	m.SetSpace(-1, -1)
	_, err = f.Write(make([]byte, 1000))
	must(t, err)
}

func second[T any](_ T, err error) error { return err }

// An inode number is never used again, not even after a crash.
func TestInodeNumbers(t *testing.T) {
	m := NewDisk(Strict)
	used := map[uint64]bool{}
	for range 20 {
		root := m.Root()
		for _, name := range []string{"a", "b"} {
			root.Remove(name)
			f, err := root.Create(name, 0o644)
			must(t, err)
			info, err := f.Stat()
			must(t, errors.Join(err, f.Close()))
			if used[info.ID.Ino] {
				t.Fatalf("inode %d again", info.ID.Ino)
			}
			used[info.ID.Ino] = true
		}
		m = m.Crash(rand.IntN)
	}
}

// Every change is later than the one before.
func TestTimes(t *testing.T) {
	m := NewDisk(Journal)
	root := m.Root()
	f, err := root.Create("f", 0o644)
	must(t, err)
	var last vfs.Info
	for i, change := range []func() error{
		func() error { _, err := f.Write([]byte("x")); return err },
		func() error { return f.Truncate(0) },
		func() error { _, err := f.Write([]byte("x")); return err },
	} {
		must(t, change())
		info, err := f.Stat()
		must(t, err)
		if !info.ModTime.After(last.ModTime) {
			t.Errorf("change %d: %v is not after %v", i, info.ModTime, last.ModTime)
		}
		last = info
	}
	before, err := root.Stat(".")
	must(t, errors.Join(err, root.Mkdir("d", 0o755)))
	after, err := root.Stat(".")
	must(t, err)
	if !after.ModTime.After(before.ModTime) {
		t.Errorf("the directory: %v is not after %v", after.ModTime, before.ModTime)
	}
}

func TestPlant(t *testing.T) {
	m := NewDisk(Strict)
	must(t, m.Plant(map[string]string{"a/b/c": "C", "l": "-> a", "d/": "", "a/e/": ""}))
	must(t, m.Mkfifo("d/p"))
	if have, want := shape(m), "a/ a/b/ a/b/c=C a/e/ d/ d/p l->a"; have != want {
		t.Errorf("planted %s, want %s", have, want)
	}
	if err := m.Symlink("l/x", "y"); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("planted through a link: %v", err)
	}
	if err := m.Mkfifo("l"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("planted over a link: %v", err)
	}
	if err := m.Change("a/none", func(*vfs.Info) {}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("changed nothing: %v", err)
	}
}

func TestLeaseInMemory(t *testing.T) {
	m := NewDisk(Journal)
	must(t, m.Plant(map[string]string{"f": "x"}))
	root := m.Root()
	writer, err := root.Append("f", 0)
	must(t, err)
	f, err := root.Open("f")
	must(t, err)
	if release, open := f.Lease(); !open || release() {
		t.Error("did not see the writer")
	}
	must(t, writer.Close())
	release, open := f.Lease()
	if open || release() || release() {
		t.Error("saw a writer, or was asked")
	}
	release, open = f.Lease()
	if _, err := root.Append("f", 0); open || !errors.Is(err, syscall.EAGAIN) {
		t.Errorf("open %v, the writer got %v", open, err)
	}
	if !release() || release() {
		t.Error("not asked, or asked twice")
	}
}

// Many goroutines at once, for the race detector.
func TestTogether(t *testing.T) {
	m := NewDisk(Journal)
	fault := &Fault{At: -1}
	root := fault.Wrap(m.Root())
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			name := string(rune('a' + i))
			for range 50 {
				if f, err := root.Append(name, 0o644); err == nil {
					f.Write([]byte("x"))
					f.Sync()
					f.Close()
				}
				root.Rename(name, root, "z", vfs.Replace)
				root.Sync()
				m.Crash(rand.IntN)
				m.Snapshot()
			}
		})
	}
	wg.Wait()
	if names, err := root.Names(); err != nil || !slices.Contains(names, "z") {
		t.Errorf("%v, %v", names, err)
	}
}
