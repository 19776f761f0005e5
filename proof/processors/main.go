// Command processors builds emend for other processors and runs the tests of the packages that compute, and of the log, on them:
//
//	go -C proof run ./processors             386, arm64 and riscv64; some minutes
//	go -C proof run ./processors 386         one of them
//	go -C proof run ./processors -package ./internal/audit arm64
//
// A processor that this machine does not have is played by qemu, which the command installs on Debian. What cannot be played is NOT RUN.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/emend-dev/emend/proof/gotest"
	"github.com/emend-dev/emend/proof/product"
)

// players are the programs that play a processor, by Go's name for it.
var players = map[string]string{"386": "qemu-i386-static", "arm64": "qemu-aarch64-static", "riscv64": "qemu-riscv64-static", "amd64": "qemu-x86_64-static"}

// packages are what is tested. The tests of places and hunks are below plan.
var packages = []string{"./internal/text", "./internal/dialect", "./internal/match", "./internal/plan/...", "./internal/audit"}

func main() {
	short := flag.Bool("short", true, "go test -short: without the longest random runs")
	only := flag.String("package", "", "test only the packages of this `PATTERN`")
	run := flag.String("run", "", "run only the tests that match this `PATTERN`")
	timeout := flag.Duration("timeout", 20*time.Minute, "how long the tests of one package may take")
	flag.Parse()
	all := flag.Args()
	if len(all) == 0 {
		all = []string{"386", "arm64", "riscv64"}
	}
	if *only != "" {
		packages = []string{*only}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	args := []string{"-count", "1", "-vet", "off", "-timeout", timeout.String()}
	if *short {
		args = append(args, "-short")
	}
	if *run != "" {
		args = append(args, "-run", *run)
	}
	failed := false
	for _, arch := range all {
		bad, err := try(ctx, arch, args)
		if err != nil {
			fmt.Fprintf(os.Stderr, "processors: %s: %v\n", arch, err)
		}
		failed = failed || bad || err != nil
	}
	if failed {
		os.Exit(1)
	}
}

// try builds everything for a processor, and runs the tests if it can be played.
func try(ctx context.Context, arch string, args []string) (failed bool, err error) {
	top, err := product.Dir(ctx)
	if err != nil {
		return false, err
	}
	env := []string{"GOOS=linux", "GOARCH=" + arch, "CGO_ENABLED=0"}
	build := exec.CommandContext(ctx, "go", "build", "./...")
	build.Dir, build.Env, build.Stdout, build.Stderr = top, append(os.Environ(), env...), os.Stdout, os.Stderr
	if err := build.Run(); err != nil {
		return false, fmt.Errorf("it does not build: %w", err)
	}
	fmt.Printf("%s: emend builds\n", arch)
	player, err := player(ctx, arch)
	if err != nil {
		fmt.Printf("NOT RUN: processors: %s: %v\n", arch, err)
		return false, nil
	}
	if player != "" {
		args = append(args, "-exec", player)
	}
	results := gotest.Results{}
	if err := results.Run(ctx, top, env, append(args, packages...)...); err != nil {
		return false, err
	}
	table, failed := results.Table(nil, true)
	by := "this machine itself"
	if player != "" {
		by = filepath.Base(player)
	}
	fmt.Printf("\n## %s, by %s\n\n%s\n", arch, by, table)
	return failed, nil
}

// player returns the program that plays a processor; "" if the machine has it.
func player(ctx context.Context, arch string) (string, error) {
	if runtime.GOOS != "linux" {
		return "", fmt.Errorf("programs for Linux do not run on %s", runtime.GOOS)
	}
	if arch == runtime.GOARCH || arch == "386" && runtime.GOARCH == "amd64" && runs386(ctx) {
		return "", nil
	}
	name := players[arch]
	if name == "" {
		return "", fmt.Errorf("nothing here plays it")
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return "", fmt.Errorf("%s is missing (Debian: apt-get install qemu-user-static)", name)
	}
	fmt.Println("installing qemu-user-static")
	for _, args := range [][]string{{"update", "-qq"}, {"install", "-y", "-qq", "--no-install-recommends", "qemu-user-static"}} {
		if out, err := exec.CommandContext(ctx, "apt-get", args...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("apt-get %s: %w: %s", args[0], err, strings.TrimSpace(string(out)))
		}
	}
	return exec.LookPath(name)
}

// runs386 reports whether the kernel runs programs for the 32-bit processor: it runs one.
func runs386(ctx context.Context) bool {
	dir, err := os.MkdirTemp("", "emend-386-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600) != nil {
		return false
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, source)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=386", "CGO_ENABLED=0")
	return cmd.Run() == nil && exec.CommandContext(ctx, program).Run() == nil
}
