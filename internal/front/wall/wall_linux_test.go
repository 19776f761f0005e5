package wall

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// The test program confines itself: it runs again as its own child, which calls Up and reports what it can reach.
func TestMain(m *testing.M) {
	if dir := os.Getenv("WALL_TEST"); dir != "" {
		prisoner(dir)
		return
	}
	os.Exit(m.Run())
}

func needed(t *testing.T) {
	t.Helper()
	if Version() == 0 {
		t.Skip("NOT RUN: this kernel has no Landlock, or one before version 2")
	}
}

// tries are what the confined process tries below the directory of the test, and the error that the wall must cause from
// its version on.
var tries = []struct {
	what string
	do   func(at func(string) string) error
	stop error
	from int
}{
	{"read inside", func(at func(string) string) error { return second(os.ReadFile(at("in/a"))) }, nil, 0},
	{"list inside", func(at func(string) string) error { return second(os.ReadDir(at("in"))) }, nil, 0},
	{"write inside", func(at func(string) string) error { return os.WriteFile(at("in/new"), nil, 0o644) }, nil, 0},
	{"move inside", func(at func(string) string) error { return os.Rename(at("in/a"), at("in/d/a")) }, nil, 0},
	{"link inside", func(at func(string) string) error { return os.Link(at("in/d/a"), at("in/b")) }, nil, 0},
	{"move to another of its directories", func(at func(string) string) error { return os.Rename(at("in/b"), at("in2/b")) }, nil, 0},
	{"remove inside", func(at func(string) string) error { return os.RemoveAll(at("in/d")) }, nil, 0},
	{"read what is for reading", func(at func(string) string) error { return second(os.ReadFile(at("rules"))) }, nil, 0},
	{"write what is for reading", func(at func(string) string) error { return os.WriteFile(at("rules"), nil, 0o644) }, syscall.EACCES, 0},
	{"read outside", func(at func(string) string) error { return second(os.ReadFile(at("out/a"))) }, syscall.EACCES, 0},
	{"read outside by a link", func(at func(string) string) error { return second(os.ReadFile(at("in/leads-out"))) }, syscall.EACCES, 0},
	{"list outside", func(at func(string) string) error { return second(os.ReadDir(at("out"))) }, syscall.EACCES, 0},
	{"list above", func(at func(string) string) error { return second(os.ReadDir(at("."))) }, syscall.EACCES, 0},
	{"write outside", func(at func(string) string) error { return os.WriteFile(at("out/new"), nil, 0o644) }, syscall.EACCES, 0},
	{"move in from outside", func(at func(string) string) error { return os.Rename(at("out/a"), at("in/stolen")) }, syscall.EACCES, 0},
	{"move out", func(at func(string) string) error { return os.Rename(at("in/new"), at("out/new")) }, syscall.EACCES, 0},
	{"remove outside", func(at func(string) string) error { return os.Remove(at("out/a")) }, syscall.EACCES, 0},
	{"run a program", func(func(string) string) error { return exec.Command("/bin/true").Run() }, syscall.EACCES, 0},
	{"read the passwords", func(func(string) string) error { return second(os.ReadFile("/etc/shadow")) }, syscall.EACCES, 0},
	{"read the mounts", func(func(string) string) error { return second(os.ReadFile("/proc/self/mountinfo")) }, nil, 0},
	{"what was open before", func(func(string) string) error { return second(fmt.Fprint(os.Stdout, "")) }, nil, 0},
	{"connect to a port", func(func(string) string) error { return dial("tcp", os.Getenv("WALL_TEST_PORT")) }, syscall.EACCES, tcpVersion},
	{"open a port", func(func(string) string) error { return listen("127.0.0.1:0") }, syscall.EACCES, tcpVersion},
	{"connect to a socket without a path", func(at func(string) string) error { return dial("unix", "@"+at("abstract")) }, syscall.EPERM, scopeVersion},
	{"signal another process", func(func(string) string) error { return syscall.Kill(os.Getppid(), 0) }, syscall.EPERM, scopeVersion},
	{"signal itself", func(func(string) string) error { return syscall.Kill(os.Getpid(), 0) }, nil, 0},
	{"connect to a socket outside", func(at func(string) string) error { return dial("unix", at("out/socket")) }, syscall.EACCES, unixVersion},
	{"send a datagram", func(func(string) string) error { return dial("udp", os.Getenv("WALL_TEST_PORT")) }, syscall.EACCES, udpVersion},
}

func dial(network, address string) error {
	c, err := net.Dial(network, address)
	if err == nil {
		c.Close()
	}
	return err
}

// listen opens a port without multipath TCP, which Landlock does not restrict.
func listen(address string) error {
	var c net.ListenConfig
	c.SetMultipathTCP(false)
	l, err := c.Listen(context.Background(), "tcp", address)
	if err == nil {
		l.Close()
	}
	return err
}

func second[T any](_ T, err error) error { return err }

func prisoner(dir string) {
	before, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(before.Addr())
	at := func(name string) string { return filepath.Join(dir, name) }
	up, err := Up([]string{at("in"), at("in2"), at("missing")}, []string{at("rules"), at("missing too")})
	if !up || err != nil {
		fmt.Println("not up:", up, err)
		return
	}
	for _, try := range tries {
		if Version() < try.from {
			fmt.Printf("NOT RUN: %s: Landlock stops it from version %d on, and this kernel has %d\n", try.what, try.from, Version())
			continue
		}
		// From a new thread too: the wall holds for all of them.
		var err error
		var done sync.WaitGroup
		done.Go(func() { err = try.do(at) })
		done.Wait()
		if !errors.Is(err, try.stop) || try.stop == nil && err != nil {
			fmt.Printf("%s: %v, want %v\n", try.what, err, try.stop)
		}
	}
	fmt.Println("tried")
	// Who comes is still let in, and answered.
	if c, err := before.Accept(); err != nil {
		fmt.Println("accept:", err)
	} else {
		fmt.Fprintln(c, "welcome")
		c.Close()
	}
}

func TestWall(t *testing.T) {
	needed(t)
	dir := t.TempDir()
	for _, name := range []string{"in/a", "in/d/x", "in2/x", "out/a", "rules"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644))
	}
	must(t, os.Symlink("../out/a", filepath.Join(dir, "in/leads-out")))
	port, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer port.Close()
	for _, path := range []string{"@" + filepath.Join(dir, "abstract"), filepath.Join(dir, "out/socket")} {
		l, err := net.Listen("unix", path)
		must(t, err)
		defer l.Close()
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "WALL_TEST="+dir, "WALL_TEST_PORT="+port.Addr().String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	defer func() { cmd.Process.Kill(); cmd.Wait() }() //nolint:errcheck // it has ended, unless the test fails
	lines := bufio.NewScanner(out)
	lines.Scan()
	address := lines.Text()
	for lines.Scan() && lines.Text() != "tried" {
		if strings.HasPrefix(lines.Text(), "NOT RUN") {
			t.Log(lines.Text())
		} else {
			t.Error(lines.Text())
		}
	}
	if lines.Text() != "tried" {
		t.Fatal("it did not try all")
	}
	c, err := net.Dial("tcp", address)
	must(t, err)
	defer c.Close()
	if said, err := io.ReadAll(c); err != nil || string(said) != "welcome\n" {
		t.Errorf("at its port: %q, %v", said, err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "out/a")); err != nil || !bytes.Equal(b, []byte("out/a")) {
		t.Errorf("outside: %q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "out/new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was made outside: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
