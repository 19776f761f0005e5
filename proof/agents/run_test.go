//go:build npm && linux

package agents

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// timeLimit is the time limit for an agent.
const timeLimit = 2 * time.Minute

// start runs a command of this account to its end, and kills its children. Its output is in the file said.txt.
func (w *account) start(command ...string) (took time.Duration) {
	w.Helper()
	out, err := os.Create(filepath.Join(w.root, "said.txt"))
	if err != nil {
		w.Fatal(err)
	}
	defer out.Close()
	ctx, cancel := context.WithTimeout(w.Context(), timeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.work, w.env, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	begin := time.Now()
	err = cmd.Run()
	took = time.Since(begin)
	if ctx.Err() != nil {
		err = errors.Join(err, ctx.Err())
	}
	if err != nil {
		w.Errorf("%s: %v\n%s", filepath.Base(command[0]), err, w.said())
	}
	w.killLeftovers()
	return took
}

// said returns the end of the last command's output.
func (w *account) said() string {
	data, _ := os.ReadFile(filepath.Join(w.root, "said.txt"))
	return string(data[max(0, len(data)-4000):])
}

// killLeftovers kills what a command left running, and reports it.
func (w *account) killLeftovers() {
	w.Helper()
	if eventually(func() bool { return len(w.processes()) == 0 }) {
		return
	}
	for pid, what := range w.processes() {
		w.Errorf("it left a process running: %s", what)
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// processes returns the processes of this account: those with its directory in their environment or arguments.
func (w *account) processes() map[int]string {
	out := map[int]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() || slices.Contains(w.pids, pid) {
			continue
		}
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		if strings.Contains(string(args)+string(env), w.root) {
			out[pid] = strings.ReplaceAll(string(args), "\x00", " ")
		}
	}
	return out
}

// eventually polls until so returns true, for at most five seconds.
func eventually(so func() bool) bool {
	for range 100 {
		if so() {
			return true
		}
		time.Sleep(50 * time.Millisecond)
	}
	return false
}
