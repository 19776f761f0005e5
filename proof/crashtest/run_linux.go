package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"github.com/emend-dev/emend/proof/product"
	"golang.org/x/sys/unix"
)

// dirVariable names the scratch directory, for the child process that does the run.
const dirVariable = "EMEND_CRASHTEST_DIR"

func beHelper() {
	if err := serveOrders(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "crashtest: helper:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run does everything in a child process with a mount namespace of its own, so that no mount outlives it.
func run(c config) error {
	if dir := os.Getenv(dirVariable); dir != "" {
		return inside(c, dir)
	}
	if why := cannotRun(); why != "" {
		fmt.Println("NOT RUN:", why)
		return missing(c, why)
	}
	dir, err := os.MkdirTemp("", "crashtest-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return rerunInNamespace(dir)
}

// missing returns the error of a run that is not possible, or nil with -allow-missing.
func missing(c config, why string) error {
	if c.missing {
		return nil
	}
	return errors.New("not run: " + why + " (-allow-missing makes this no failure)")
}

// cannotRun returns why nothing can run on this machine, or "".
func cannotRun() string {
	if os.Geteuid() != 0 {
		return "mounting needs root"
	}
	for _, dev := range []string{"/dev/fuse", "/dev/loop-control"} {
		f, err := os.OpenFile(dev, os.O_RDWR, 0)
		if err != nil {
			return err.Error()
		}
		f.Close()
	}
	return ""
}

// rerunInNamespace runs this program with the same arguments in a mount namespace of its own.
func rerunInNamespace(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	runtime.LockOSThread() // Pdeathsig refers to the thread
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer stop()
	cmd := exec.CommandContext(ctx, self, os.Args[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGTERM) }
	cmd.Env = append(os.Environ(), dirVariable+"="+dir)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS, Pdeathsig: unix.SIGTERM}
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		os.RemoveAll(dir)
		os.Exit(exit.ExitCode()) // it has printed the reason
	}
	return err
}

// inside runs in the namespace. It returns only when every helper has ended, so that no file system is left without its disk.
func inside(c config, dir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer stop()
	rounds := c.rounds()
	disks := map[string]*disk{}
	for i, r := range rounds {
		disks[diskName(i, r)] = newDisk(r.fs.size)
	}
	shelf := filepath.Join(dir, "disks")
	if err := os.Mkdir(shelf, 0o700); err != nil {
		return err
	}
	server, err := serve(shelf, disks)
	if err != nil {
		return missing(c, err.Error())
	}
	defer server.Unmount()
	programs, err := build(c, rounds, dir)
	if err != nil {
		return err
	}
	results := make([]*result, len(rounds))
	var wg sync.WaitGroup
	free := make(chan bool, c.jobs)
	for i, r := range rounds {
		free <- true
		wg.Go(func() {
			defer func() { <-free }()
			name := diskName(i, r)
			s := &session{config: c, round: r, disk: disks[name], path: filepath.Join(shelf, name), emend: programs[r.plant != ""],
				mnt: filepath.Join(dir, fmt.Sprint(i), "mnt")}
			results[i] = s.run(ctx)
			fmt.Fprint(os.Stderr, details(results[i:i+1]))
		})
	}
	wg.Wait()
	return reportResults(c, results)
}

func diskName(i int, r round) string { return fmt.Sprintf("%d-%s", i, r.fs.name) }

// build builds the programs under test: without and with planted bugs.
func build(c config, rounds []round, dir string) (map[bool]string, error) {
	out := map[bool]string{false: c.emend, true: c.emend}
	if c.emend != "" {
		return out, nil
	}
	for _, r := range rounds {
		planted := r.plant != ""
		if !isEmend(r.writer) || out[planted] != "" {
			continue
		}
		out[planted] = filepath.Join(dir, fmt.Sprintf("emend-%t", planted))
		var flags []string
		if planted {
			flags = []string{"-tags", "planted"}
		}
		if err := product.Build(context.Background(), out[planted], flags...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// reportResults prints and writes the results.
func reportResults(c config, results []*result) error {
	text := table(results)
	fmt.Print(text)
	if c.write != "" {
		if err := replaceSection(c.write, c.section(), heading(c)+text); err != nil {
			return err
		}
	}
	failed := 0
	for _, r := range results {
		if r.failed(c.missing) {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d rounds failed", failed, len(results))
	}
	return nil
}

// heading describes the run.
func heading(c config) string {
	var u unix.Utsname
	release := "?"
	if unix.Uname(&u) == nil {
		release = unix.ByteSliceToString(u.Release[:])
	}
	release, _, _ = strings.Cut(release, "-")
	return fmt.Sprintf("Linux %s, %d patches, seed %d.\n\n", release, c.t, c.seed)
}
