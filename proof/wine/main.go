// Command wine runs the tests for Windows on Linux: go test builds them for Windows, and wine runs them.
//
//	go -C proof run ./wine                              the packages that open, guard and keep files, and the program: ./windows
//	go -C proof run ./wine -run TestX ./internal/audit  others, by name; many take long in wine
//	go -C proof run ./wine -exec emend.exe version      one program
//	go -C proof run ./wine -calls                       how many calls about files a change takes, beside a program with MoveFileEx
//
// Wine 8 cannot start programs of this version of Go. So the command makes a directory with a Debian that has wine 10, once; that
// takes some minutes, 2.4 GB and root. Tests that are known to fail in wine, or to have no sense there, are listed in known.txt,
// each with the reason. Any other failure is an error.
//
// The programs run in the mount namespace of their own process, where the whole machine is below /host: they are not shut in, and
// no mount is left behind.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// config says what to run and where.
type config struct {
	chroot   string
	mirror   string
	make     bool
	limit    time.Duration // for making the chroot
	timeout  time.Duration // for the tests of one package
	run      string
	short    bool
	out      string
	packages []string
}

func main() {
	c := config{}
	exec := flag.Bool("exec", false, "run the program that the arguments name, instead of tests")
	calls := flag.Bool("calls", false, "count the calls about files, instead of tests")
	flag.StringVar(&c.chroot, "chroot", defaultChroot(), "the `DIR` with a Debian that has wine; also EMEND_WINE_CHROOT")
	flag.StringVar(&c.mirror, "mirror", "http://deb.debian.org/debian", "where the Debian comes from")
	flag.BoolVar(&c.make, "make", true, "make the chroot if it is missing")
	flag.DurationVar(&c.limit, "limit", 20*time.Minute, "how long making the chroot may take")
	flag.DurationVar(&c.timeout, "timeout", 30*time.Minute, "how long the tests of one package may take")
	flag.StringVar(&c.run, "run", "", "run only the tests that match this `PATTERN`")
	flag.BoolVar(&c.short, "short", false, "go test -short")
	flag.StringVar(&c.out, "out", "", "write the table to this `FILE` as well")
	flag.Parse()
	c.packages = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := c.test
	switch {
	case *exec:
		run = c.exec
	case *calls:
		run = c.calls
	}
	os.Exit(exitCode(run(ctx)))
}

func defaultChroot() string {
	if dir := os.Getenv("EMEND_WINE_CHROOT"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "emend", "wine-trixie")
}

// absent is the error of a machine that cannot run wine. It is no failure.
type absent struct{ why string }

func (a absent) Error() string { return a.why }

// errFailed says that a test failed, which is printed already.
var errFailed = errors.New("a test failed")

func exitCode(err error) int {
	if why, ok := errors.AsType[absent](err); ok {
		fmt.Println("NOT RUN: wine:", why)
		return 0
	}
	if err == nil {
		return 0
	}
	if err != errFailed {
		fmt.Fprintln(os.Stderr, "wine:", err)
	}
	return 1
}
