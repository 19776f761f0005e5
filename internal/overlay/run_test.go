//go:build linux && (amd64 || arm64)

package overlay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestExit: exit codes as env and timeout have them.
func TestExit(t *testing.T) {
	root := tree(t, map[string]string{"notexec": "x", "d/": "", "script": "exit 7\n"})
	must(t, os.Chmod(filepath.Join(root, "script"), 0o755))
	for _, tc := range []struct {
		args         []string
		exit, signal int
	}{
		{[]string{"true"}, 0, 0},
		{[]string{"sh", "-c", "exit 3"}, 3, 0},
		{[]string{"sh", "-c", "kill -9 $$"}, 137, 9},
		{[]string{"sh", "-c", "kill -TERM $$"}, 143, 15},
		{[]string{"./no-such-program"}, 127, 0},
		{[]string{"no-such-program"}, 127, 0},
		{[]string{"./notexec"}, 126, 0},
		{[]string{"./d"}, 126, 0},
		{[]string{"./script"}, 7, 0},
	} {
		o := options(t, root, "")
		o.Args = tc.args
		l := runIn(t, o)
		if l.Exit != tc.exit || l.Signal != tc.signal || (l.NotStarted != "") != (tc.exit == 126 || tc.exit == 127) {
			t.Errorf("%q: exit %d, signal %d, %q", tc.args, l.Exit, l.Signal, l.NotStarted)
		}
		if !l.Sealed || l.Usable() != nil {
			t.Errorf("%q: not sealed", tc.args)
		}
	}
}

// TestOpen: the command gets the streams that are open here without a mark to be closed, by their numbers, and no file or directory: it could be
// one of the real tree.
func TestOpen(t *testing.T) {
	root := tree(t, map[string]string{"a": "1"})
	// open returns a number from least on that a program which is started gets.
	open := func(fd, least int) int {
		t.Helper()
		to, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD, least)
		must(t, err)
		t.Cleanup(func() { unix.Close(to) })
		return to
	}
	pipe := func(text string) int {
		r, w, err := os.Pipe()
		must(t, err)
		t.Cleanup(func() { r.Close() })
		_, err = w.WriteString(text)
		must(t, errors.Join(err, w.Close()))
		return int(r.Fd())
	}
	dir, err := unix.Open(root, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	must(t, err)
	defer unix.Close(dir)
	file, err := unix.Open(root+"/a", unix.O_RDWR|unix.O_CLOEXEC, 0)
	must(t, err)
	defer unix.Close(file)
	low, high := open(pipe("low "), 3), open(pipe("high"), 100) // the low one is in the way of what the supervisor is given
	o := options(t, root, fmt.Sprintf("cat /dev/fd/%d /dev/fd/%d; for n in %d %d; do test ! -e /proc/self/fd/$n || echo $n is open; done",
		low, high, open(dir, 100), open(file, 100)))
	if _, got := output(t, o); got != "low high" {
		t.Errorf("the command prints %q", got)
	}
}

// TestAsOutside: where the command is, who it is, what its streams are.
func TestAsOutside(t *testing.T) {
	root := tree(t, map[string]string{"d/a": "1"})
	script := "pwd; id; umask; cat d/a; echo $X"
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "X=1")
	wanted, err := cmd.Output()
	must(t, err)
	o := options(t, root, script)
	o.Env = append(o.Env, "X=1")
	_, got := output(t, o)
	if got != string(wanted) {
		t.Errorf("inside:\n%soutside:\n%s", got, wanted)
	}
	o = options(t, root, "pwd -P; echo 2 > a")
	o.Cwd = filepath.Join(root, "d")
	l, got := output(t, o)
	if got != filepath.Join(root, "d")+"\n" {
		t.Errorf("pwd: %s", got)
	}
	want(t, changes(t, l), "~ file d/a")
}

// TestLayerInTheTree: who reads the whole tree does not stumble over a layer in it, within the overlay, beside it, or when it is kept.
func TestLayerInTheTree(t *testing.T) {
	root := tree(t, map[string]string{"a": "1", "store/runs/": ""})
	all := "find . > /dev/null && grep -r no[t]hing .; test $? = 1 && tar cf ../all.tar ."
	o := options(t, root, "touch ../in; until [ -e ../out ]; do sleep 0.01; done; "+all)
	o.Dir = filepath.Join(root, "store", "runs", "1")
	beside := func(when string) {
		cmd := exec.Command("sh", "-c", all)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", when, err, out)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, err := os.Stat(filepath.Join(root, "..", "in")); err != nil && t.Context().Err() == nil; _, err = os.Stat(filepath.Join(root, "..", "in")) {
			time.Sleep(time.Millisecond)
		}
		beside("beside a command")
		os.WriteFile(filepath.Join(root, "..", "out"), nil, 0o644)
	}()
	l, got := output(t, o)
	<-done
	if l.Exit != 0 {
		t.Errorf("in the overlay: exit %d: %s", l.Exit, got)
	}
	want(t, changes(t, l), "")
	beside("a layer that is kept")
}

// TestStreams: input and output go through the same pipes as without an overlay.
func TestStreams(t *testing.T) {
	root := tree(t, nil)
	o := options(t, root, "cat; echo err >&2; exit 4")
	inR, inW := pipe(t)
	outR, outW := pipe(t)
	errR, errW := pipe(t)
	o.Stdin, o.Stdout, o.Stderr = inR, outW, errW
	go func() { io.WriteString(inW, "hello\n"); inW.Close() }()
	l := runIn(t, o)
	outW.Close()
	errW.Close()
	out, _ := io.ReadAll(outR)
	serr, _ := io.ReadAll(errR)
	if l.Exit != 4 || string(out) != "hello\n" || string(serr) != "err\n" {
		t.Errorf("%d %q %q", l.Exit, out, serr)
	}
}

// TestCapabilities: in a user namespace the command has no capability and cannot get one.
func TestCapabilities(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("NOT RUN: root keeps what it has")
	}
	o := options(t, tree(t, nil), "grep -E 'Cap(Inh|Prm|Eff|Amb)|NoNewPrivs' /proc/self/status; echo $GIT_SSH_COMMAND; GIT_SSH_COMMAND=; umount . 2>/dev/null && echo unmounted")
	_, got := output(t, o)
	zero := ":\t0000000000000000\n"
	if !strings.HasPrefix(got, "CapInh"+zero+"CapPrm"+zero+"CapEff"+zero+"CapAmb"+zero+"NoNewPrivs:\t1\nssh -F '") || strings.Contains(got, "unmounted") {
		t.Error(got)
	}
	o.Env = append(o.Env, "GIT_SSH_COMMAND=mine")
	o.Dir += "2"
	if _, got = output(t, o); !strings.Contains(got, "\nmine\n") {
		t.Error(got)
	}
}

// TestStaysBehind: nothing is sealed while a process is left, whatever it did to hide.
func TestStaysBehind(t *testing.T) {
	need(t, "setsid")
	for name, script := range map[string]string{
		"background":  "(trap '' HUP; while :; do echo x >> late; sleep 0.01; done) & until [ -e late ]; do :; done",
		"setsid":      "setsid sh -c '(while :; do echo x >> late; sleep 0.01; done) & ' & until [ -e late ]; do :; done",
		"deaf":        "sh -c 'trap \"\" TERM; while :; do echo x >> late; sleep 0.01; done' & until [ -e late ]; do :; done",
		"stopped":     "sh -c 'echo x > late; kill -STOP $$' & until [ -e late ]; do :; done",
		"file opened": "sh -c 'exec sleep 1000 > late' & until [ -e late ]; do :; done",
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, tree(t, nil), script)
			l := runIn(t, o)
			if !l.Sealed || len(l.Killed) == 0 {
				t.Fatalf("sealed %v, killed %v, writers %v", l.Sealed, l.Killed, l.Writers)
			}
			want(t, changes(t, l), "+ file late")
			sum, err := l.NewSum(Change{Path: "late"})
			must(t, err)
			for range 3 { // whoever still wrote would be seen
				time.Sleep(20 * time.Millisecond)
				if again, _ := l.NewSum(Change{Path: "late"}); again != sum {
					t.Fatal("somebody writes after the seal")
				}
			}
		})
	}
}

// TestStoppedEnds: a stopped process is let go on, so that it can end by itself.
func TestStoppedEnds(t *testing.T) {
	o := options(t, tree(t, nil), `sh -c 'trap "echo ended > late; exit" TERM; echo x > late; kill -STOP $$' & until [ -e late ]; do :; done`)
	o.EndGrace = 20 * time.Second
	l := runIn(t, o)
	if data, _ := os.ReadFile(filepath.Join(l.upper(), "late")); string(data) != "ended\n" {
		t.Errorf("%q", data)
	}
}

// TestWaitsForGrace: a process that ends by itself is not killed.
func TestWaitsForGrace(t *testing.T) {
	o := options(t, tree(t, nil), "(sleep 0.1; echo x > late) &")
	o.Grace = time.Minute
	l := runIn(t, o)
	if len(l.Killed) > 0 {
		t.Errorf("killed %v", l.Killed)
	}
	want(t, changes(t, l), "+ file late")
}

// TestWriterOutside: a file that a process outside of the run holds open for writing keeps the layer from being used, and who it
// is gets said.
func TestWriterOutside(t *testing.T) {
	need(t, "python3")
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket})
	must(t, err)
	defer listener.Close()
	got := make(chan *os.File, 1)
	go func() {
		conn, err := listener.AcceptUnix()
		if err != nil {
			got <- nil
			return
		}
		oob := make([]byte, 64)
		_, n, _, _, err := conn.ReadMsgUnix(make([]byte, 1), oob)
		if err != nil {
			got <- nil
			return
		}
		messages, _ := syscall.ParseSocketControlMessage(oob[:n])
		fds, _ := syscall.ParseUnixRights(&messages[0])
		got <- os.NewFile(uintptr(fds[0]), "late")
		conn.Close()
	}()
	o := options(t, tree(t, nil), `exec python3 -c '
import socket, array, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
f = open("late", "w")
s.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [f.fileno()]))])
s.recv(1)' "$SOCKET"`)
	o.Env = append(o.Env, "SOCKET="+socket)
	l := runIn(t, o)
	f := <-got
	if f == nil {
		t.Fatal("the file did not arrive")
	}
	defer f.Close()
	if l.Sealed || l.Usable() == nil {
		t.Fatal("sealed although a file is open for writing")
	}
	if len(l.Writers) != 1 || l.Writers[0].PID != os.Getpid() || !strings.HasSuffix(l.Writers[0].File, "/late") {
		t.Errorf("writers: %v", l.Writers)
	}
	if _, err := f.WriteString("x"); err != nil {
		t.Error("the test is no test:", err)
	}
}

// TestSignals: what the caller gets, the command gets once. An interrupt that the terminal gave to both is not passed on.
func TestSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{unix.SIGTERM, unix.SIGHUP, unix.SIGINT, unix.SIGUSR1} {
		t.Run(unix.SignalName(sig), func(t *testing.T) {
			if signal.Ignored(sig) {
				t.Skip("NOT RUN: the signal is ignored here, as under nohup, and so by the command")
			}
			name := strings.TrimPrefix(unix.SignalName(sig), "SIG")
			r, w := pipe(t)
			o := options(t, tree(t, nil), fmt.Sprintf("n=0; trap 'n=$((n+1))' %s; trap 'echo $n > n; exit 5' ALRM; echo ready; while :; do sleep 0.01; done", name))
			o.Stdout = w
			go func() {
				line, _ := bufio.NewReader(r).ReadString('\n')
				if line != "ready\n" {
					return
				}
				syscall.Kill(os.Getpid(), sig)
				// When the command has counted it, it has its answer.
				for _, p := range descendantsNamed("sh") {
					time.Sleep(200 * time.Millisecond)
					syscall.Kill(p, unix.SIGALRM)
				}
			}()
			l := runIn(t, o)
			data, _ := os.ReadFile(filepath.Join(l.upper(), "n"))
			if l.Exit != 5 || string(data) != "1\n" {
				t.Errorf("exit %d, got the signal %q times", l.Exit, data)
			}
		})
	}
}

func descendantsNamed(name string) (out []int) {
	for _, p := range descendants() {
		if p.Name == name {
			out = append(out, p.PID)
		}
	}
	return out
}

// waitStopped waits until every descendant of this name is stopped.
func waitStopped(t *testing.T, name string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		pids := descendantsNamed(name)
		if len(pids) > 0 && !slices.ContainsFunc(pids, func(pid int) bool {
			data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			return err == nil && !strings.Contains(string(data), ") T ")
		}) {
			return
		}
	}
	t.Fatalf("%s was not stopped", name)
}

// TestPassOn: an interrupt that the supervisor got as well is not passed on; one that only the caller got is.
func TestPassOn(t *testing.T) {
	for _, both := range []bool{false, true} {
		cmd := exec.Command("sleep", "1000")
		must(t, cmd.Start())
		s := &supervisor{command: cmd.Process.Pid, got: map[syscall.Signal]time.Time{}, signals: make(chan os.Signal, 1)}
		wanted := unix.SIGINT
		if both {
			s.signals <- unix.SIGINT
			wanted = unix.SIGTERM
		}
		s.passOn(unix.SIGINT)
		s.passOn(unix.SIGTERM) // if it still lives
		cmd.Wait()
		if got := cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(); got != wanted {
			t.Errorf("got by both: %v; the command was ended by %v", both, got)
		}
	}
}

// TestIgnored: a signal that the caller was started to ignore (nohup) is ignored by the command too.
func TestIgnored(t *testing.T) {
	signal.Ignore(unix.SIGHUP)
	defer signal.Reset(unix.SIGHUP)
	l := runIn(t, options(t, tree(t, nil), "kill -HUP $$; exit 3"))
	if l.Exit != 3 {
		t.Errorf("exit %d", l.Exit)
	}
}

// TestCancel: the end of the context ends the command.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, w := pipe(t)
	o := options(t, tree(t, nil), "trap 'echo ended > a; exit 6' TERM; echo ready; while :; do sleep 0.01; done")
	o.Stdout = w
	go func() { bufio.NewReader(r).ReadString('\n'); cancel() }()
	l, err := Run(ctx, o)
	if u, ok := errors.AsType[*Unsupported](err); ok {
		t.Skip("NOT RUN:", u)
	}
	if l == nil || !errors.Is(err, context.Canceled) || l.Exit != 6 || !l.Sealed {
		t.Fatalf("%+v %v", l, err)
	}
	want(t, changes(t, l), "+ file a")
	must(t, l.Discard())
}

// terminal opens a pseudo terminal.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skip("NOT RUN: no pseudo terminal:", err)
	}
	must(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	must(t, err)
	master = os.NewFile(uintptr(fd), "ptmx")
	t.Cleanup(func() { master.Close() })
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("NOT RUN: no pseudo terminal:", err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

// caller starts this program as a caller of Run with a terminal of its own, or without one.
func caller(t *testing.T, o Options, tty *os.File) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "EMEND_TEST_CALLER="+o.Root, "EMEND_TEST_LAYER="+o.Dir, "EMEND_TEST_SCRIPT="+o.Args[2])
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if tty != nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
		cmd.SysProcAttr.Setctty = true
	}
	return cmd
}

// callerThatDies is the program that caller starts.
func callerThatDies(root string) int {
	l, err := Run(context.Background(), Options{Root: root, Dir: os.Getenv("EMEND_TEST_LAYER"), Args: []string{"sh", "-c", os.Getenv("EMEND_TEST_SCRIPT")},
		Env: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Grace: 50 * time.Millisecond, EndGrace: time.Second})
	if _, ok := errors.AsType[*Unsupported](err); ok {
		return 99
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	return l.Exit
}

// screen is what a terminal has shown and nobody has expected yet.
type screen struct {
	tty  *os.File
	seen string
}

// expect reads until the terminal has shown text, and returns what it showed up to there.
func (s *screen) expect(t *testing.T, text string) string {
	t.Helper()
	buf := make([]byte, 1024)
	must(t, s.tty.SetReadDeadline(time.Now().Add(20*time.Second)))
	for {
		if before, after, ok := strings.Cut(s.seen, text); ok {
			s.seen = after
			return before
		}
		n, err := s.tty.Read(buf)
		s.seen += string(buf[:n])
		if err != nil {
			t.Fatalf("waiting for %q: %v after %q", text, err, s.seen)
		}
	}
}

// endSession kills what is left of a session, if the test failed in the middle. A hangup does not, where it is ignored.
func endSession(t *testing.T, leader int) {
	t.Helper()
	t.Cleanup(func() {
		for _, pid := range pids() {
			if session, err := unix.Getsid(pid); err == nil && session == leader && pid != os.Getpid() {
				unix.Kill(pid, unix.SIGKILL)
			}
		}
	})
}

// discard removes the layer of a run in another process.
func discard(t *testing.T, dir string) {
	t.Helper()
	l, err := Open(dir)
	must(t, err)
	must(t, l.Discard())
}

// TestTerminal: the command has the terminal, gets ^C once, and the caller lives on.
func TestTerminal(t *testing.T) {
	runIn(t, options(t, tree(t, nil), "true")) // or NOT RUN
	master, slave := terminal(t)
	screen := &screen{tty: master}
	o := options(t, tree(t, nil), `n=0; trap 'n=$((n+1)); echo int $n' INT; trap 'exit $((40 + n))' QUIT; tty; test -t 0 && test -t 1 && echo ready
while :; do read x; test "$x" = end && exit 9; done`)
	cmd := caller(t, o, slave)
	must(t, cmd.Start())
	endSession(t, cmd.Process.Pid)
	if seen := screen.expect(t, "ready"); !strings.Contains(seen, "/dev/pts/") {
		t.Errorf("%q", seen)
	}
	io.WriteString(master, "\x03") // ^C
	screen.expect(t, "int 1")
	io.WriteString(master, "\x1c") // ^\
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 41 {
		t.Errorf("exit %d; 41 says that one interrupt arrived", code)
	}
	discard(t, o.Dir)
}

// TestJobControl: ^Z stops the caller and the command, and fg goes on with both; a shell inside has jobs of its own.
func TestJobControl(t *testing.T) {
	need(t, "bash")
	runIn(t, options(t, tree(t, nil), "true")) // or NOT RUN
	master, slave := terminal(t)
	screen := &screen{tty: master}
	o := options(t, tree(t, nil), "echo ready; read x; echo got $x; PS1='inner> ' bash --norc -i; echo after $?")
	caller := caller(t, o, nil)
	shell := exec.Command("bash", "--norc", "-i")
	shell.Env = append(caller.Env, "PS1=outer> ", "PROMPT_COMMAND=", "HISTFILE=")
	shell.Stdin, shell.Stdout, shell.Stderr = slave, slave, slave
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(t, shell.Start())
	endSession(t, shell.Process.Pid)
	exe, err := os.Executable()
	must(t, err)
	screen.expect(t, "outer> ")
	fmt.Fprintf(master, "'%s'\n", exe)
	screen.expect(t, "ready")
	io.WriteString(master, "\x1a") // ^Z
	screen.expect(t, "Stopped")
	screen.expect(t, "outer> ") // what is typed before the prompt is there may be lost
	waitStopped(t, "sh")        // the shell waited for the caller alone, and the command may still read what is typed
	io.WriteString(master, "fg\n")
	screen.expect(t, exe)
	io.WriteString(master, "word\n")
	screen.expect(t, "got word")
	screen.expect(t, "inner> ")
	io.WriteString(master, "sh -c 'echo run''ning; read x; echo al''so $x'\n")
	screen.expect(t, "running")
	io.WriteString(master, "\x1a")
	screen.expect(t, "Stopped")
	screen.expect(t, "inner> ")
	io.WriteString(master, "fg\n")
	screen.expect(t, "sh -c")
	io.WriteString(master, "word\n")
	screen.expect(t, "also word")
	screen.expect(t, "inner> ")
	io.WriteString(master, "exit 3\n")
	screen.expect(t, "after 3")
	screen.expect(t, "outer> ")
	io.WriteString(master, "exit\n")
	shell.Wait()
	discard(t, o.Dir)
}

// TestCallerKilled: when the caller is killed, the command ends, and the layer says that it must not be used.
func TestCallerKilled(t *testing.T) {
	root := tree(t, map[string]string{"a": "1"})
	runIn(t, options(t, root, "true")) // or NOT RUN
	r, w := pipe(t)
	o := options(t, root, "echo 2 > a; echo ready; while :; do sleep 0.01; done")
	cmd := caller(t, o, nil)
	cmd.Stdout = w
	must(t, cmd.Start())
	endSession(t, cmd.Process.Pid)
	w.Close()
	in := bufio.NewReader(r)
	if line, _ := in.ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q", line)
	}
	must(t, cmd.Process.Kill())
	cmd.Wait()
	// The pipe ends when the command and the supervisor have.
	r.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := in.ReadString('\n'); err != io.EOF {
		t.Fatal("somebody lives on:", err)
	}
	l, err := Open(o.Dir)
	must(t, err)
	if l.Usable() == nil {
		t.Error("the layer of a killed run is usable")
	}
	want(t, changes(t, l), "~ file a")
	must(t, l.Discard())
	if data, _ := os.ReadFile(filepath.Join(root, "a")); string(data) != "1" {
		t.Errorf("%q", data)
	}
}

// TestSupervisorKilled: the command does not outlive its supervisor, and the layer is not usable.
func TestSupervisorKilled(t *testing.T) {
	root := tree(t, map[string]string{"a": "1"})
	r, w := pipe(t)
	o := options(t, root, "echo 2 > a; kill -9 $PPID; exec sleep 1000")
	o.Stdout = w
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	l, err := Run(ctx, o)
	if u, ok := errors.AsType[*Unsupported](err); ok {
		t.Skip("NOT RUN:", u)
	}
	if err == nil || l == nil || l.Usable() == nil {
		t.Fatalf("%+v, %v", l, err)
	}
	w.Close()
	must(t, r.SetReadDeadline(time.Now().Add(20*time.Second)))
	if _, err := r.Read(make([]byte, 1)); err != io.EOF {
		t.Fatal("the command lives on:", err)
	}
	must(t, l.Discard())
}

// TestOpenLayer: a layer is the same for another process, and is gone after Discard.
func TestOpenLayer(t *testing.T) {
	root := tree(t, map[string]string{"a": "1", "d/b": "1"})
	l, got := sh(t, root, "echo 2 > a; rm -r d; mkdir -m 0 e")
	must(t, l.Keep())
	again, err := Open(l.Dir)
	must(t, err)
	must(t, again.Usable())
	want(t, changes(t, again), got)
	if again.Args[0] != "sh" || again.T0 != l.T0 || !again.Ended.Equal(l.Ended) {
		t.Errorf("%+v", again.Info)
	}
	again.Boot, again.Synced = "another", false
	if again.Usable() == nil {
		t.Error("a layer that was not synced is usable after a restart")
	}
	must(t, again.Discard())
	if _, err := Open(l.Dir); !errors.Is(err, ErrNoLayer) {
		t.Error(err)
	}
	if _, err := os.Stat(l.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
