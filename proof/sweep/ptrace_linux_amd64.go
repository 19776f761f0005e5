package sweep

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Trace runs a program to its end, with the faults. Several programs may be traced at once, each from its own goroutine. An
// error is [ErrNotHere] or means that the program could not be run at all; otherwise the result says how it ended.
func Trace(c Command, faults ...Fault) (Result, error) {
	// The kernel identifies a tracer by its thread: every request must come from the thread that started the program.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	under, err := filepath.EvalSymlinks(c.Under)
	if err != nil {
		return Result{}, err
	}
	t := &tracer{under: under, faults: faults, threads: map[int]*thread{}}
	t.result.Exit = -1
	out, err := newCapture()
	if err != nil {
		return Result{}, err
	}
	defer out.close()
	if err := t.start(c, out); err != nil {
		return Result{}, err
	}
	limit := c.Limit
	if limit == 0 {
		limit = time.Minute
	}
	stuck := time.AfterFunc(limit, func() { syscall.Kill(t.pid, syscall.SIGKILL) })
	err = t.follow()
	t.result.Hung = !stuck.Stop()
	t.result.Out, t.result.ErrText = out.read()
	return t.result, err
}

// tracer follows one program and all its threads.
type tracer struct {
	under   string
	faults  []Fault
	pid     int
	threads map[int]*thread
	doomed  bool // SIGKILL is pending: let every stop continue
	forever syscall.Errno
	result  Result
}

// thread is the state of one thread between two stops.
type thread struct {
	call   int // number of the current call, or 0 if it does not count
	after  Do
	answer syscall.Errno // returned by the call instead of its result
}

// options make the kernel follow threads and children, mark the stops of calls, and kill the program when this process ends.
const options = unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
	unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_EXITKILL

// start runs the program up to its first instruction.
func (t *tracer) start(c Command, out *capture) error {
	pid, err := syscall.ForkExec(c.Path, append([]string{c.Path}, c.Args...), &syscall.ProcAttr{
		Dir: c.Dir, Env: c.Env, Files: out.files(),
		// A process group of its own, so that waiting for it does not reap other children.
		Sys: &syscall.SysProcAttr{Ptrace: true, Setpgid: true},
	})
	if err == syscall.EPERM || err == syscall.ENOSYS {
		return fmt.Errorf("%w: %w", ErrNotHere, err)
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", c.Path, err)
	}
	t.pid = pid
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		return fmt.Errorf("wait for %s: %w", c.Path, err)
	}
	if !status.Stopped() {
		return fmt.Errorf("%w: the program did not stop (%#x)", ErrNotHere, int(status))
	}
	t.threads[pid] = &thread{}
	if err := syscall.PtraceSetOptions(pid, options); err != nil {
		syscall.Kill(pid, syscall.SIGKILL)
		return fmt.Errorf("%w: %w", ErrNotHere, err)
	}
	return resume(pid, 0)
}

// follow handles every stop until the program has ended. After an error it kills the program.
func (t *tracer) follow() error {
	var first error
	for {
		var status syscall.WaitStatus
		tid, err := syscall.Wait4(-t.pid, &status, unix.WALL|unix.WNOTHREAD, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.ECHILD:
			return first
		case err != nil:
			return fmt.Errorf("wait: %w", err)
		case !status.Stopped():
			t.ended(tid, status)
			continue
		}
		if err := t.stopped(tid, status); err != nil && first == nil {
			first, t.doomed = err, true
			syscall.Kill(t.pid, syscall.SIGKILL)
			resume(tid, 0)
		}
	}
}

func (t *tracer) ended(tid int, status syscall.WaitStatus) {
	delete(t.threads, tid)
	if tid != t.pid {
		return
	}
	if status.Signaled() {
		t.result.Signal = status.Signal()
	} else {
		t.result.Exit = status.ExitStatus()
	}
}

const callStop = syscall.SIGTRAP | 0x80

// stopped handles one stop of one thread and resumes it.
func (t *tracer) stopped(tid int, status syscall.WaitStatus) error {
	th, known := t.threads[tid]
	if !known {
		th = &thread{}
		t.threads[tid] = th
	}
	signal := status.StopSignal()
	switch {
	case signal == callStop:
		if err := t.atCall(tid, th); err != nil {
			return err
		}
		signal = 0
	case signal == syscall.SIGTRAP: // a thread or child was created
		signal = 0
	case signal == syscall.SIGSTOP && !known: // a new thread begins with it
		signal = 0
	}
	return resume(tid, signal)
}

// resume runs a thread to its next stop. A thread that was killed meanwhile is no error.
func resume(tid int, signal syscall.Signal) error {
	err := syscall.PtraceSyscall(tid, int(signal))
	if err == syscall.ESRCH {
		return nil
	}
	return err
}

// callInfo is the kernel's struct ptrace_syscall_info.
type callInfo struct {
	Op     uint8
	_      [3]byte
	Arch   uint32
	IP, SP uint64
	Values [7]uint64 // at entry the number and six arguments; at exit the result
	_      uint64
}

const (
	getCallInfo = 0x420e // PTRACE_GET_SYSCALL_INFO
	opEntry     = 1
	opExit      = 2
)

// atCall handles the entry or the exit of a system call.
func (t *tracer) atCall(tid int, th *thread) error {
	var info callInfo
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, getCallInfo, uintptr(tid), unsafe.Sizeof(info),
		uintptr(unsafe.Pointer(&info)), 0, 0)
	switch {
	case errno == syscall.ESRCH || t.doomed:
		return nil
	case errno != 0:
		return fmt.Errorf("%w: %w", ErrNotHere, errno)
	case info.Op == opEntry:
		return t.begins(tid, th, info.Values[0], info.Values[1:])
	case info.Op == opExit && th.call != 0:
		return t.ends(tid, th, int64(info.Values[0]))
	}
	return nil
}

// begins counts a call and runs the faults that come before it.
func (t *tracer) begins(tid int, th *thread, nr uint64, args []uint64) error {
	call, counts := callOf(tid, nr, args, t.under)
	*th = thread{}
	if !counts {
		return nil
	}
	t.result.Calls = append(t.result.Calls, call)
	th.call = len(t.result.Calls)
	for _, f := range t.faults {
		if f.At == th.call {
			t.result.Fired++
			if f.Forever {
				t.forever = f.Errno
			}
			if err := t.happen(tid, th, f); err != nil {
				return err
			}
		}
	}
	if t.forever != 0 && th.answer == 0 && !t.doomed {
		return t.fail(tid, th, t.forever)
	}
	return nil
}

func (t *tracer) happen(tid int, th *thread, f Fault) error {
	switch f.Do {
	case KillBefore:
		// The kernel skips the call of a thread that is being killed. Removing its number makes sure of it.
		if err := poke(tid, registerCall, noCall); err != nil {
			return err
		}
		t.kill()
	case Fail:
		return t.fail(tid, th, f.Errno)
	case Meanwhile:
		f.Run()
	case KillAfter:
		th.after = KillAfter
	case FailAfter:
		th.after, th.answer = FailAfter, f.Errno
	}
	return nil
}

// fail removes the call's number, so that the kernel does nothing, and stores the error for its exit.
func (t *tracer) fail(tid int, th *thread, errno syscall.Errno) error {
	th.answer = errno
	return poke(tid, registerCall, noCall)
}

// ends records how a call ended and runs the faults that come after it.
func (t *tracer) ends(tid int, th *thread, result int64) error {
	c := &t.result.Calls[th.call-1]
	defer func() { *th = thread{} }()
	if th.after == KillAfter {
		c.Made = true
		t.kill()
		return nil
	}
	if th.answer != 0 {
		c.Err, c.Made = th.answer, th.after == FailAfter
		return poke(tid, registerResult, uintptr(-int64(th.answer)))
	}
	c.Made = true
	if result < 0 {
		c.Err = syscall.Errno(-result)
	}
	return nil
}

func (t *tracer) kill() {
	t.doomed, t.result.Killed = true, true
	syscall.Kill(t.pid, syscall.SIGKILL)
}

// Offsets of the registers for ptrace on amd64: the number of a call and its result.
const (
	registerCall   = 15 * 8
	registerResult = 10 * 8
	noCall         = ^uintptr(0)
)

func poke(tid int, register, value uintptr) error {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, syscall.PTRACE_POKEUSR, uintptr(tid), register, value, 0, 0)
	if errno == 0 || errno == syscall.ESRCH {
		return nil
	}
	return fmt.Errorf("set register %d: %w", register/8, errno)
}

// capture stores the output of a program.
type capture struct{ null, out, err *os.File }

func newCapture() (*capture, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	c := &capture{null: null}
	for _, f := range []**os.File{&c.out, &c.err} {
		fd, err := unix.MemfdCreate("said", unix.MFD_CLOEXEC)
		if err != nil {
			c.close()
			return nil, err
		}
		*f = os.NewFile(uintptr(fd), "said")
	}
	return c, nil
}

func (c *capture) files() []uintptr { return []uintptr{c.null.Fd(), c.out.Fd(), c.err.Fd()} }

func (c *capture) read() (out, errText string) {
	var said [2]string
	for i, f := range []*os.File{c.out, c.err} {
		b, _ := io.ReadAll(io.NewSectionReader(f, 0, 1<<24))
		said[i] = string(b)
	}
	return said[0], said[1]
}

func (c *capture) close() {
	for _, f := range []*os.File{c.null, c.out, c.err} {
		if f != nil {
			f.Close()
		}
	}
}
