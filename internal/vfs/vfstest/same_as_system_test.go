//go:build linux || darwin

package vfstest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/vfs"
)

// TestMain sets the umask that the disk in memory has. Package vfs reads the umask when a process starts, so a process with
// another one begins again.
func TestMain(m *testing.M) {
	if unix.Umask(int(umask)) != int(umask) {
		exe, err := os.Executable()
		if err == nil {
			err = syscall.Exec(exe, os.Args, os.Environ())
		}
		panic(err)
	}
	os.Exit(m.Run())
}

// The same calls on a real disk and on one in memory give the same answers and leave the same tree. The calls are random, with
// few names, so that they collide.
func TestSameAsSystem(t *testing.T) {
	runs := 200
	if testing.Short() {
		runs = 20
	}
	for seed := range uint64(runs) {
		kind := Kind(seed % 2)
		real, memory := newActor(t, osDisk(t), seed), newActor(t, memoryDisk(kind), seed)
		var log []string
		for range 300 {
			want, have := real.step(), memory.step()
			log = append(log, want)
			if want != have {
				t.Fatalf("seed %d:\n%s\nthe system: %s\nin memory:  %s", seed, last(log, 40), want, have)
			}
		}
		real.close()
		memory.close()
		want, have := real.tree(t), memory.tree(t)
		if !maps.Equal(want, have) {
			t.Fatalf("seed %d: the system has\n%v\nmemory has\n%v", seed, want, have)
		}
	}
}

func last(log []string, n int) (text string) {
	for _, line := range log[max(0, len(log)-n):] {
		text += line + "\n"
	}
	return text
}

// actor makes random calls on one disk. Two of them with the same seed make the same calls as long as they get the
// same answers.
type actor struct {
	r     *rand.Rand
	in    disk
	dirs  []vfs.Dir
	files []vfs.File
	links int
	own   vfs.Info // of the root: who runs the test may be anybody
}

func newActor(t *testing.T, in disk, seed uint64) *actor {
	own, err := in.root.Stat(".")
	check(t, err)
	return &actor{r: rand.New(rand.NewPCG(seed, 1)), in: in, dirs: []vfs.Dir{in.root}, own: own}
}

func (a *actor) tree(t *testing.T) map[string]Node {
	tree, err := Snapshot(a.dirs[0])
	check(t, err)
	for path, n := range tree {
		n.UID, n.GID = n.UID-a.own.UID, n.GID-a.own.GID
		tree[path] = n
	}
	return tree
}

// perm leaves the owner the right to read and write, since the disk in memory checks no permissions.
func (a *actor) perm() fs.FileMode { return 0o600 | fs.FileMode(a.r.IntN(0o1000)) }

func (a *actor) close() {
	for _, f := range a.files {
		f.Close()
	}
	for _, d := range a.dirs[1:] {
		d.Close()
	}
}

func (a *actor) name() string   { return string(rune('a' + a.r.IntN(5))) }
func (a *actor) file() vfs.File { return a.files[a.r.IntN(len(a.files))] }

// step makes one call and describes it and its answer.
func (a *actor) step() string {
	const onDirs = 14
	n := a.r.IntN(onDirs + 8)
	if n < onDirs {
		return a.onDir(n)
	}
	if len(a.files) == 0 {
		return "-"
	}
	return a.onFile(n - onDirs)
}

func (a *actor) onDir(n int) string {
	di := a.r.IntN(len(a.dirs))
	d, name := a.dirs[di], a.name()
	say := func(op string, err error, more ...any) string {
		return fmt.Sprint(op, " ", di, "/", name, " ", more, ": ", class(err))
	}
	switch n {
	case 0:
		return say("create", a.keep(d.Create(name, a.perm())))
	case 1:
		return say("append", a.keep(d.Append(name, a.perm())))
	case 2:
		return say("open", a.keep(d.Open(name)))
	case 3:
		below, err := d.Dir(name)
		if err == nil {
			a.dirs = append(a.dirs, below)
		}
		return say("dir", err)
	case 4:
		return say("mkdir", d.Mkdir(name, 0o777))
	case 5:
		return say("symlink", d.Symlink("to "+name, name))
	case 6:
		info, err := d.Stat(name)
		if err != nil {
			return say("stat", err)
		}
		return say("stat", nil, a.facts(info))
	case 7:
		target, err := d.Readlink(name)
		return say("readlink", err, target)
	case 8:
		names, err := d.Names()
		slices.Sort(names)
		return say("names", err, names)
	case 9:
		return say("remove", d.Remove(name))
	case 10:
		return say("rmdir", d.RemoveDir(name))
	case 11:
		a.links++
		if link := a.name(); a.links%2 == 0 {
			return say("symlink", exists(a.in.symlink(link, "x")), link)
		}
		return say("fifo", exists(a.in.fifo(name)))
	case 12:
		ti, as := a.r.IntN(len(a.dirs)), a.name()
		return say("link", d.Link(name, a.dirs[ti], as), ti, as)
	}
	ti, as, how := a.r.IntN(len(a.dirs)), a.name(), vfs.RenameMode(a.r.IntN(3))
	return say("rename", d.Rename(name, a.dirs[ti], as, how), ti, as, how)
}

func (a *actor) keep(f vfs.File, err error) error {
	if err == nil {
		a.files = append(a.files, f)
	}
	return err
}

func (a *actor) onFile(n int) string {
	fi := a.r.IntN(len(a.files))
	f := a.files[fi]
	say := func(op string, err error, more ...any) string {
		return fmt.Sprint(op, " ", fi, " ", more, ": ", class(err))
	}
	switch n {
	case 0, 1:
		wrote, err := f.Write(slices.Repeat([]byte{byte('a' + a.r.IntN(26))}, a.r.IntN(40)))
		return say("write", err, wrote)
	case 2:
		size := int64(a.r.IntN(40))
		return say("truncate", f.Truncate(size), size)
	case 3:
		buf := make([]byte, a.r.IntN(20))
		read, err := f.Read(buf)
		return say("read", err, read, string(buf[:read]))
	case 4:
		buf, off := make([]byte, 1+a.r.IntN(20)), int64(a.r.IntN(40))
		read, err := f.ReadAt(buf, off)
		return say("read at", err, off, read, string(buf[:read]))
	case 5:
		info, err := f.Stat()
		if err != nil {
			return say("stat", err)
		}
		return say("stat", nil, a.facts(info))
	case 6:
		lost, err := f.CopyAttributes(a.file())
		return say("adopt", err, lost)
	}
	d := a.r.IntN(len(a.dirs))
	return say("inherit", f.DefaultAttributes(a.dirs[d], 0o666), d)
}

// facts returns what must agree: not inode numbers, times, or the size and links of a directory.
func (a *actor) facts(i vfs.Info) string {
	uid, gid := i.UID-a.own.UID, i.GID-a.own.GID
	if i.Mode.IsDir() {
		return fmt.Sprint(i.Mode, uid, gid)
	}
	return fmt.Sprint(i.Mode, i.Size, i.Links, uid, gid)
}

// class returns what a caller can tell about an error.
func class(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	for _, known := range []error{io.EOF, fs.ErrClosed, fs.ErrInvalid, vfs.ErrNotRegular} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return fmt.Sprint(err)
}

// exists maps the different errors of the two ways to make special files to one.
func exists(err error) error {
	if err != nil {
		return fs.ErrExist
	}
	return nil
}
