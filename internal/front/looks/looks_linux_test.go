package looks

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/api"
)

var request = Request{Root: "/w", Actor: api.Actor{Client: "claude-code", Session: "s", Call: "c"}, Look: api.LookRequest{Moment: api.BeforeCall, Command: "make", Missed: []string{"why"}}}

// served has a server answer in a directory with a long path.
func served(t *testing.T, look Look) (dir string, stop func()) {
	dir = filepath.Join(t.TempDir(), strings.Repeat("long", 50))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir, serve(t, dir, look)
}

func serve(t *testing.T, dir string, look Look) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	was, _ := os.Lstat(filepath.Join(dir, socketName))
	done := make(chan struct{})
	go func() { defer close(done); Serve(ctx, dir, look) }()
	for { // until the socket is there
		if is, err := os.Lstat(filepath.Join(dir, socketName)); err == nil && !os.SameFile(is, was) {
			return func() { cancel(); <-done }
		}
		time.Sleep(time.Millisecond)
	}
}

func ask(t *testing.T, dir string) error {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return Ask(ctx, dir, request)
}

func TestAsk(t *testing.T) {
	var got Request
	var fail error
	dir, stop := served(t, func(ctx context.Context, r Request) error {
		if _, ok := ctx.Deadline(); !ok {
			t.Error("it may take any time")
		}
		got = r
		return fail
	})
	if err := ask(t, dir); err != nil {
		t.Fatal(err)
	}
	if got.Root != request.Root || got.Actor != request.Actor || got.Look.Command != "make" || len(got.Look.Missed) != 1 {
		t.Errorf("the server got %+v", got)
	}
	fail = errors.New("full")
	if err := ask(t, dir); err == nil || err.Error() != "full" {
		t.Errorf("a look that failed: %v", err)
	}
	stop()
	if names, _ := os.ReadDir(dir); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
	if err := ask(t, dir); err != ErrNobody {
		t.Errorf("after the end of the server: %v", err)
	}
}

// TestPanic: a look that panics is one that failed, and the server goes on.
func TestPanic(t *testing.T) {
	dir, _ := served(t, func(context.Context, Request) error { panic("bug") })
	for range 2 {
		if err := ask(t, dir); err == nil || err == ErrNobody {
			t.Error(err)
		}
	}
}

// TestNobody: a hook does not wait for who is not there, is stopped, or is another emend.
func TestNobody(t *testing.T) {
	if err := ask(t, filepath.Join(t.TempDir(), "missing")); err != ErrNobody {
		t.Errorf("no directory: %v", err)
	}
	for _, tc := range []struct {
		name string
		says string
	}{{"stopped", ""}, {"another version", "emend looks 0 v0\n"}, {"another program", strings.Repeat("x", 5000)}} {
		dir := t.TempDir()
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, socketName), Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				defer c.Close()
				c.Write([]byte(tc.says))
			}
		}()
		if err := ask(t, dir); err != ErrNobody {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// TestServers: of two servers the last one answers; when it ends, the first one does again. So it is after somebody removed the socket.
func TestServers(t *testing.T) {
	who := make(chan string, 1)
	as := func(name string) Look {
		return func(context.Context, Request) error { who <- name; return nil }
	}
	answers := func(dir, want string) {
		t.Helper()
		for { // the first server sees to its socket now and then
			switch err := ask(t, dir); {
			case err == ErrNobody:
				time.Sleep(10 * time.Millisecond)
				continue
			case err != nil:
				t.Fatal(err)
			}
			break
		}
		if got := <-who; got != want {
			t.Errorf("%s answered, want %s", got, want)
		}
	}
	dir, _ := served(t, as("first"))
	answers(dir, "first")
	stop := serve(t, dir, as("second"))
	answers(dir, "second")
	stop()
	answers(dir, "first")
	if err := os.Remove(filepath.Join(dir, socketName)); err != nil {
		t.Fatal(err)
	}
	answers(dir, "first")
}

// TestAnotherAccount: a hook does not ask a process of another account, and a server does not answer one.
func TestAnotherAccount(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("NOT RUN: only the superuser can be somebody else for a moment")
	}
	asNobody := func(f func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // and never unlocked: the thread ends with its account
			if _, _, err := unix.RawSyscall(unix.SYS_SETRESUID, ^uintptr(0), 65534, ^uintptr(0)); err != 0 {
				t.Error(err)
				return
			}
			f()
		}()
		<-done
	}
	dir := t.TempDir()
	for d := dir; d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(d) == os.TempDir() {
			break
		}
	}
	var l *net.UnixListener
	asNobody(func() {
		var err error
		if l, err = net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, socketName), Net: "unix"}); err != nil && !errors.Is(err, os.ErrPermission) {
			t.Error(err)
		}
	})
	if l == nil {
		t.Skip("NOT RUN: another account cannot enter the temporary directory")
	}
	looked := false
	look := func(context.Context, Request) error { looked = true; return nil }
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Write([]byte(greeting()))
			c.Close()
		}
	}()
	if err := ask(t, dir); err != ErrNobody {
		t.Errorf("a hook asked another account: %v", err)
	}
	l.Close()

	serve(t, dir, look)
	if err := os.Chmod(filepath.Join(dir, socketName), 0o666); err != nil {
		t.Fatal(err)
	}
	asNobody(func() {
		c, err := net.Dial("unix", filepath.Join(dir, socketName))
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		if said, err := io.ReadAll(c); err != nil || len(said) > 0 {
			t.Errorf("the server said %q, %v to another account", said, err)
		}
	})
	if looked {
		t.Error("the server looked for another account")
	}
}
