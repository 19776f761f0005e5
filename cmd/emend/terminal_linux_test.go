package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo terminal. The program reads and writes tty; the test reads and types at the controller.
type terminal struct{ controller, tty *os.File }

func openTerminal(t *testing.T) terminal {
	t.Helper()
	hand, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	t.Cleanup(func() { hand.Close() })
	if err := unix.IoctlSetPointerInt(int(hand.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(hand.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	screen, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	return terminal{hand, screen}
}

// readAll returns all output of the terminal, once every program has closed it.
func (x terminal) readAll() <-chan string {
	out := make(chan string, 1)
	go func() {
		var b bytes.Buffer
		io.Copy(&b, x.controller) // ends with EIO
		out <- strings.ReplaceAll(b.String(), "\r\n", "\n")
	}()
	return out
}

// person is somebody at a terminal who runs emend.
type person struct {
	dir   string
	env   []string
	pipes string // which of "in", "out" and "err" are pipes; the others are terminals
	stdin string // if "in" is a pipe
	types string // typed at the terminal
	cols  uint16 // the width of the terminal; 0 if it does not matter
}

type runResult struct {
	code     int
	out, err string
}

func (p person) run(t *testing.T, args ...string) runResult {
	t.Helper()
	in, out, errs := openTerminal(t), openTerminal(t), openTerminal(t)
	if err := unix.IoctlSetWinsize(int(out.controller.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: p.cols, Row: 50}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("emend", args...)
	cmd.Dir = p.dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=/no-home", "TERM=xterm"}, p.env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in.tty, out.tty, errs.tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	var outPipe, errPipe bytes.Buffer
	if strings.Contains(p.pipes, "in") {
		cmd.Stdin, cmd.SysProcAttr = strings.NewReader(p.stdin), nil
	}
	if strings.Contains(p.pipes, "out") {
		cmd.Stdout = &outPipe
	}
	if strings.Contains(p.pipes, "err") {
		cmd.Stderr = &errPipe
	}
	outShown, errShown := out.readAll(), errs.readAll()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(in.controller, p.types)
	err := cmd.Wait()
	for _, x := range []terminal{in, out, errs} {
		x.tty.Close()
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return runResult{cmd.ProcessState.ExitCode(), <-outShown + outPipe.String(), <-errShown + errPipe.String()}
}

func workspace(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".emend"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func content(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const abcHash = "edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb" // of "abc\n"

// The header goes only to the terminal, and control characters in the text are escaped there.
func TestReadAtTerminal(t *testing.T) {
	dir := workspace(t, map[string]string{"f": "abc\n", "evil": "a\x1b[2Jb\n", "bin": "a\x00b", "open": "abc"})
	header := "f  1 line(s)  sha256 " + abcHash
	tests := []struct {
		name  string
		p     person
		args  []string
		code  int
		out   string
		err   string // a part of it
		noErr string
	}{
		{"both terminals", person{}, []string{"read", "f"}, 0, "abc\n", header, ""},
		{"bold", person{}, []string{"read", "f"}, 0, "abc\n", "\x1b[1m" + header, ""},
		{"NO_COLOR", person{env: []string{"NO_COLOR=1"}}, []string{"read", "f"}, 0, "abc\n", header, "\x1b"},
		{"into a pipe", person{pipes: "out"}, []string{"read", "f"}, 0, "abc\n", "", "sha256"},
		{"errors to a file", person{pipes: "err"}, []string{"read", "f"}, 0, "abc\n", "", "sha256"},
		{"quiet", person{}, []string{"read", "-q", "f"}, 0, "", "", "sha256"},
		{"no last newline", person{}, []string{"read", "open"}, 0, "abc\n", "", ""},
		{"no last newline in a pipe", person{pipes: "out"}, []string{"read", "open"}, 0, "abc", "", ""},
		{"control characters", person{}, []string{"read", "evil"}, 0, "a\\x1b[2Jb\n", "", ""},
		{"control characters in a pipe", person{pipes: "out"}, []string{"read", "evil"}, 0, "a\x1b[2Jb\n", "", ""},
		{"binary", person{}, []string{"read", "--binary", "bin"}, 1, "", "not printed on a terminal", ""},
		{"binary in a pipe", person{pipes: "out"}, []string{"read", "--binary", "bin"}, 0, "a\x00b", "", "not"},
	}
	for _, tt := range tests {
		tt.p.dir = dir
		got := tt.p.run(t, tt.args...)
		if got.code != tt.code || got.out != tt.out || !strings.Contains(got.err, tt.err) || tt.noErr != "" && strings.Contains(got.err, tt.noErr) {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// Matches are grouped and coloured on a terminal, plain in a pipe, and without colour if colours are off.
func TestSearchAtTerminal(t *testing.T) {
	dir := workspace(t, map[string]string{"f": "abc\nxbc\n", "g": "bc\n"})
	const plain, grouped = "f:1:abc\nf:2:xbc\ng:1:bc\n", "f\n1:abc\n2:xbc\n\ng\n1:bc\n"
	m, g, r, z := "\x1b[35m", "\x1b[32m", "\x1b[1;31m", "\x1b[m"
	colours := m + "f" + z + "\n" + g + "1" + z + ":a" + r + "bc" + z + "\n" + g + "2" + z + ":x" + r + "bc" + z + "\n\n" +
		m + "g" + z + "\n" + g + "1" + z + ":" + r + "bc" + z + "\n"
	tests := []struct {
		name string
		p    person
		args []string
		want string
	}{
		{"terminal", person{}, nil, colours},
		{"NO_COLOR", person{env: []string{"NO_COLOR=1"}}, nil, grouped},
		{"--no-color", person{}, []string{"--no-color"}, grouped},
		{"pipe", person{pipes: "out"}, nil, plain},
	}
	for _, tt := range tests {
		tt.p.dir = dir
		got := tt.p.run(t, append([]string{"search", "bc"}, tt.args...)...)
		if got.code != 0 || got.out != tt.want || got.err != "" {
			t.Errorf("%s: %+v, want %q", tt.name, got, tt.want)
		}
	}
}

// The hunk stands beside the file if there is room, else above it. Marks are colours, or carets if colours are off. In
// a pipe the text does not depend on the terminal.
func TestExplainAtTerminal(t *testing.T) {
	dir := workspace(t, map[string]string{"f": "one\n\ttwo\n"})
	const change = "*** Begin Patch\n*** Update File: f\n@@\n one\n-    two\n+2\n*** End Patch\n"
	marked, red := "\x1b[1;4;33m", "\x1b[31m"
	tests := []struct {
		name string
		p    person
		args []string
		want string
		not  string
	}{
		{"wide", person{cols: 120}, nil, red + "-\x1b[m " + marked + "····\x1b[m" + red + "two\x1b[m" + strings.Repeat(" ", 44) + " |       2 " + marked + "→   \x1b[mtwo", "^"},
		{"narrow", person{cols: 80}, nil, "\n    patch         - " + marked + "····\x1b[mtwo\n    file        2   " + marked + "→   \x1b[mtwo\n", " | "},
		{"wide, NO_COLOR", person{cols: 120, env: []string{"NO_COLOR=1"}}, nil, "    - ····two" + strings.Repeat(" ", 44) + " |       2 →   two\n      ^^^^", "\x1b"},
		{"no size", person{}, []string{"--no-color"}, "\n    file        2   →   two\n                    ^^^^\n", "\x1b"},
		{"pipe", person{cols: 120, pipes: "out"}, nil, "\n    file        2   →   two\n                    ^^^^\n", "\x1b"},
	}
	if err := os.WriteFile(filepath.Join(dir, "p"), []byte(change), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		tt.p.dir = dir
		got := tt.p.run(t, append([]string{"explain", "--no-pager", "p"}, tt.args...)...)
		if got.code != 1 || !strings.Contains(got.out, tt.want) || strings.Contains(got.out, tt.not) || got.err != "" {
			t.Errorf("%s: %d %q\n%s\nwant %q", tt.name, got.code, got.out, got.err, tt.want)
		}
	}
}

// ls and glob print sizes and times on a terminal, and only names in a pipe.
func TestListAtTerminal(t *testing.T) {
	dir := workspace(t, map[string]string{"f": strings.Repeat("x", 1536)})
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"ls"}, {"glob", "*"}} {
		p := person{dir: dir, env: []string{"NO_COLOR=1"}}
		lines := strings.Split(p.run(t, args...).out, "\n")
		if len(lines) != 3 || !strings.HasSuffix(lines[0], "  d/") || !strings.HasPrefix(lines[1], "  1.5 KiB  2") || !strings.HasSuffix(lines[1], "  f") {
			t.Errorf("%s: %q", args, lines)
		}
		p.pipes = "out"
		if got := p.run(t, args...).out; got != "d/\nf\n" {
			t.Errorf("%s in a pipe: %q", args, got)
		}
	}
}

// At a terminal the hash is read and shown.
func TestHashAtTerminal(t *testing.T) {
	tests := []struct {
		name  string
		args  []string
		types string
		file  string
		want  string
	}{
		{"edit", []string{"edit", "f", "--old", "b", "--new", "B"}, "", "f", "aBc\n"},
		{"edits typed", []string{"edit", "f"}, `[{"oldText":"b","newText":"B"}]` + "\n\x04", "f", "aBc\n"},
		{"write", []string{"write", "f"}, "new\n\x04", "f", "new\n"},
		{"mv", []string{"mv", "f", "g"}, "", "g", "abc\n"},
	}
	for _, tt := range tests {
		p := person{dir: workspace(t, map[string]string{"f": "abc\n"}), types: tt.types}
		got := p.run(t, tt.args...)
		if got.code != 0 || !strings.Contains(got.err, "f has the sha256 "+abcHash) || content(t, p.dir, tt.file) != tt.want {
			t.Errorf("%s: %+v", tt.name, got)
		}
		if !strings.Contains(got.out, "To undo: emend undo ") {
			t.Errorf("%s: the way back is not shown: %q", tt.name, got.out)
		}
		if tt.name != "mv" && !strings.Contains(got.out, "\x1b[31m-abc") {
			t.Errorf("%s: the diff is not shown: %q", tt.name, got.out)
		}
		// In a pipe it is read too, and not shown.
		p = person{dir: workspace(t, map[string]string{"f": "abc\n"}), types: tt.types, pipes: "out"}
		if got := p.run(t, tt.args...); got.code != 0 || strings.Contains(got.err, "sha256") || content(t, p.dir, tt.file) != tt.want {
			t.Errorf("%s into a pipe: %+v", tt.name, got)
		}
	}
}

// mv moves a link itself, also one whose target does not exist.
func TestMovedLinkAtTerminal(t *testing.T) {
	p := person{dir: workspace(t, nil)}
	if err := os.Symlink("nowhere", filepath.Join(p.dir, "link")); err != nil {
		t.Fatal(err)
	}
	got := p.run(t, "mv", "link", "other")
	if says, err := os.Readlink(filepath.Join(p.dir, "other")); err != nil || says != "nowhere" {
		t.Errorf("%q, %v: %+v", says, err, got)
	}
}

// Ctrl-C while standard input is read ends the process, and nothing is changed.
func TestInterrupted(t *testing.T) {
	for _, args := range [][]string{{"create", "g"}, {"apply"}, {"edit", "f"}} {
		p := person{dir: workspace(t, map[string]string{"f": "abc\n"}), types: "half a line"}
		got := p.runInterrupted(t, args...)
		if got.code != 1 || !strings.Contains(got.err, "interrupted; nothing was changed") {
			t.Errorf("%s: %+v", args, got)
		}
		if _, err := os.Stat(filepath.Join(p.dir, "g")); err == nil {
			t.Errorf("%s: it was made", args)
		}
	}
}

// runInterrupted presses Ctrl-C when emend has asked for input.
func (p person) runInterrupted(t *testing.T, args ...string) runResult {
	t.Helper()
	in, out := openTerminal(t), openTerminal(t)
	cmd := exec.Command("emend", args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "HOME=/no-home")
	cmd.Stdin, cmd.Stdout = in.tty, out.tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	outShown := out.readAll()
	var said strings.Builder
	b := make([]byte, 1024)
	for !strings.Contains(said.String(), "Ctrl-D") {
		n, err := errs.Read(b)
		said.Write(b[:n])
		if err != nil {
			break
		}
	}
	io.WriteString(in.controller, p.types+"\x03")
	io.Copy(&said, errs)
	cmd.Wait()
	in.tty.Close()
	out.tty.Close()
	return runResult{cmd.ProcessState.ExitCode(), <-outShown, said.String()}
}

// At a terminal, serve explains on standard error what it waits for.
func TestServeAtTerminal(t *testing.T) {
	p := person{dir: workspace(t, nil), types: "\x04"}
	got := p.run(t, "serve")
	if got.code != 0 || got.out != "" || !strings.Contains(got.err, "waiting for an MCP client on standard input") || !strings.Contains(got.err, "emend setup") {
		t.Errorf("%+v", got)
	}
	if got := p.run(t, "serve", "--quiet"); got.code != 0 || got.out != "" || strings.Contains(got.err, "waiting") {
		t.Errorf("--quiet: %+v", got)
	}
}
