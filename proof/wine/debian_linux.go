package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// release is the Debian that the chroot has. Its wine is the first that starts programs of this Go.
const release = "trixie"

// prefix is where wine keeps its drive C, in the chroot.
const prefix = "/wine"

// prepare makes the chroot, unless it is there. It is made under another name first, so that what an interrupted run left is
// never used.
func prepare(ctx context.Context, c config) error {
	if _, err := os.Stat(filepath.Join(c.chroot, readyName)); err == nil {
		return c.mayEnter()
	}
	switch {
	case !c.make:
		return absent{"there is no chroot at " + c.chroot + " (-make=false)"}
	case runtime.GOARCH != "amd64":
		return absent{"wine is set up for amd64 only"}
	}
	if err := c.mayEnter(); err != nil {
		return err
	}
	if err := needDebootstrap(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	fmt.Printf("making a chroot with wine in %s: this takes some minutes, once\n", c.chroot)
	err := c.makeChroot(ctx)
	if ctx.Err() != nil {
		return absent{fmt.Sprintf("the chroot was not made within %v", c.limit)}
	}
	if err != nil {
		return absent{err.Error()}
	}
	return nil
}

// mayEnter reports why this process may not run programs in a chroot.
func (c config) mayEnter() error {
	if os.Geteuid() != 0 {
		return absent{"only root may make and enter a chroot"}
	}
	cmd := exec.Command("/bin/true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if err := cmd.Run(); err != nil {
		return absent{"this system gives no mount namespaces: " + err.Error()}
	}
	return nil
}

func needDebootstrap(ctx context.Context) error {
	if _, err := exec.LookPath("debootstrap"); err == nil {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return absent{"debootstrap is missing"}
	}
	if err := command(ctx, "apt-get", "update", "-qq"); err != nil {
		return absent{"debootstrap is missing: " + err.Error()}
	}
	if err := command(ctx, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "debootstrap"); err != nil {
		return absent{"debootstrap is missing: " + err.Error()}
	}
	return nil
}

func (c config) makeChroot(ctx context.Context) error {
	draft := c.chroot + ".draft"
	if err := errors.Join(os.RemoveAll(draft), os.MkdirAll(filepath.Dir(draft), 0o755)); err != nil {
		return err
	}
	if err := command(ctx, "debootstrap", "--variant=minbase", release, draft, c.mirror); err != nil {
		return err
	}
	in := c
	in.chroot = draft
	for _, line := range []string{
		"apt-get update -qq",
		"DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends wine wine64",
		"apt-get clean",
		"wine wineboot --init",
		"wineserver -w",
		"wine --version >/" + readyName,
	} {
		if err := in.shell(ctx, line); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(c.chroot); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(draft, c.chroot)
}

// shell runs a line of shell in the chroot.
func (c config) shell(ctx context.Context, line string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return command(ctx, self, "-chroot", c.chroot, "-exec", "/bin/sh", "-c", line)
}

func command(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		out := strings.TrimSpace(said.String())
		return fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, out[max(0, len(out)-600):])
	}
	return nil
}
