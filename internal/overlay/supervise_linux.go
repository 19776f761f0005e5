//go:build amd64 || arm64

package overlay

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/confine"
	"github.com/emend-dev/emend/internal/panics"
)

// Supervise makes this process the supervisor of a run, if [Run] executed it for that, and does not return then. Call it first in
// main, before flags are read.
func Supervise() {
	if len(os.Args) != 2 || os.Args[0] != supervisorName {
		supervised.Store(true)
		return
	}
	// Names, capabilities, filters: much of what follows belongs to this thread and to what it starts.
	runtime.LockOSThread()
	at, err := strconv.Atoi(os.Args[1])
	if err == nil {
		unix.CloseOnExec(at)
	}
	conn, connErr := net.FileConn(os.NewFile(uintptr(at), "caller"))
	if err != nil || connErr != nil {
		fmt.Fprintln(os.Stderr, supervisorName+": this program is started by emend")
		os.Exit(125)
	}
	s := &supervisor{send: json.NewEncoder(conn), receive: json.NewDecoder(conn)}
	if err := panics.Call(s.run); err != nil {
		e := event{Failed: err.Error()}
		if u, ok := errors.AsType[*Unsupported](err); ok {
			if errno, ok := u.Err.(syscall.Errno); ok {
				e.Errno = int(errno)
			}
			e.Unsupported = &Unsupported{Reason: u.Reason, Hint: u.Hint}
		}
		s.send.Encode(e)
		os.Exit(125)
	}
	os.Exit(0)
}

// supervisor is the process that stands between the caller and the command.
type supervisor struct {
	setup
	send    *json.Encoder
	receive *json.Decoder
	orders  chan order // closed when the caller is gone
	reaped  chan reaped
	signals chan os.Signal
	got     map[syscall.Signal]time.Time // when this process got a signal
	lower   int                          // the directory below the overlay
	upper   int
	dev     uint64 // of the overlay
	command int    // its process
	ended
}

type reaped struct {
	pid    int
	status syscall.WaitStatus
}

func (s *supervisor) run() error {
	if err := s.receive.Decode(&s.setup); err != nil {
		return err
	}
	if err := s.mount(); err != nil {
		return err
	}
	if err := os.Chdir(s.Cwd); err != nil {
		return err
	}
	if err := s.isolate(); err != nil {
		return err
	}
	if s.Confine {
		if err := confine.Thread(append(s.Writable, s.Root)); err != nil {
			return err
		}
	}
	s.signals = catchSignals()
	s.got = map[syscall.Signal]time.Time{}
	if err := s.send.Encode(event{Ready: true}); err != nil {
		return err
	}
	var o order
	if err := s.receive.Decode(&o); err != nil || !o.Go {
		return errors.New("the caller is gone")
	}
	s.orders = make(chan order)
	panics.Go(s.readOrders, func(*panics.Value) { os.Exit(125) })
	callerGone := false
	if err := s.start(); err == nil {
		callerGone = s.supervise()
	} else {
		s.Exit, s.NotStarted = notStarted(err), err.Error()
	}
	if callerGone {
		return nil // nobody asks for the layer
	}
	if err := os.Chdir("/"); err != nil { // in a directory that the command removed, this process would be in the way of the seal
		return err
	}
	s.Dev = s.dev
	s.DirInos = s.dirInos() // first: the seal makes the kernel forget what it had in view
	// Another thread may still change mounts if this one is confined.
	if err := onOtherThread(s.seal); err != nil {
		return err
	}
	return s.send.Encode(event{Ended: &s.ended})
}

// onOtherThread calls f in a goroutine: this one is locked to its thread. A panic of f is its error.
func onOtherThread(f func()) error {
	done := make(chan error, 1)
	panics.Go(func() { f(); done <- nil }, func(v *panics.Value) { done <- v })
	return <-done
}

func (s *supervisor) readOrders() {
	defer close(s.orders)
	for {
		var o order
		if s.receive.Decode(&o) != nil {
			return
		}
		s.orders <- o
	}
}

// isolate takes from this thread, and so from the command, what it must not have.
func (s *supervisor) isolate() error {
	leaveStreams()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	if !s.Users {
		s.Renames = s.watchRenames() == nil
		return nil
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	data[0].Inheritable, data[1].Inheritable = 0, 0
	if err := unix.Capset(&header, &data[0]); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	s.Renames = s.watchRenames() == nil
	return nil
}

// closeOnExec does what close_range does, on kernels before 5.11.
func closeOnExec() {
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		var fd int
		if _, err := fmt.Sscan(e.Name(), &fd); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

// start starts the command as execvp does, from the thread that has what the command is to have.
func (s *supervisor) start() (err error) {
	env := s.environment()
	attr := &syscall.ProcAttr{Env: env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL}}
	path, err := lookPath(s.Args[0], env)
	if err != nil {
		return err
	}
	s.command, err = syscall.ForkExec(path, s.Args, attr)
	if errors.Is(err, syscall.ENOEXEC) { // a script without a first line that says who reads it
		s.command, err = syscall.ForkExec("/bin/sh", append([]string{"sh", path}, s.Args[1:]...), attr)
	}
	if err != nil {
		return &os.PathError{Op: "exec", Path: path, Err: err}
	}
	s.reaped = make(chan reaped, 16)
	panics.Go(s.reap, func(*panics.Value) { os.Exit(125) })
	return nil
}

// environment adds what lets git use ssh: in a user namespace root's files look like nobody's, and ssh refuses the configuration
// of the system for that.
func (s *supervisor) environment() []string {
	if !s.Users || os.Geteuid() == 0 || lookup(s.Env, "GIT_SSH_COMMAND") != "" || lookup(s.Env, "GIT_SSH") != "" {
		return s.Env
	}
	config := filepath.Join(lookup(s.Env, "HOME"), ".ssh", "config")
	if _, err := os.Stat(config); err != nil {
		config = "/dev/null"
	}
	return append(slices.Clip(s.Env), "GIT_SSH_COMMAND=ssh -F '"+strings.ReplaceAll(config, "'", `'\''`)+"'")
}

func lookup(env []string, name string) (value string) {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			value = v
		}
	}
	return value
}

// lookPath finds the program as execvp does: one that may not be executed does not hide a later one.
func lookPath(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	err := syscall.ENOENT
	for dir := range strings.SplitSeq(lookup(env, "PATH"), ":") {
		path := filepath.Join(dir, name)
		if dir == "" || dir == "." {
			path = "./" + name
		}
		var st unix.Stat_t
		if unix.Stat(path, &st) != nil || st.Mode&unix.S_IFMT == unix.S_IFDIR {
			continue
		}
		if unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS) == nil && st.Mode&0o111 != 0 {
			return path, nil
		}
		err = syscall.EACCES
	}
	return "", &os.PathError{Op: "exec", Path: name, Err: err}
}

// notStarted returns the exit code of shells, env and timeout.
func notStarted(err error) int {
	if errors.Is(err, syscall.ENOENT) {
		return 127
	}
	return 126
}

// reap waits for every descendant, also those whose parents ended first.
func (s *supervisor) reap() {
	defer close(s.reaped)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return
		default:
			s.reaped <- reaped{pid, status}
		}
	}
}

// supervise waits until the command and all its descendants have ended. It ends those that stay behind.
func (s *supervisor) supervise() (callerGone bool) {
	var timer <-chan time.Time // when to go on to the next stage
	stage := running
	next := func(to stageOfEnd) {
		stage = to
		switch to {
		case waiting:
			timer = time.After(s.Grace)
		case terminating:
			s.Killed = s.endAll(unix.SIGTERM)
			timer = time.After(s.EndGrace)
		case killing:
			s.endAll(unix.SIGKILL)
			timer = time.After(50 * time.Millisecond)
		}
	}
	orders, giveUp := s.orders, time.Time{}
	for {
		select {
		case r, more := <-s.reaped:
			if !more {
				return callerGone
			}
			if r.pid == s.command {
				s.noteEnd(r.status)
				if stage == running {
					next(waiting)
				}
			}
		case sig := <-s.signals:
			s.got[sig.(syscall.Signal)] = time.Now()
		case o, more := <-orders:
			switch {
			case !more:
				callerGone, orders = true, nil
				fallthrough
			case o.End:
				if stage < terminating {
					next(terminating)
				}
			case stage == running:
				s.passOn(o.Signal)
			case stage == waiting:
				next(terminating)
			}
		case <-timer:
			switch stage {
			case waiting:
				next(terminating)
			default:
				if stage == terminating {
					giveUp = time.Now().Add(10 * time.Second)
				}
				if time.Now().After(giveUp) { // processes that the system cannot end now
					s.Left = descendants()
					return callerGone
				}
				next(killing)
			}
		}
	}
}

type stageOfEnd int

const (
	running     stageOfEnd = iota // the command runs
	waiting                       // it has ended, others run on
	terminating                   // they were asked to end
	killing
)

func (s *supervisor) noteEnd(status syscall.WaitStatus) {
	s.Exit = status.ExitStatus()
	if status.Signaled() {
		s.Signal = int(status.Signal())
		s.Exit = 128 + s.Signal
	}
}

// passOn gives the command a signal that the caller got. If the terminal or a kill sent it to the whole process group, this process
// has it as well, and the command too. To be told twice to end or to hang up does no harm; an interrupt would.
func (s *supervisor) passOn(sig syscall.Signal) {
	if sig != unix.SIGTERM && sig != unix.SIGHUP {
		const together = 50 * time.Millisecond // signals to a group come at once
		wait := time.After(together)
		for time.Since(s.got[sig]) > together {
			select {
			case got := <-s.signals:
				s.got[got.(syscall.Signal)] = time.Now()
				continue
			case <-wait:
			}
			unix.Kill(s.command, sig)
			return
		}
		return
	}
	unix.Kill(s.command, sig)
}

// endAll sends a signal to every descendant and returns them.
func (s *supervisor) endAll(sig syscall.Signal) []Process {
	all := descendants()
	for _, p := range all {
		unix.Kill(p.PID, sig)
		unix.Kill(p.PID, unix.SIGCONT)
	}
	return all
}
