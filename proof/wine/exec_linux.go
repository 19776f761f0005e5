package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// exec becomes a program in the chroot: wine with a program for Windows, or, if the path does not end in ".exe", the program of that
// path in the chroot. The working directory stays. go test -exec calls it for every test.
func (c config) exec(context.Context) error {
	if len(c.packages) == 0 {
		return errors.New("name the program to run")
	}
	args := c.packages
	if strings.HasSuffix(args[0], ".exe") {
		program, err := filepath.Abs(args[0])
		if err != nil {
			return err
		}
		if err := c.mayEnterReady(); err != nil {
			return err
		}
		args = append([]string{"/usr/bin/wine", hostDir + program}, args[1:]...)
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	// The namespace and the root belong to the thread, which becomes the program.
	runtime.LockOSThread()
	if err := enter(c.chroot, hostDir+dir); err != nil {
		return fmt.Errorf("%s: %w", c.chroot, err)
	}
	return syscall.Exec(args[0], args, environment(os.Environ()))
}

func (c config) mayEnterReady() error {
	if _, err := os.Stat(filepath.Join(c.chroot, readyName)); err != nil {
		return fmt.Errorf("there is no chroot at %s: make it with go -C proof run ./wine", c.chroot)
	}
	return nil
}

// hostDir is where the chroot has the machine.
const hostDir = "/host"

// enter moves the thread into the chroot, in a mount namespace of its own.
func enter(root, dir string) error {
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		return err
	}
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := os.MkdirAll(root+hostDir, 0o755); err != nil {
		return err
	}
	for _, m := range [][2]string{{"/", root + hostDir}, {"/proc", root + "/proc"}, {"/dev", root + "/dev"}} {
		if err := syscall.Mount(m[0], m[1], "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", m[0], err)
		}
	}
	if err := syscall.Chroot(root); err != nil {
		return err
	}
	return syscall.Chdir(dir)
}

// environment replaces what the programs in the chroot must not have from outside.
func environment(env []string) (out []string) {
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		switch name {
		case "PATH", "HOME", "TMPDIR", "TEMP", "TMP", "DISPLAY", "WINEPREFIX", "WINEDEBUG":
		default:
			out = append(out, e)
		}
	}
	return append(out, "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/root", "WINEPREFIX="+prefix, "WINEDEBUG=-all",
		"WINEDLLOVERRIDES=mscoree,mshtml=") // neither .NET nor a browser, which wine would ask about
}

// stopServer ends what wine leaves running for a while.
func stopServer(c config) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	c.shell(ctx, "wineserver -k; true") //nolint:errcheck // it ends by itself a little later
}
