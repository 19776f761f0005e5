package guard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/fail"
)

// TestSpecialFiles: a FIFO does not make anybody wait.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"zero": "-> /dev/zero", "dev": "-> /dev", "d/": ""})
	check(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	check(t, err)
	defer l.Close()
	within(t, func() {
		each(t, func(t *testing.T, open opener) {
			g := open(dir, Options{})
			for _, path := range []string{"fifo", "socket"} {
				e, err := g.Resolve(path, Request{})
				check(t, err)
				if e.Kind != Special {
					t.Errorf("%s is a %v", path, e.Kind)
				}
				_, _, err = g.Load(context.Background(), e)
				refused(t, err, specialFile)
				_, err = g.Resolve(path+"/x", Request{})
				refused(t, err, notFound)
			}
			_, err := g.Resolve("dev/zero", Request{})
			refused(t, err, outsideIt)
			dev := open("/dev", Options{})
			e, err := dev.Resolve("zero", Request{})
			check(t, err)
			_, _, err = dev.Load(context.Background(), e)
			refused(t, err, specialFile)
		})
	})
}

// TestOpenNeverWaits: neither does a FIFO that takes the place of a file after the look.
func TestOpenNeverWaits(t *testing.T) {
	dir := t.TempDir()
	check(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	plant(t, dir, map[string]string{"f": "", "link": "-> f"})
	within(t, func() {
		each(t, func(t *testing.T, open opener) {
			h, err := open(dir, Options{}).tree.openDir(nil)
			check(t, err)
			defer h.close()
			if f, err := h.open("fifo"); err == nil {
				f.Close()
			}
			if _, err := h.open("link"); !errors.Is(err, errLink) {
				t.Errorf("opened a link: %v", err)
			}
		})
	})
}

// within fails the whole run if f waits.
func within(t *testing.T, f func()) {
	t.Helper()
	watch := time.AfterFunc(20*time.Second, func() { panic(t.Name() + " hangs") })
	defer watch.Stop()
	f()
}

func TestMagicLinks(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"root": "-> /proc/self/root", "cwd": "-> /proc/self/cwd", "fd": "-> /proc/self/fd"})
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		for _, path := range []string{"root/etc/passwd", "root/.", "cwd/guard.go", "fd/0", "fd/0/x"} {
			_, err := g.Resolve(path, Request{})
			refused(t, err, outsideIt)
		}
		proc := open("/proc/self", Options{})
		for _, path := range []string{"root/etc/passwd", "cwd/guard.go", "root/."} {
			_, err := proc.Resolve(path, Request{})
			refused(t, err, outsideIt)
		}
	})
}

// TestSwapDirectory exchanges a directory and a link while others resolve and load. The link points outside, or to another
// directory: then the content must be that of the file that the entry names.
func TestSwapDirectory(t *testing.T) {
	top := t.TempDir()
	plant(t, top, map[string]string{"ws/d/sub/f": "inside", "out/sub/f": "outside", "ws/e/sub/f": "other",
		"ws/l": "-> ../out", "ws/m": "-> " + top + "/out", "ws/n": "-> e"})
	race(t, filepath.Join(top, "ws"), "d/sub/f", "d", "l", "m", "n")
}

// TestSwapFile exchanges a file and a link: a link is refused, so it must never be read through.
func TestSwapFile(t *testing.T) {
	top := t.TempDir()
	plant(t, top, map[string]string{"ws/f": "inside", "out/f": "outside", "ws/g": "other", "ws/l": "-> ../out/f", "ws/n": "-> g"})
	race(t, filepath.Join(top, "ws"), "f", "f", "l", "n")
}

// TestSwapLastDirectory exchanges the last directory, and one that is moved out of the root and back.
func TestSwapLastDirectory(t *testing.T) {
	top := t.TempDir()
	plant(t, top, map[string]string{"ws/d/sub/f": "inside", "out/f": "outside", "ws/d/e/f": "other", "ws/d/l": "-> ../../out",
		"ws/d/m": "-> " + top + "/out", "ws/d/n": "-> e"})
	race(t, filepath.Join(top, "ws"), "d/sub/f", "d/sub", "d/l", "d/m", "d/n")
}

func TestCarriedOut(t *testing.T) {
	top := t.TempDir()
	plant(t, top, map[string]string{"ws/d/sub/f": "inside", "out/sub/f": "inside"})
	race(t, filepath.Join(top, "ws"), "d/sub/f", "d", "../out")
}

// swaps is how many exchanges a race must see at least.
func swaps(t *testing.T) int64 {
	by := 1.0
	if text := os.Getenv("EMEND_ESCAPE_RACES"); text != "" {
		var err error
		by, err = strconv.ParseFloat(text, 64)
		check(t, err)
	}
	return int64(by * 20_000)
}

// race resolves path, reads it and opens its directory, while the directory entry called name and one of links are exchanged.
func race(t *testing.T, ws, path, name string, links ...string) {
	t.Run("alone", func(t *testing.T) { raceWith(t, visit, ws, path, name, links...) })
	t.Run("among others", func(t *testing.T) { raceWith(t, visitTwice, ws, path, name, links...) })
}

func raceWith(t *testing.T, visit func(*Guard, string) (string, error), ws, path, name string, links ...string) {
	const times = 2_000
	each(t, func(t *testing.T, open opener) {
		g := open(ws, Options{})
		stop := make(chan struct{})
		swapped := make(chan error, 1)
		var count atomic.Int64
		go func() { swapped <- swap(ws, name, links, stop, &count) }()
		defer func() {
			close(stop)
			check(t, <-swapped)
		}()
		read, refusals := 0, 0
		for n := 0; n < times || count.Load() < swaps(t); n++ {
			switch wrong, err := visit(g, path); {
			case wrong != "":
				t.Fatal(wrong)
			case err == nil:
				read++
			case reason(err) == fail.MountPoint:
				t.Fatalf("%v: there is no mount point", err)
			case errors.Is(err, fail.OutsideWorkspace), errors.Is(err, fail.Stale), errors.Is(err, fail.CommandFailed):
				refusals++
			default:
				t.Fatal(err)
			}
		}
		t.Logf("%d swaps, %d read, %d refused", count.Load(), read, refusals)
		if read == 0 || refusals == 0 {
			t.Errorf("%d read, %d refused: nothing was raced", read, refusals)
		}
	})
}

func reason(err error) string {
	e, _ := errors.AsType[*fail.Error](err)
	return e.Reason
}

func visit(g *Guard, path string) (wrong string, err error) {
	e, err := g.Resolve(path, Request{Write: true})
	if err != nil {
		return "", err
	}
	want := "inside"
	if e.Rel == "e/sub/f" || e.Rel == "d/e/f" {
		want = "other"
	}
	if e.Kind == Regular && e.Size != int64(len(want)) {
		return fmt.Sprintf("saw another file at %q", e.Rel), nil
	}
	data, _, err := g.Load(context.Background(), e)
	if err == nil && data != want {
		wrong = fmt.Sprintf("read %q at %q", data, e.Rel)
	}
	if err != nil || wrong != "" {
		return wrong, err
	}
	return openedAt(g, e)
}

// visitTwice is visit for a path that comes after another one in the same directory.
func visitTwice(g *Guard, path string) (wrong string, err error) {
	v := g.NewBatch()
	defer v.Close()
	if _, _, err := v.Fetch(context.Background(), filepath.Join(filepath.Dir(path), "none"), Request{Write: true}, 1<<10); err != nil {
		return "", err
	}
	e, c, err := v.Fetch(context.Background(), path, Request{Write: true}, 1<<10)
	if err != nil {
		return "", err
	}
	want := "inside"
	if e.Rel == "e/sub/f" || e.Rel == "d/e/f" {
		want = "other"
	}
	switch {
	case c == nil && e.Kind == Regular:
		return fmt.Sprintf("saw another file at %q", e.Rel), nil
	case c != nil && c.Err == nil && c.Data != want:
		return fmt.Sprintf("read %q at %q", c.Data, e.Rel), nil
	case c != nil && c.Err != nil:
		return "", c.Err
	}
	if err := v.Recheck(); err != nil {
		return "", err
	}
	if c == nil {
		return "", asRefusal(path, errMoved)
	}
	return openedAt(g, e)
}

// openedAt opens the directory of e for a commit: it must be one that the entry names, with no file but that one.
func openedAt(g *Guard, e Entry) (wrong string, err error) {
	d, err := g.OpenDir(filepath.Dir(e.Rel))
	if err != nil {
		return "", err
	}
	defer d.Close()
	is, err := d.Stat(filepath.Base(e.Rel))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err == nil && is.Size == int64(len("outside")) && is.Mode.IsRegular() {
		wrong = fmt.Sprintf("opened another directory at %q", e.Rel)
	}
	return wrong, err
}

func swap(dir, name string, links []string, stop chan struct{}, count *atomic.Int64) error {
	name = filepath.Join(dir, name)
	for i := 0; ; i++ {
		select {
		case <-stop:
			return nil
		default:
		}
		link := filepath.Join(dir, links[i/2%len(links)])
		if err := unix.Renameat2(unix.AT_FDCWD, link, unix.AT_FDCWD, name, unix.RENAME_EXCHANGE); err != nil {
			return err
		}
		count.Add(1)
	}
}

// TestBindMount: a bind mount gives a protected directory a second name that no link shows. It needs a mount name space, so
// the test runs itself again in one.
func TestBindMount(t *testing.T) {
	mounted(t, map[string]string{".git/hooks/x": "", "alias/": "", "sub/": "", "sub/hooks/": "", "free/f": "", "free/d/": "", "vol/": "",
		"one": "", "tmp/": "", "link": "-> one", "by": "-> vol"}, bound)
}

// mounted runs f in a mount name space of its own, with files in a directory.
func mounted(t *testing.T, files map[string]string, f func(t *testing.T, dir string)) {
	const env = "GUARD_TEST_MOUNT"
	if dir := os.Getenv(env); dir != "" {
		check(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
		f(t, dir)
		return
	}
	dir := t.TempDir()
	plant(t, dir, files)
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), env+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if _, ran := errors.AsType[*exec.ExitError](err); err != nil && !ran {
		t.Skip("no mount name space here:", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func bound(t *testing.T, dir string) {
	for at, what := range map[string]string{"alias": ".git", "sub/hooks": ".git/hooks", "vol": "free", "one": "free/f"} {
		check(t, unix.Mount(filepath.Join(dir, what), filepath.Join(dir, at), "", unix.MS_BIND, ""))
	}
	check(t, unix.Mount("tmpfs", filepath.Join(dir, "tmp"), "tmpfs", 0, ""))
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		for _, path := range []string{"alias/config", "alias/hooks/x", "alias", "alias/none/x"} {
			_, err := g.Resolve(path, Request{Write: true})
			if err == nil {
				t.Errorf("%q may be written", path)
				continue
			}
			refused(t, err, denied)
		}
		_, err := g.Resolve("free/f", Request{Write: true})
		check(t, err)
		boundElsewhere(t, g)
	})
}

// boundElsewhere: a mounted file can be read, but neither changed nor opened for a commit.
func boundElsewhere(t *testing.T, g *Guard) {
	for path, at := range map[string]string{
		"vol": "vol", "vol/f": "vol", "vol/new": "vol", "vol/d/new": "vol", "vol/none/new": "vol", "one": "one", "sub/hooks/x": "sub/hooks",
		"tmp/new": "tmp", "tmp": "tmp", "vol/../one": "one", "link": "link", "by/f": "vol",
	} {
		_, err := g.Resolve(path, Request{})
		check(t, err)
		_, err = g.Resolve(path, Request{Write: true})
		if at == "link" { // a link to a mounted file is no mount point
			check(t, err)
			continue
		}
		refusedAt(t, err, at)
	}
	for path, at := range map[string]string{"vol": "vol", "vol/d": "vol", "sub/hooks": "sub/hooks", "tmp": "tmp"} {
		_, err := g.OpenDir(path)
		refusedAt(t, err, at)
	}
	for _, path := range []string{".", "sub", "free"} {
		d, err := g.OpenDir(path)
		check(t, err)
		check(t, d.Close())
	}
}

func refusedAt(t *testing.T, err error, at string) {
	t.Helper()
	if err == nil {
		t.Errorf("the mount point %q is no hindrance", at)
		return
	}
	refused(t, err, mountPoint)
	if !strings.HasPrefix(err.(*fail.Error).Msg, strconv.Quote(at)+" is a mount point") {
		t.Errorf("%v does not name %q", err, at)
	}
}

// TestBoundRoot: a root that is itself mounted is as good as any other.
func TestBoundRoot(t *testing.T) {
	mounted(t, map[string]string{"ws/d/f": "", "at/": ""}, func(t *testing.T, dir string) {
		check(t, unix.Mount(filepath.Join(dir, "ws"), filepath.Join(dir, "at"), "", unix.MS_BIND, ""))
		each(t, func(t *testing.T, open opener) {
			g := open(filepath.Join(dir, "at"), Options{})
			_, err := g.Resolve("d/f", Request{Write: true})
			check(t, err)
			d, err := g.OpenDir("d")
			check(t, err)
			check(t, d.Close())
		})
	})
}
