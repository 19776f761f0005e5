package main

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// job is sent to a helper once.
type job struct {
	FS     string // a name in filesystems
	Disk   string // file that is the disk
	Dir    string // mount point
	Writer string
	Emend  string // path of the program
	Plant  string // planted bug
	Seed   uint64
	T      int // number of transactions
}

// order is one request to a helper.
type order struct {
	Do   string // make, mount, write, sync, check, repair or unmount
	T    int    // write: number of the transaction
	Mark mark   // check and repair: progress of the writer
}

// answer is the result of an order.
type answer struct {
	Err     string
	Denied  bool // the machine does not permit it
	Verdict verdict
}

// helper is a child process that accesses the file system under test. The process that serves the disk must not do so.
type helper struct {
	job
	fs     filesystem
	work   *work
	writer writer
}

// serveOrders handles orders until there are no more.
func serveOrders(in io.Reader, out io.Writer) error {
	unix.Umask(0o022)
	dec, enc := gob.NewDecoder(in), gob.NewEncoder(out)
	h := &helper{}
	if err := dec.Decode(&h.job); err != nil {
		return err
	}
	if err := h.init(); err != nil {
		return err
	}
	for {
		var o order
		if err := dec.Decode(&o); err != nil {
			return ignore(err, io.EOF)
		}
		var a answer
		if err := h.do(o, &a.Verdict); err != nil {
			a.Err, a.Denied = err.Error(), denied(err)
		}
		if err := enc.Encode(a); err != nil {
			return err
		}
	}
}

func ignore(err, that error) error {
	if errors.Is(err, that) {
		return nil
	}
	return err
}

// denied reports whether an error means that the machine does not permit something, or lacks it.
func denied(err error) bool {
	return slices.ContainsFunc([]error{unix.EPERM, unix.EACCES, unix.ENODEV, unix.ENOENT},
		func(e error) bool { return errors.Is(err, e) })
}

func (h *helper) init() (err error) {
	if h.fs, err = named(h.FS); err != nil {
		return err
	}
	h.work = newWork(h.Seed, h.T)
	h.writer, err = newWriter(h.job, h.work)
	return err
}

func (h *helper) do(o order, v *verdict) error {
	switch o.Do {
	case "make":
		return h.make()
	case "mount":
		return h.mount(nil)
	case "write":
		return h.write(o.T)
	case "check":
		return h.check(o.Mark, v)
	case "sync":
		return h.sync()
	case "repair":
		return h.repair(o.Mark, v)
	case "unmount":
		return errors.Join(h.writer.close(), unmount(h.Dir))
	}
	return fmt.Errorf("no order is called %q", o.Do)
}

// tree returns the directory that the writer works in.
func (h *helper) tree() string { return filepath.Join(h.Dir, "tree") }

// make creates a new file system with the first tree on the disk.
func (h *helper) make() error {
	if err := h.mount(h.fs.mkfs); err != nil {
		return err
	}
	return errors.Join(h.fill(), unmount(h.Dir))
}

func (h *helper) fill() error {
	git := filepath.Join(h.tree(), ".git")
	if err := os.MkdirAll(git, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
		return err
	}
	err := writeTree(h.tree(), h.work.trees[0])
	if p, ok := h.writer.(*packer); ok && err == nil {
		err = p.prepare()
	}
	return err
}

// mount mounts the disk. If first is given, it runs that program on the disk before.
func (h *helper) mount(first []string) error {
	dev, err := attach(h.Disk)
	if err != nil {
		return err
	}
	defer dev.Close() // the mount keeps it
	if len(first) > 0 {
		if err := runOn(dev.Name(), first); err != nil {
			return err
		}
	}
	if err := unix.Mount(dev.Name(), h.Dir, h.fs.kind, 0, ""); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	return nil
}

// runOn runs a program on a device. Exit code 1 is no error: e2fsck has corrected something.
func runOn(dev string, words []string) error {
	out, err := exec.Command(words[0], append(words[1:len(words):len(words)], dev)...).CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 && words[0] == "e2fsck" {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", words[0], err, out)
	}
	return nil
}

// write does transaction t, and checks that an uninterrupted writer does it right.
func (h *helper) write(t int) error {
	if err := h.writer.write(t); err != nil {
		return err
	}
	got, err := readTree(os.DirFS(h.tree()))
	if err != nil {
		return err
	}
	_, err = h.work.verify(got, mark{t + 1, t + 1})
	return err
}

// sync writes everything to the disk, as would happen by itself some seconds later.
func (h *helper) sync() error {
	f, err := os.Open(h.Dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}

// check mounts the disk, which replays the journal, classifies the tree, and has the writer recover.
func (h *helper) check(m mark, v *verdict) error {
	if err := h.mount(h.fs.fsck); err != nil {
		*v = verdict{Raw: dead, Wrong: []string{err.Error()}}
		return nil
	}
	*v = h.judge(m)
	return unmount(h.Dir)
}

// repair mounts the disk and has the writer recover. It leaves the disk mounted.
func (h *helper) repair(m mark, v *verdict) error {
	if err := h.mount(h.fs.fsck); err != nil {
		return err
	}
	if err := h.writer.repair(); err != nil {
		return err
	}
	got, err := readTree(os.DirFS(h.tree()))
	if err == nil {
		v.Tree, err = h.work.verify(got, m)
	}
	return err
}

func (h *helper) judge(m mark) verdict {
	got, err := readTree(os.DirFS(h.tree()))
	v := verdict{Raw: strange}
	if err == nil {
		v.Raw = h.work.classify(got, m)
	}
	t, errs := h.writer.recovered(m)
	v.Tree, v.Moved = t, t >= 0 && !maps.Equal(got, h.work.trees[t])
	for _, err := range errs {
		v.Wrong = append(v.Wrong, err.Error())
	}
	return v
}
