package sweep

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func init() { helpers["script"], helpers["threads"], helpers["hang"] = runScript, runThreads, hang }

// standIn returns the command that runs a helper in dir.
func standIn(t *testing.T, name, dir string, args ...string) Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), helperVar+"="+name, "GORACE=atexit_sleep_ms=0")
	return Command{Path: self, Args: args, Dir: dir, Under: dir, Env: env}
}

// standInCall is one system call of the stand-in, with its result.
type standInCall struct {
	name string // as the tracer names it
	do   func(s *script) error
	want string // the tree afterwards
}

type script struct{ fd int }

// standInCalls are made in this order, one each. Reads, and writes elsewhere, come between them and do not count.
var standInCalls = []standInCall{
	{"mkdirat", func(*script) error { return unix.Mkdir("d", 0o755) }, "d/"},
	{"openat", func(s *script) (err error) {
		s.fd, err = unix.Open("d/a", unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, 0o600)
		return err
	}, "d/ d/a="},
	{"write", func(s *script) error { _, err := unix.Write(s.fd, []byte("one")); return err }, "d/ d/a=one"},
	{"pwrite64", func(s *script) error { _, err := unix.Pwrite(s.fd, []byte("O"), 0); return err }, "d/ d/a=One"},
	{"fsync", func(s *script) error { return unix.Fsync(s.fd) }, "d/ d/a=One"},
	{"fdatasync", func(s *script) error { return unix.Fdatasync(s.fd) }, "d/ d/a=One"},
	{"ftruncate", func(s *script) error { return unix.Ftruncate(s.fd, 1) }, "d/ d/a=O"},
	{"fchmod", func(s *script) error { return unix.Fchmod(s.fd, 0o640) }, "d/ d/a=O"},
	{"flock", func(s *script) error { return unix.Flock(s.fd, unix.LOCK_EX|unix.LOCK_NB) }, "d/ d/a=O"},
	{"renameat2", func(*script) error {
		return unix.Renameat2(unix.AT_FDCWD, "d/a", unix.AT_FDCWD, "b", unix.RENAME_NOREPLACE)
	}, "b=O d/"},
	{"linkat", func(*script) error { return unix.Linkat(unix.AT_FDCWD, "b", unix.AT_FDCWD, "d/c", 0) }, "b=O d/ d/c=O"},
	{"symlinkat", func(*script) error { return unix.Symlinkat("b", unix.AT_FDCWD, "l") }, "b=O d/ d/c=O l->b"},
	{"unlinkat", func(*script) error { return unix.Unlinkat(unix.AT_FDCWD, "b", 0) }, "d/ d/c=O l->b"},
	{"openat2", func(s *script) error {
		fd, err := unix.Openat2(unix.AT_FDCWD, "e", &unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: 0o600})
		s.fd = fd
		return err
	}, "d/ d/c=O e= l->b"},
	{"writev", func(s *script) error { _, err := unix.Writev(s.fd, [][]byte{[]byte("x"), []byte("y")}); return err },
		"d/ d/c=O e=xy l->b"},
}

// runScript makes the acts, and prints the result of each.
func runScript([]string) error {
	s := &script{fd: -1}
	for _, a := range standInCalls {
		noise()
		fmt.Printf("%s: %v\n", a.name, a.do(s))
	}
	return nil
}

// noise makes calls that change nothing, or nothing that counts.
func noise() {
	os.ReadFile(os.DevNull)
	os.WriteFile(os.DevNull, []byte("x"), 0o600)
	os.ReadDir(".")
	os.Stat("d")
}

// runThreads makes the same calls in several threads at once, each on files of its own.
func runThreads(args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			runtime.LockOSThread()
			name := fmt.Sprint("f", i)
			fd, _ := unix.Open(name, unix.O_CREAT|unix.O_WRONLY, 0o600)
			unix.Write(fd, []byte(name))
			unix.Fsync(fd)
			unix.Rename(name, name+".done")
			fmt.Println(name)
		})
	}
	wg.Wait()
	return nil
}

const callsPerThread = 4

func hang([]string) error {
	unix.Mkdir("d", 0o755)
	select {}
}
