package vfs

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// runAs runs one test again in a process of its own, as somebody, and returns what it printed.
func runAs(t *testing.T, test, env string, as *syscall.Credential) (string, error) {
	t.Helper()
	cmd := self(t, test, env)
	if as != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	}
	cmd.Dir = "/"
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// self is this program, set to run one test with one more variable. It runs from a copy, because others may not be
// allowed to reach the original.
func self(t *testing.T, test, env string) *exec.Cmd {
	t.Helper()
	data, err := os.ReadFile("/proc/self/exe")
	check(t, err)
	dir := t.TempDir()
	exe := filepath.Join(dir, "test")
	check(t, os.WriteFile(exe, data, 0o755))
	reachable(t, dir)
	cmd := exec.Command(exe, "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), env)
	return cmd
}

// reachable lets everybody into a test's directory. It does not change the directories above it.
func reachable(t *testing.T, dir string) {
	t.Helper()
	own := []string{dir, filepath.Dir(dir)}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		check(t, err)
		switch {
		case slices.Contains(own, dir):
			check(t, os.Chmod(dir, 0o755))
		case info.Mode()&0o001 == 0:
			t.Skipf("others cannot reach %s", dir)
		}
	}
}

// A lock keeps other processes out, and ends with its process, however that ends.
func TestLockAcrossProcesses(t *testing.T) {
	const env = "VFS_TEST_LOCK"
	if path := os.Getenv(env); path != "" {
		holdLock(t, path)
		return
	}
	path := t.TempDir()
	d, err := Open(path)
	check(t, err)
	defer d.Close()
	put(t, d, "lock", "")
	f, err := d.Open("lock")
	check(t, err)
	defer f.Close()
	holder := self(t, "TestLockAcrossProcesses", env+"="+path)
	out, err := holder.StdoutPipe()
	check(t, err)
	in, err := holder.StdinPipe()
	check(t, err)
	defer in.Close()
	check(t, holder.Start())
	for line := bufio.NewScanner(out); line.Scan() && line.Text() != "locked"; {
	}
	if locked, err := f.TryLock(); locked || err != nil {
		t.Errorf("while another process has it: %v, %v", locked, err)
	}
	check(t, holder.Process.Kill())
	holder.Wait()
	if locked, err := f.TryLock(); !locked || err != nil {
		t.Errorf("after the other was killed: %v, %v", locked, err)
	}
}

func holdLock(t *testing.T, path string) {
	d, err := Open(path)
	check(t, err)
	f, err := d.Append("lock", 0o600)
	check(t, err)
	if locked, err := f.TryLock(); !locked || err != nil {
		t.Fatal(locked, err)
	}
	os.Stdout.WriteString("locked\n")
	io.Copy(io.Discard, os.Stdin)
}

func leased(t *testing.T, f File) func() bool {
	t.Helper()
	release, open := f.Lease()
	if open {
		t.Fatal("somebody writes")
	}
	fd := f.(*osFile).fd
	if is, err := unix.FcntlInt(uintptr(fd), unix.F_GETLEASE, 0); err != nil || is != unix.F_RDLCK {
		t.Skipf("no lease here: %d, %v", is, err)
	}
	return release
}

// Who opens a file for writing waits for the lease to end, and the holder hears of it, and lives: the signal that
// the kernel sends with it is not one that ends a Go program.
func TestLease(t *testing.T) {
	path := t.TempDir()
	d, err := Open(path)
	check(t, err)
	defer d.Close()
	put(t, d, "f", "x")
	f, err := d.Open("f")
	check(t, err)
	defer f.Close()

	if leased(t, f)() {
		t.Error("asked, but nobody did")
	}
	if is, err := unix.FcntlInt(uintptr(f.(*osFile).fd), unix.F_GETLEASE, 0); err != nil || is != unix.F_UNLCK {
		t.Errorf("after release the lease is %d, %v", is, err)
	}
	release := leased(t, f)
	check(t, exec.Command("cat", filepath.Join(path, "f")).Run())
	if release() {
		t.Error("asked by a reader")
	}

	release = leased(t, f)
	writer := exec.Command("sh", "-c", "echo y >>f")
	writer.Dir = path
	check(t, writer.Start())
	wait(t, "the writer to ask", func() bool {
		is, err := unix.FcntlInt(uintptr(f.(*osFile).fd), unix.F_GETLEASE, 0)
		check(t, err)
		return is != unix.F_RDLCK
	})
	if data := readFile(t, d, "f"); data != "x" {
		t.Errorf("the writer did not wait: %q", data)
	}
	if !release() {
		t.Error("not asked, though a writer waits")
	}
	check(t, writer.Wait())
	if data := readFile(t, d, "f"); data != "xy\n" {
		t.Errorf("after the lease: %q", data)
	}
	if release() {
		t.Error("asked twice")
	}
}

// wait polls; it only ever takes long when the test fails.
func wait(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 5000 {
		if done() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("waited in vain for ", what)
}

// A file that is open for writing cannot be leased, and says so; one's own writable handle is not a rival.
func TestLeaseOfOpen(t *testing.T) {
	d := tempDir(t)
	w, err := d.Create("f", 0o644)
	check(t, err)
	if release, open := w.Lease(); open || release() {
		t.Error("found itself")
	}
	f, err := d.Open("f")
	check(t, err)
	if release, open := f.Lease(); !open || release() {
		t.Error("did not find the writer")
	}
	check(t, w.Close())
	release := leased(t, f)
	if err := shut(d.Append("f", 0)); !errors.Is(err, syscall.EAGAIN) {
		t.Errorf("opened a leased file for writing: %v", err)
	}
	if !release() {
		t.Error("not asked")
	}
	leased(t, f)
	check(t, f.Close())
	check(t, shut(d.Append("f", 0)))
}

// Without openat2 a directory is opened just as carefully.
func TestOpenBelowPortable(t *testing.T) {
	path := t.TempDir()
	check(t, os.Mkdir(filepath.Join(path, "d"), 0o755))
	check(t, os.Symlink("d", filepath.Join(path, "l")))
	check(t, os.WriteFile(filepath.Join(path, "f"), nil, 0o644))
	top, err := unix.Open(path, dirFlags, 0)
	check(t, err)
	defer unix.Close(top)
	for name, want := range map[string]error{"d": nil, "l": unix.ELOOP, "f": unix.ENOTDIR, "none": unix.ENOENT} {
		for how, open := range map[string]func(int, string) (int, error){"portable": openBelowPortable, "openat2": openat2} {
			fd, err := open(top, name)
			if err == nil {
				unix.Close(fd)
			}
			if err != want {
				t.Errorf("%s %s: %v, want %v", how, name, err, want)
			}
		}
	}
}

// A directory on another mount is refused: a rename could not reach it.
func TestOtherMount(t *testing.T) {
	top, err := unix.Open("/", dirFlags, 0)
	check(t, err)
	defer unix.Close(top)
	if isLink(top, "proc") {
		t.Skip("/proc is no mount here")
	}
	for how, open := range map[string]func(int, string) (int, error){"portable": openBelowPortable, "openat2": openat2} {
		if _, err := open(top, "proc"); err != unix.EXDEV {
			t.Errorf("%s: %v", how, err)
		}
	}
}

// No descriptor leaks to a started program, or when opening fails.
func TestDescriptors(t *testing.T) {
	d := tempDir(t)
	put(t, d, "f", "")
	check(t, d.Mkdir("d", 0o755))
	count := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		check(t, err)
		return len(list)
	}
	before := count()
	for range 20 {
		shut(d.Open("f"))
		shut(d.Open("d"))
		shut(d.Create("f", 0))
		shut(d.Create("g", 0))
		d.Remove("g")
		shut(d.Append("g", 0))
		shut(d.Dir("d"))
		shut(d.Dir("f"))
		d.Names()
		r, err := os.OpenRoot("/")
		check(t, err)
		shut(FromRoot(r))
		r.Close()
	}
	if after := count(); after != before {
		t.Errorf("%d descriptors, were %d", after, before)
	}
	f, err := d.Append("f", 0)
	check(t, err)
	defer f.Close()
	for _, h := range []*handle{&d.(*osDir).handle, &f.(*osFile).handle} {
		flags, err := unix.FcntlInt(uintptr(h.fd), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("flags %x, %v", flags, err)
		}
		flags, err = unix.FcntlInt(uintptr(h.fd), unix.F_GETFL, 0)
		if err != nil || flags&unix.O_NONBLOCK != 0 {
			t.Errorf("flags %x, %v", flags, err)
		}
	}
}

// A close during a call leaves the call its descriptor, and no call gets another file's.
func TestCloseMeanwhile(t *testing.T) {
	h := &handle{fd: -1}
	fd, err := unix.Open("/", dirFlags, 0)
	check(t, err)
	h.fd = fd
	check(t, h.use(func(int) error {
		check(t, h.use(func(int) error { return h.close() }))
		if err := h.use(func(int) error { return nil }); !errors.Is(err, os.ErrClosed) {
			t.Errorf("used after close: %v", err)
		}
		if err := h.close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("closed twice: %v", err)
		}
		_, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		return err
	}))
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != unix.EBADF {
		t.Errorf("still open: %v", err)
	}
}

// Touch leaves the access time as it is.
func TestTouchLeavesReading(t *testing.T) {
	path := t.TempDir()
	d, err := Open(path)
	check(t, err)
	defer d.Close()
	f, err := d.Create("f", 0o644)
	check(t, err)
	defer f.Close()
	read := time.Unix(1000000000, 0)
	check(t, os.Chtimes(filepath.Join(path, "f"), read, read))
	check(t, f.Touch(time.Unix(1234567890, 1)))
	var st unix.Stat_t
	check(t, unix.Stat(filepath.Join(path, "f"), &st))
	if st.Atim.Nano() != read.UnixNano() || st.Mtim.Nano() != 1234567890_000000001 {
		t.Errorf("read %v, changed %v", st.Atim, st.Mtim)
	}
}

// A file system that cannot sync a directory is not an error: nothing else would help.
func TestSyncNotPossible(t *testing.T) {
	d, err := Open("/proc")
	check(t, err)
	defer d.Close()
	if err := d.(*osDir).use(syncAll); err != unix.EINVAL {
		t.Skipf("here it can: %v", err)
	}
	check(t, d.Sync())
}

// A file that is not regular is not even opened: opening a device can have an effect.
func TestOpenLooksFirst(t *testing.T) {
	path := t.TempDir()
	d, err := Open(path)
	check(t, err)
	defer d.Close()
	check(t, unix.Mkfifo(filepath.Join(path, "p"), 0o644))
	watch, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	check(t, err)
	defer unix.Close(watch)
	_, err = unix.InotifyAddWatch(watch, filepath.Join(path, "p"), unix.IN_OPEN)
	check(t, err)
	is(t, shut(d.Open("p")), ErrNotRegular)
	is(t, shut(d.Append("p", 0)), ErrNotRegular)
	if n, err := unix.Read(watch, make([]byte, 256)); err != unix.EAGAIN {
		t.Errorf("it was opened: %d, %v", n, err)
	}
}
