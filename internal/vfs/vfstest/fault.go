package vfstest

import (
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
)

// Fault makes one call fail, of all calls that change or sync anything through the directories that it wraps and whatever
// is opened from them. A sweep fails each call in turn, until none is left to fail:
//
//	for n := 0; ; n++ {
//		fault := &vfstest.Fault{At: n}
//		err := Run(fault.Wrap(disk))
//		if !fault.Fired() {
//			break
//		}
//		...
//	}
//
// A Fault may be used by several goroutines at once, with one count for all. Set the fields before the first call.
type Fault struct {
	At    int   // number of the call that fails, from 0
	Err   error // the error of that call; nil is EIO
	After bool  // the call takes effect nevertheless, a write half of it
	Dead  bool  // every later call fails too, whatever its kind: the process was killed
	Panic bool  // the call panics instead of returning the error
	Reads bool  // count and fail calls that only read, too

	mu    sync.Mutex
	calls int
	fired bool
	trace []string
}

// Wrap returns a Dir whose calls count. Two directories of one call must both be wrapped, or neither.
func (f *Fault) Wrap(d vfs.Dir) vfs.Dir { return &faultDir{f, d} }

// Fired reports whether the call has been reached.
func (f *Fault) Fired() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fired
}

// Calls returns how many calls were counted.
func (f *Fault) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

// Trace lists the counted calls, in order: "rename a to b, exchange".
func (f *Fault) Trace() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.trace)
}

// fate says what happens to a call.
type fate uint8

const (
	works fate = iota
	failsBefore
	failsAfter
)

func (f *Fault) err() error {
	if f.Err == nil {
		return syscall.EIO
	}
	return f.Err
}

// fail returns the error of a call, or panics with it.
func (f *Fault) fail(what string) error {
	err := fmt.Errorf("%s: %w", what, f.err())
	if f.Panic {
		panic(err)
	}
	return err
}

// decide counts a call, if its kind is counted, and decides what happens to it.
func (f *Fault) decide(counts bool, what string) fate {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fired && f.Dead {
		return failsBefore
	}
	if !counts {
		return works
	}
	f.calls++
	f.trace = append(f.trace, what)
	switch {
	case f.calls != f.At+1:
		return works
	case f.After:
		f.fired = true
		return failsAfter
	}
	f.fired = true
	return failsBefore
}

// change makes a call that is counted.
func (f *Fault) change(what string, call func() error) error { return f.make(true, what, call) }

// look makes a call that is counted only if reads are.
func (f *Fault) look(what string, call func() error) error { return f.make(f.Reads, what, call) }

func (f *Fault) make(counts bool, what string, call func() error) error {
	switch f.decide(counts, what) {
	case failsBefore:
		return f.fail(what)
	case failsAfter:
		if err := call(); err != nil {
			return err // it would have failed anyway
		}
		return f.fail(what)
	}
	return call()
}

// opens makes a call that opens something. If the call is to fail after its effect, opens closes what it opened.
func opens[T interface{ Close() error }](f *Fault, counts bool, what string, call func() (T, error)) (T, error) {
	var opened, none T
	done, returned := false, false
	defer func() {
		if done && !returned { // also in a panic
			opened.Close()
		}
	}()
	err := f.make(counts, what, func() (err error) {
		opened, err = call()
		done = err == nil
		return err
	})
	if err != nil {
		return none, err
	}
	returned = true
	return opened, nil
}

type faultDir struct {
	f *Fault
	d vfs.Dir
}

func bare(d vfs.Dir) vfs.Dir {
	if wrapped, ok := d.(*faultDir); ok {
		return wrapped.d
	}
	return d
}

func bareFile(f vfs.File) vfs.File {
	if wrapped, ok := f.(*faultFile); ok {
		return wrapped.file
	}
	return f
}

func (d *faultDir) Dir(name string) (vfs.Dir, error) {
	below, err := opens(d.f, d.f.Reads, "open directory "+name, func() (vfs.Dir, error) { return d.d.Dir(name) })
	if err != nil {
		return nil, err
	}
	return d.f.Wrap(below), nil
}

func (d *faultDir) file(counts bool, what, name string, call func() (vfs.File, error)) (vfs.File, error) {
	opened, err := opens(d.f, counts, what+" "+name, call)
	if err != nil {
		return nil, err
	}
	return &faultFile{d.f, opened, name}, nil
}

func (d *faultDir) Open(name string) (vfs.File, error) {
	return d.file(d.f.Reads, "open", name, func() (vfs.File, error) { return d.d.Open(name) })
}

func (d *faultDir) Create(name string, perm fs.FileMode) (vfs.File, error) {
	return d.file(true, "create", name, func() (vfs.File, error) { return d.d.Create(name, perm) })
}

func (d *faultDir) Append(name string, perm fs.FileMode) (vfs.File, error) {
	return d.file(true, "append", name, func() (vfs.File, error) { return d.d.Append(name, perm) })
}

func (d *faultDir) Mkdir(name string, perm fs.FileMode) error {
	return d.f.change("mkdir "+name, func() error { return d.d.Mkdir(name, perm) })
}

func (d *faultDir) Symlink(target, name string) error {
	return d.f.change("symlink "+name, func() error { return d.d.Symlink(target, name) })
}

func (d *faultDir) Chmod(perm fs.FileMode) error {
	return d.f.change("chmod directory", func() error { return d.d.Chmod(perm) })
}

func (d *faultDir) Stat(name string) (info vfs.Info, err error) {
	err = d.f.look("stat "+name, func() (err error) { info, err = d.d.Stat(name); return err })
	return info, err
}

func (d *faultDir) Readlink(name string) (target string, err error) {
	err = d.f.look("readlink "+name, func() (err error) { target, err = d.d.Readlink(name); return err })
	return target, err
}

func (d *faultDir) Names() (names []string, err error) {
	err = d.f.look("list directory", func() (err error) { names, err = d.d.Names(); return err })
	return names, err
}

func (d *faultDir) Link(name string, to vfs.Dir, as string) error {
	return d.f.change("link "+name+" to "+as, func() error { return d.d.Link(name, bare(to), as) })
}

func (d *faultDir) Rename(name string, to vfs.Dir, as string, how vfs.RenameMode) error {
	what := "rename " + name + " to " + as + ", " + how.String()
	return d.f.change(what, func() error { return d.d.Rename(name, bare(to), as, how) })
}

func (d *faultDir) Remove(name string) error {
	return d.f.change("remove "+name, func() error { return d.d.Remove(name) })
}

func (d *faultDir) RemoveDir(name string) error {
	return d.f.change("remove directory "+name, func() error { return d.d.RemoveDir(name) })
}

// ReplacesOpen is a question about the system, which does not fail.
func (d *faultDir) ReplacesOpen() bool { return vfs.ReplacesOpen(d.d) }

func (d *faultDir) Sync() error { return d.f.change("sync directory", d.d.Sync) }

func (d *faultDir) SyncAll() error { return d.f.change("sync file system", d.d.SyncAll) }

// Close always closes, also after a kill: the system closes what a killed process had open.
func (d *faultDir) Close() error { return d.f.close(d.d.Close) }

func (f *Fault) close(call func() error) error {
	err := call()
	if f.decide(false, "") == failsBefore {
		return f.err()
	}
	return err
}

type faultFile struct {
	f    *Fault
	file vfs.File
	name string
}

func (f *faultFile) change(op string, call func() error) error {
	return f.f.change(op+" "+f.name, call)
}
func (f *faultFile) look(op string, call func() error) error { return f.f.look(op+" "+f.name, call) }

func (f *faultFile) Read(p []byte) (n int, err error) {
	err = f.look("read", func() (err error) { n, err = f.file.Read(p); return err })
	return n, err
}

func (f *faultFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.look("read", func() (err error) { n, err = f.file.ReadAt(p, off); return err })
	return n, err
}

func (f *faultFile) Write(p []byte) (int, error) {
	what := "write " + f.name
	switch f.f.decide(true, what) {
	case failsBefore:
		return 0, f.f.fail(what)
	case failsAfter:
		n, err := f.file.Write(p[:len(p)/2])
		if err == nil {
			err = f.f.fail(what)
		}
		return n, err
	}
	return f.file.Write(p)
}

func (f *faultFile) Truncate(size int64) error {
	return f.change("truncate", func() error { return f.file.Truncate(size) })
}

func (f *faultFile) Stat() (info vfs.Info, err error) {
	err = f.look("stat", func() (err error) { info, err = f.file.Stat(); return err })
	return info, err
}

func (f *faultFile) CopyAttributes(from vfs.File) (lost []string, err error) {
	err = f.change("adopt", func() (err error) { lost, err = f.file.CopyAttributes(bareFile(from)); return err })
	return lost, err
}

func (f *faultFile) DefaultAttributes(dir vfs.Dir, perm fs.FileMode) error {
	return f.change("inherit", func() error { return f.file.DefaultAttributes(bare(dir), perm) })
}

func (f *faultFile) Plain(as vfs.File) (plain bool, err error) {
	err = f.look("list attributes", func() (err error) { plain, err = f.file.Plain(bareFile(as)); return err })
	return plain, err
}

func (f *faultFile) Give(uid, gid uint32, perm fs.FileMode) error {
	return f.change("give", func() error { return f.file.Give(uid, gid, perm) })
}

func (f *faultFile) Chmod(perm fs.FileMode) error {
	return f.change("chmod", func() error { return f.file.Chmod(perm) })
}

// StartWriteback cannot fail.
func (f *faultFile) StartWriteback() {
	if f.f.decide(false, "") == works {
		f.file.StartWriteback()
	}
}

func (f *faultFile) Sync() error     { return f.change("sync", f.file.Sync) }
func (f *faultFile) Datasync() error { return f.change("datasync", f.file.Datasync) }

func (f *faultFile) TryLock() (locked bool, err error) {
	err = f.change("lock", func() (err error) { locked, err = f.file.TryLock(); return err })
	return locked && err == nil, err
}

// Lease cannot fail; after a kill it grants none.
func (f *faultFile) Lease() (release func() bool, open bool) {
	if f.f.decide(false, "") != works {
		return func() bool { return false }, false
	}
	return f.file.Lease()
}

func (f *faultFile) Touch(t time.Time) error {
	return f.change("touch", func() error { return f.file.Touch(t) })
}

func (f *faultFile) Close() error { return f.f.close(f.file.Close) }
