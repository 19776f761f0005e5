package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/confine"
)

// confinedTries are what a confined command tries. Beside its tree is the directory ../out, with a file a in it, which it may not change,
// and ../cache, which the policy names. TMPDIR is ../tmp.
var confinedTries = []struct {
	what, script string
	stopped      bool   // the kernel refuses it, in both modes
	only         string // the mode in which it is tried; "" for both
	needs        string // a program
	root         bool   // it needs root
}{
	{what: "write in the tree", script: `echo x > new; mkdir d; mv new d/; rm -r d; truncate -s 0 a`},
	{what: "write in the temporary directory", script: `echo x > "$TMPDIR/x"; mktemp`},
	{what: "write in a directory that the policy names", script: `mkdir -p ../cache/d; echo x > ../cache/d/x`},
	{what: "a move from there into the tree", script: `echo x > "$TMPDIR/y"; mv "$TMPDIR/y" y`},
	{what: "devices and the terminal", script: `echo x > /dev/null; head -c 1 /dev/urandom > r; echo x > /dev/stderr`},
	{what: "read outside", script: `cat ../out/a`},
	{what: "run a program outside", script: `cp "$(type -P true)" "$TMPDIR/t"; "$TMPDIR/t"; /bin/true`},

	{what: "write a file", script: `echo x > ../out/a`, stopped: true},
	{what: "append to a file", script: `echo x >> ../out/a`, stopped: true},
	{what: "make a file", script: `echo x > ../out/new`, stopped: true},
	{what: "empty a file", script: `truncate -s 0 ../out/a`, needs: "truncate", stopped: true},
	{what: "empty a file without opening it", script: `python3 -c 'import os; os.truncate("../out/a", 0)'`, needs: "python3", stopped: true},
	{what: "remove a file", script: `rm -f ../out/a`, stopped: true},
	{what: "make a directory", script: `mkdir ../out/d`, stopped: true},
	{what: "remove a directory", script: `rmdir ../out/empty`, stopped: true},
	{what: "make a symbolic link", script: `ln -s a ../out/l`, stopped: true},
	{what: "make a hard link", script: `ln ../out/a ../out/h`, stopped: true},
	{what: "link in from outside", script: `ln ../out/a stolen`, stopped: true},
	{what: "make a FIFO", script: `mkfifo ../out/p`, stopped: true},
	{what: "rename outside", script: `mv ../out/a ../out/b`, stopped: true},
	{what: "move out", script: `echo x > mine; mv -f mine ../out/mine`, stopped: true},
	{what: "move in", script: `mv ../out/a mine`, stopped: true},
	{what: "through a symbolic link in the tree", script: `echo x > out-link`, stopped: true},
	{what: "through /proc", script: `echo x > /proc/self/root"$PWD"/../out/a`, stopped: true},
	{what: "the home directory", script: `echo x > "$HOME/x"`, stopped: true},
	{what: "shared memory", script: `echo x > /dev/shm/emend-confined-$$`, stopped: true},
	{what: "by a process that outlives its parent", script: `setsid -w sh -c 'echo x > ../out/a'`, needs: "setsid", stopped: true},
	{what: "in namespaces of its own", script: `unshare -Urm sh -c 'mount -t tmpfs x ../out && echo x > ../out/a'`, needs: "unshare", stopped: true},
	{what: "through another mount of the outside", script: `echo x > ../mount/out/a`, root: true, stopped: true},

	// What goes around it, as docs/run.md lists it. A line that fails here is a line to take out there.
	{what: "around it: permissions and times", script: `chmod 600 ../out/a; touch -d 2001-01-01 ../out/a`, needs: "touch"},
	{what: "around it: what is open already", script: `echo x >&1; echo x >&2`},
	{what: "around it: what is open already, beside the three streams", script: `echo x >&7`, only: "witness"},
	{what: "around it: another process, asked by a socket", script: `python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect("../out/socket"); s.send(b"x"); s.recv(1)'`, needs: "python3"},
	{what: "around it: another process, asked by an abstract socket", script: `python3 -c 'import os, socket; s = socket.socket(socket.AF_UNIX); s.connect("\0" + os.environ["ABSTRACT"]); s.send(b"x"); s.recv(1)'`, needs: "python3"},
	{what: "around it: the network", script: `exec 3<>/dev/tcp/127.0.0.1/"$PORT"; echo x >&3; read -r _ <&3`},
	{what: "around it: a hard link in the tree", script: `echo x > hard`, only: "witness"},
	{what: "around it: signals", script: `kill -0 "$OUTSIDE"`},
	{what: "around it: memory without a file", script: `python3 -c 'import os; fd = os.memfd_create("m"); os.write(fd, b"x")'`, needs: "python3"},
	{what: "around it: another mount of the tree", script: `echo x > ../mount/tree/new`, root: true, only: "witness"},
	{what: "another mount of the tree", script: `echo x > ../mount/tree/new`, root: true, only: "overlay", stopped: true},
}

// TestConfine tries what a confined command can and cannot do, in both modes, and the same without --confine.
func TestConfine(t *testing.T) {
	if err := confine.Check(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	for _, mode := range []string{"witness", "overlay"} {
		for _, try := range confinedTries {
			if try.only != "" && try.only != mode {
				continue
			}
			t.Run(mode+"/"+try.what, func(t *testing.T) {
				t.Parallel()
				switch {
				case mode == "overlay" && !haveLayers(t):
					t.Skip("NOT RUN: this system lets nobody have a layer")
				case try.root && os.Geteuid() != 0:
					t.Skip("NOT RUN: only root can mount")
				}
				if _, err := exec.LookPath(try.needs); err != nil && try.needs != "" {
					t.Skip("NOT RUN: there is no " + try.needs)
				}
				p := newConfined(t, try.root)
				out, code := p.run(mode, true, try.script)
				if stopped := code != 0; stopped != try.stopped {
					t.Errorf("exit code %d\n%s", code, out)
				}
				if try.stopped {
					if now := p.outside(); now != p.before {
						t.Errorf("outside is now\n%s, was\n%s", now, p.before)
					}
				}
			})
		}
	}
}

// TestConfineStops shows that what is stopped is stopped by --confine: without it the same goes through.
func TestConfineStops(t *testing.T) {
	for _, try := range confinedTries {
		if !try.stopped || try.root || try.what == "in namespaces of its own" || strings.Contains(try.script, "/proc/self") {
			continue
		}
		if _, err := exec.LookPath(try.needs); err != nil && try.needs != "" {
			continue
		}
		t.Run(try.what, func(t *testing.T) {
			t.Parallel()
			if out, code := newConfined(t, false).run("witness", false, try.script); code != 0 {
				t.Errorf("without --confine: exit code %d\n%s", code, out)
			}
		})
	}
}

// confinedPlace is a tree, and what is beside it.
type confinedPlace struct {
	t      *testing.T
	top    string
	env    []string
	policy string
	before string
}

func newConfined(t *testing.T, mounts bool) *confinedPlace {
	t.Helper()
	short, err := os.MkdirTemp("", "confine") // the path of a socket has about 100 bytes
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(short) })
	top, err := filepath.EvalSymlinks(short)
	must(t, err)
	p := &confinedPlace{t: t, top: top, policy: filepath.Join(top, "policy.toml")}
	for _, d := range []string{"tree/.emend", "out/empty", "cache", "tmp", "home", "mount/tree", "mount/out"} {
		mkdir(t, top, d)
	}
	must(t, os.WriteFile(p.policy, fmt.Appendf(nil, "[run]\nwrite = [%q, \"/nowhere/at/all\"]\n", filepath.Join(top, "cache")), 0o600))
	must(t, os.WriteFile(filepath.Join(top, "tree/a"), []byte("a\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(top, "out/a"), []byte("outside\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(top, "out/linked"), []byte("linked\n"), 0o644))
	must(t, os.Symlink("../out/a", filepath.Join(top, "tree/out-link")))
	must(t, os.Link(filepath.Join(top, "out/linked"), filepath.Join(top, "tree/hard")))
	if mounts {
		for _, d := range []string{"tree", "out"} {
			at := filepath.Join(top, "mount", d)
			if err := unix.Mount(filepath.Join(top, d), at, "", unix.MS_BIND, ""); err != nil {
				t.Skip("NOT RUN: mount: ", err)
			}
			t.Cleanup(func() { unix.Unmount(at, unix.MNT_DETACH) })
		}
	}
	p.before = p.outside()
	abstract := fmt.Sprintf("emend-confine-%d-%d", os.Getpid(), time.Now().UnixNano())
	p.env = append(os.Environ(), "TMPDIR="+filepath.Join(top, "tmp"), "HOME="+filepath.Join(top, "home"), "XDG_CONFIG_HOME="+filepath.Join(top, "home"),
		"ABSTRACT="+abstract, "PORT="+p.listen("tcp", "127.0.0.1:0"), fmt.Sprintf("OUTSIDE=%d", os.Getpid()))
	p.listen("unix", "@"+abstract)
	p.listen("unix", filepath.Join(top, "out/socket"))
	return p
}

// listen answers one byte to each that asks, and returns its port.
func (p *confinedPlace) listen(network, address string) string {
	p.t.Helper()
	l, err := net.Listen(network, address)
	must(p.t, err)
	p.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if _, err := c.Read(make([]byte, 1)); err == nil {
				c.Write([]byte("x\n"))
			}
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// outside describes what is beside the tree, where nothing may change.
func (p *confinedPlace) outside() string {
	p.t.Helper()
	var b strings.Builder
	for _, d := range []string{"out", "home"} {
		entries, err := os.ReadDir(filepath.Join(p.top, d))
		must(p.t, err)
		for _, e := range entries {
			info, err := e.Info()
			must(p.t, err)
			if info.Mode()&os.ModeSocket != 0 {
				continue
			}
			text, _ := os.ReadFile(filepath.Join(p.top, d, e.Name()))
			fmt.Fprintf(&b, "%s/%s %v %q %v\n", d, e.Name(), info.Mode(), text, info.ModTime())
		}
	}
	return b.String()
}

func (p *confinedPlace) run(mode string, confined bool, script string) (out string, code int) {
	p.t.Helper()
	args := []string{"--policy", p.policy, "run", "--mode", mode}
	if confined {
		args = append(args, "--confine")
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	open, err := os.OpenFile(filepath.Join(p.top, "open"), os.O_CREATE|os.O_WRONLY, 0o600)
	must(p.t, err)
	defer open.Close()
	cmd := exec.CommandContext(ctx, "bash", append([]string{"-c", `exec 7>&3; exec "$@"`, "bash", "emend"}, append(args, "--", "bash", "-ec", script)...)...)
	cmd.Dir, cmd.Env, cmd.ExtraFiles = filepath.Join(p.top, "tree"), p.env, []*os.File{open}
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	err = cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		p.t.Fatal(err)
	}
	return both.String(), cmd.ProcessState.Sys().(syscall.WaitStatus).ExitStatus()
}
