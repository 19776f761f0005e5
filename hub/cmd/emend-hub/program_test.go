package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/hubtest"
)

// TestMain has the test be the program, so that nothing has to be built.
func TestMain(m *testing.M) {
	if os.Getenv("EMEND_HUB_WRITE") != "" {
		os.Exit(write())
	}
	if os.Getenv("EMEND_HUB_PROGRAM") != "" {
		main()
	}
	os.Exit(m.Run())
}

// write is a command that changes the workspace in which it runs. The exit code says whether it did.
func write() int {
	ws, err := emend.Open(".")
	if err == nil {
		_, err = ws.Create(context.Background(), api.CreateRequest{Path: os.Getenv("EMEND_HUB_WRITE"), Content: "x\n"})
	}
	if err != nil {
		fmt.Println(err)
		return 3
	}
	return 0
}

// person is somebody with a home of their own.
type person struct {
	t    *testing.T
	home string
}

func (p *person) command(args ...string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = []string{"EMEND_HUB_PROGRAM=1", "HOME=" + p.home, "XDG_CONFIG_HOME=" + p.home + "/config", "XDG_STATE_HOME=" + p.home + "/state", "PATH=" + os.Getenv("PATH")}
	return cmd
}

func (p *person) run(args ...string) string {
	p.t.Helper()
	out, err := p.command(args...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("emend-hub %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// start starts a command, and stops it at the test's end.
func (p *person) start(args ...string) *printed {
	p.t.Helper()
	return p.startCommand(p.command(args...))
}

func (p *person) startCommand(cmd *exec.Cmd) *printed {
	p.t.Helper()
	out, args := new(printed), cmd.Args[1:]
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil && args[0] == "serve" { // a join whose key was revoked fails
			p.t.Errorf("emend-hub %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	})
	return out
}

// printed collects the output of a running command.
type printed struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.String()
}

var until = hubtest.Until

func port(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestTwoCommands: from nothing to a hub with two joined workspaces and its pages, and what a person does then.
func TestTwoCommands(t *testing.T) {
	operator, developer := &person{t, t.TempDir()}, &person{t, t.TempDir()}
	one, two := hubtest.Workspace(t), hubtest.Workspace(t)
	hubtest.Change(t, one, 2)
	pages := port(t)
	serve := operator.start("serve", "--listen", port(t), "--http", pages)
	until(t, "an invitation", func() bool { return strings.Contains(serve.String(), "join '") })
	_, rest, _ := strings.Cut(serve.String(), "join '")
	invitation, _, _ := strings.Cut(rest, "'")
	developer.start("join", invitation, "--allow", "stop,undo", one, two)
	var members []memberState
	until(t, "two workspaces", func() bool {
		if err := json.Unmarshal([]byte(operator.run("members", "--json")), &members); err != nil {
			t.Fatal(err)
		}
		here := 0
		for _, m := range members {
			here += count(m.State == "here")
		}
		return here == 2
	})
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, Timeout: 10 * time.Second}
	if r, err := client.Get("https://" + pages + "/"); err != nil || r.StatusCode >= 500 {
		t.Errorf("the pages: %v, %v", r, err)
	}
	hubtest.Change(t, two, 2)
	until(t, "all records", func() bool {
		return strings.Contains(operator.run("verify"), "10 records of 2 workspaces, 0 findings")
	})
	if out := operator.run("freeze", "--all", "--reason", "a test"); strings.Count(out, "read-only since") != 2 {
		t.Errorf("freeze printed %q", out)
	}
	operator.run("thaw", "--all")
	if out := operator.run("invite", "--label", "ci"); !strings.HasPrefix(out, "https://"+pages+"/join#") {
		t.Errorf("invite printed %q", out)
	}
	if out := operator.run("token", "anna", "--role", "approver"); !strings.HasPrefix(out, "emendhub_") {
		t.Errorf("token printed %q", out)
	}
	operator.run("revoke", members[0].ID, "a test")
	until(t, "the revoked workspace hears of it", func() bool { return strings.Contains(operator.run("members"), "revoked") })
}

// TestFleetPage: the two commands of docs/fleet.md, as they are written there, on a machine where nothing was done before.
func TestFleetPage(t *testing.T) {
	for _, address := range []string{"127.0.0.1:7422", "127.0.0.1:7443"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Skipf("NOT RUN: the commands of docs/fleet.md: %v", err)
		}
		l.Close()
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "fleet.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Two commands")
	var commands []string
	for line := range strings.Lines(section) {
		if c, ok := strings.CutPrefix(strings.TrimSpace(line), "emend-hub "); ok && strings.HasPrefix(line, "    ") && len(commands) < 2 {
			commands = append(commands, "exec emend-hub "+c)
		}
	}
	if len(commands) != 2 {
		t.Fatalf("the page has the commands %q", commands)
	}
	p := &person{t, t.TempDir()}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(exe, filepath.Join(p.home, "emend-hub")); err != nil {
		t.Skipf("NOT RUN: the commands of docs/fleet.md: %v", err)
	}
	for _, name := range []string{"a", "b"} {
		dir := filepath.Join(p.home, "src", name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		hubtest.Change(t, dir, 1)
	}
	shell := func(command string) *printed {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env = p.home, append(p.command().Env, "PATH="+p.home+":"+os.Getenv("PATH"))
		return p.startCommand(cmd)
	}
	serve := shell(commands[0])
	until(t, "an invitation", func() bool { return strings.Contains(serve.String(), "join '") })
	_, rest, _ := strings.Cut(serve.String(), "join '")
	invitation, _, _ := strings.Cut(rest, "'")
	shell(strings.Replace(commands[1], "INVITATION", invitation, 1))
	until(t, "all records of both", func() bool { return strings.Contains(p.run("verify"), "6 records of 2 workspaces, 0 findings") })

	_, rest, _ = strings.Cut(serve.String(), "sign in")
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, Timeout: 10 * time.Second}
	get := func(path string) (code int, body string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", "https://127.0.0.1:7443"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+strings.Fields(rest)[0])
		got, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		all, err := io.ReadAll(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		return got.StatusCode, string(all)
	}
	if code, body := get("/"); code != http.StatusOK || !strings.Contains(body, "<h1") {
		t.Errorf("the page: %d, %s", code, body)
	}
	if code, body := get("/api/v1/fleet"); code != http.StatusOK || !strings.Contains(body, "src/a") || !strings.Contains(body, "src/b") {
		t.Errorf("the fleet: %d, %s", code, body)
	}
}

// slowly passes on to an address, and takes its time: a command would change much before it is stopped.
func slowly(t *testing.T, to string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	pass := func(from, to net.Conn) {
		defer from.Close()
		defer to.Close()
		for buf := make([]byte, 64<<10); ; {
			n, err := from.Read(buf)
			if err != nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			if out, err := net.Dial("tcp", to); err != nil {
				in.Close()
			} else {
				go pass(in, out)
				go pass(out, in)
			}
		}
	}()
	return l.Addr().String()
}

// TestStopHolds: workspaces that were away when they were stopped are read-only before a command that joins with them makes its first change. Without
// the hub the command starts all the same.
func TestStopHolds(t *testing.T) {
	operator, developer := &person{t, t.TempDir()}, &person{t, t.TempDir()}
	var dirs []string
	for range 3 {
		dirs = append(dirs, hubtest.Workspace(t))
	}
	broker := port(t)
	serve := operator.command("serve", "--listen", broker, "--http", port(t), "--advertise", "tls://"+slowly(t, broker))
	out := operator.startCommand(serve)
	until(t, "an invitation", func() bool { return strings.Contains(out.String(), "join '") })
	_, rest, _ := strings.Cut(out.String(), "join '")
	invitation, _, _ := strings.Cut(rest, "'")
	developer.run(append([]string{"join", invitation, "--ack", "--allow", "stop"}, dirs...)...)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	hold := "1m"
	around := func(dir, file string) (code int, said string) {
		cmd := developer.command("join", dir, "--allow", "stop", "--hold", hold, "--", "env", "EMEND_HUB_WRITE="+file, exe)
		text, err := cmd.CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		return code, string(text)
	}
	if code, said := around(dirs[0], "before"); code != 0 || strings.Contains(said, "has not said") {
		t.Errorf("before the stop: exit code %d: %s", code, said)
	}
	operator.run("freeze", "--all", "--reason", "an incident")
	for _, dir := range dirs {
		if code, said := around(dir, "stopped"); code != 3 || !strings.Contains(said, "an incident") {
			t.Errorf("a stopped workspace was changed: exit code %d: %s", code, said)
		}
	}
	operator.run("thaw", "--all")
	if code, said := around(dirs[1], "after"); code != 0 || strings.Contains(said, "has not said") {
		t.Errorf("after it was resumed: exit code %d: %s", code, said)
	}
	hold = "1s"
	serve.Process.Signal(os.Interrupt)
	until(t, "the hub is away", func() bool {
		code, said := around(dirs[2], fmt.Sprint("away-", time.Now().UnixNano()))
		return code == 0 && strings.Contains(said, "has not said") || code == 3
	})
}

// TestJoinAround: the command's exit code and output are those of join; with --ack the hub has everything when join ends, and without a hub it says so.
func TestJoinAround(t *testing.T) {
	operator, developer := &person{t, t.TempDir()}, &person{t, t.TempDir()}
	dir := hubtest.Workspace(t)
	hubtest.Change(t, dir, 3)
	serve := operator.start("serve", "--listen", port(t), "--http", port(t))
	until(t, "an invitation", func() bool { return strings.Contains(serve.String(), "join '") })
	_, rest, _ := strings.Cut(serve.String(), "join '")
	invitation, _, _ := strings.Cut(rest, "'")
	for _, c := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"join", invitation, dir, "--ack", "--", "sh", "-c", "echo out; exit 7"}, 7, "out\n"},
		{[]string{"join", dir, "--", "sh", "-c", "pwd; exit 3"}, 3, ""},
		{[]string{"join", dir, "--ack"}, 0, ""},
		{[]string{"join", dir, "--ship", "all"}, exitUsage, ""},
		{[]string{"join", "nowhere"}, exitUsage, ""},
		{[]string{"join", t.TempDir()}, exitFailed, ""},
		{[]string{"join", dir, "--"}, exitUsage, ""},
	} {
		cmd := developer.command(c.args...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		code := 0
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if code != c.code || c.out != "" && out.String() != c.out {
			t.Errorf("%v: exit code %d, printed %q, want %d and %q\n%s", c.args, code, &out, c.code, c.out, &errs)
		}
	}
	if out := operator.run("verify"); !strings.Contains(out, "7 records of 1 workspaces") {
		t.Errorf("verify printed %q", out)
	}
}

// TestJoinKilled: join is killed at its Nth call of the system, of each kind that leaves something on the disk or at the hub, from joining for the first
// time on. The same command joins then, the hub gets everything, and finds nothing wrong.
func TestJoinKilled(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skipf("NOT RUN: join killed at each step: %v", err)
	}
	if out, err := exec.Command(strace, "-f", "true").CombinedOutput(); err != nil {
		t.Skipf("NOT RUN: join killed at each step: strace does not work here: %v: %.100s", err, out)
	}
	operator := &person{t, t.TempDir()}
	serve := operator.start("serve", "--listen", port(t), "--http", port(t))
	until(t, "an invitation", func() bool { return strings.Contains(serve.String(), "join '") })
	invitation := strings.TrimSpace(operator.run("invite", "--uses", "1000"))
	killed, workspaces := 0, 0
	for _, call := range []string{"openat", "write", "fsync", "renameat", "connect", "unlinkat", "exit_group"} {
		for n, next := 1, 2; ; n, next = next, n+next { // of many calls the later ones are fewer
			developer, dir := &person{t, t.TempDir()}, hubtest.Workspace(t)
			hubtest.Change(t, dir, 1)
			cmd := developer.command("join", invitation, dir, "--ack")
			cmd.Args = append([]string{strace, "-f", "-qq", "-o", os.DevNull, "-e", "trace=" + call, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n), cmd.Path}, cmd.Args[1:]...)
			cmd.Path = strace
			out, err := cmd.CombinedOutput()
			died := err != nil && cmd.ProcessState.ExitCode() < 0
			if err != nil && !died {
				t.Fatalf("join: %v\n%s", err, out)
			}
			workspaces++
			if out := developer.run("join", invitation, dir, "--ack"); !strings.Contains(out, "the hub has all 3 records") {
				t.Errorf("after join was killed at %s %d: %s", call, n, out)
			}
			if !died {
				break
			}
			killed++
		}
	}
	if out := operator.run("verify"); !strings.Contains(out, fmt.Sprintf("%d records of %d workspaces, 0 findings", 3*workspaces, workspaces)) {
		t.Errorf("verify printed %q", out)
	}
	if killed < 5 {
		t.Errorf("join was killed at %d calls only", killed)
	}
	t.Logf("fleet: join was killed at %d calls of the system: the same command joins, and the hub has everything, with no findings", killed)
}

// TestHelp: every command says what it does; the man pages are written.
func TestHelp(t *testing.T) {
	a := &app{out: new(bytes.Buffer), err: new(bytes.Buffer)}
	for _, c := range a.root().Commands() {
		if c.Short == "" || c.Name() != "help" && c.Name() != "completion" && c.Args == nil && c.RunE == nil {
			t.Errorf("%s: no help", c.Name())
		}
	}
	p, dir := &person{t, t.TempDir()}, t.TempDir()
	p.run("man", dir)
	for _, name := range []string{"emend-hub.1", "emend-hub-serve.1", "emend-hub-join.1", "emend-hub-policy-sign.1"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Contains(text, []byte(".SH")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if out := p.run("completion", "bash"); !strings.Contains(out, "emend-hub") {
		t.Error("no completion")
	}
}
