//go:build amd64 || arm64

package overlay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/panics"
)

// supervisorName is what a supervisor has as its first argument.
const supervisorName = "emend-overlay"

// supervised says that this program calls Supervise, so that it can be executed again as a supervisor.
var supervised atomic.Bool

// setup is the first message to the supervisor.
type setup struct {
	Root, Dir, Cwd  string
	Args, Env       []string
	Grace, EndGrace time.Duration
	Users           bool   // it is in a user namespace
	Xattr           string // "user." or "trusted."
	Confine         bool
	Writable        []string
}

// order is every later message to the supervisor.
type order struct {
	Go     bool           `json:",omitempty"` // start the command
	Signal syscall.Signal `json:",omitempty"` // the caller got this signal
	End    bool           `json:",omitempty"` // end the command
}

// event is a message of the supervisor.
type event struct {
	Ready       bool         `json:",omitempty"` // the overlay is there, and the command not yet
	Unsupported *Unsupported `json:",omitempty"`
	Errno       int          `json:",omitempty"` // of Unsupported
	Failed      string       `json:",omitempty"` // the supervisor cannot go on
	Ended       *ended       `json:",omitempty"`
}

// ended is the last message of the supervisor.
type ended struct {
	Exit, Signal int
	NotStarted   string
	Killed       []Process
	Left         []Process
	Sealed       bool
	Dev          uint64 // the device number of the overlay
	Renames      bool
	DirInos      map[string]uint64
}

// Run runs a command in an overlay and returns its layer when the command and all processes that it left behind have ended. The
// terminal, signals and the streams are the command's: it is in the process group of the caller, and a signal that the caller
// gets is passed on, unless the whole group got it. If ctx ends, the command is ended.
//
// An [Unsupported] error means that nothing was run. With any other error the layer is not nil if the command was started; it is
// not usable then.
func Run(ctx context.Context, o Options) (*Layer, error) {
	if !supervised.Load() {
		return nil, errors.New("overlay.Run: the program does not call overlay.Supervise")
	}
	if len(o.Args) == 0 {
		return nil, errors.New("overlay.Run: no command")
	}
	return start(ctx, &run{o: o})
}

// Probe reports, as an [Unsupported] error, why a run with these options could not have an overlay. It sets one up, runs nothing in
// it, and leaves nothing.
func Probe(o Options) error {
	if !supervised.Load() {
		return errors.New("overlay.Probe: the program does not call overlay.Supervise")
	}
	_, err := start(context.Background(), &run{o: o, probe: true})
	return err
}

func start(ctx context.Context, r *run) (*Layer, error) {
	if err := r.resolve(); err != nil {
		return nil, err
	}
	l, err := r.run(ctx)
	if l == nil {
		r.layer.removeFiles()
		if r.made {
			os.Remove(r.o.Dir)
		}
	}
	return l, err
}

// run is one call of Run.
type run struct {
	o      Options
	made   bool // the directory of the layer was made here
	layer  Layer
	mounts bool // root: a mount namespace is enough
	probe  bool // end before the command is started
}

// resolve checks the directories and makes that of the layer.
func (r *run) resolve() (err error) {
	o := &r.o
	o.Grace, o.EndGrace, o.OwnerSearch = orElse(o.Grace, 2*time.Second), orElse(o.EndGrace, 2*time.Second), orElse(o.OwnerSearch, 8*time.Millisecond)
	if o.Root, err = real(o.Root); err != nil {
		return err
	}
	if o.Cwd == "" {
		o.Cwd = o.Root
	}
	cwd, err := real(o.Cwd)
	if err != nil {
		return err
	}
	if !below(cwd, o.Root) {
		return fmt.Errorf("%s is not below %s", o.Cwd, o.Root)
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return err
	}
	switch err := os.Mkdir(o.Dir, 0o700); {
	case err == nil:
		r.made = true
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	if o.Dir, err = real(o.Dir); err != nil {
		return err
	}
	names, err := os.ReadDir(o.Dir)
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("%s is not empty", o.Dir)
	}
	return err
}

func real(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

func orElse(d, other time.Duration) time.Duration {
	if d == 0 {
		return other
	}
	return d
}

// run returns no layer if the command was not started.
func (r *run) run(ctx context.Context) (*Layer, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	// From here on the terminal's signals end the command, not this process.
	signals := catchSignals()
	defer signal.Stop(signals)
	conn, child, err := r.startSupervisor()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	send, receive := json.NewEncoder(conn), json.NewDecoder(conn)
	wait := func() error { conn.Close(); return child.Wait() }
	if err := r.begin(send, receive); err != nil {
		wait()
		return nil, err
	}
	if r.probe {
		wait()
		return nil, nil
	}
	r.layer.Began = time.Now()
	if err := r.layer.writeInfo(); err != nil {
		wait()
		return nil, err
	}
	if err := send.Encode(order{Go: true}); err != nil {
		wait()
		return nil, fmt.Errorf("the supervisor ended: %w", err)
	}
	e, err := follow(ctx, send, receive, signals)
	werr := wait()
	if err != nil || e.Ended == nil {
		return &r.layer, errors.Join(errors.New("the supervisor of the command ended before the command; the layer is not complete"), err, werr)
	}
	r.finish(e.Ended)
	return &r.layer, errors.Join(ctx.Err(), r.layer.writeInfo())
}

// begin sends the set-up, waits until the overlay is there, and for the search for other owners.
func (r *run) begin(send *json.Encoder, receive *json.Decoder) error {
	s := setup{r.o.Root, r.o.Dir, r.o.Cwd, r.o.Args, r.o.Env, r.o.Grace, r.o.EndGrace, !r.mounts, r.layer.Xattr, r.o.Confine, r.o.Writable}
	owners := make(chan error, 1)
	if r.mounts {
		owners <- nil
	} else {
		stop := time.Now().Add(r.o.OwnerSearch)
		panics.Go(func() { owners <- findForeign(r.o.Root, r.o.Dir, stop) }, func(p *panics.Value) { owners <- p })
	}
	var e event
	err := send.Encode(s)
	if err == nil {
		err = receive.Decode(&e)
	}
	foreign := <-owners
	switch {
	case err != nil:
		return fmt.Errorf("the supervisor ended before the command was started: %w", err)
	case e.Unsupported != nil:
		if e.Errno != 0 {
			e.Unsupported.Err = syscall.Errno(e.Errno)
		}
		return e.Unsupported
	case !e.Ready:
		return errors.New(e.Failed)
	}
	return foreign
}

// passedOn are the signals that the command gets too if the caller gets them.
var passedOn = []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2}

// catchSignals catches them, but for those that this process was started to ignore: the command ignores them too then.
func catchSignals() chan os.Signal {
	c := make(chan os.Signal, 16)
	caught := slices.DeleteFunc(slices.Clone(passedOn), signal.Ignored)
	signal.Notify(c, caught...)
	return c
}

// follow passes signals on until the supervisor says that all is over.
func follow(ctx context.Context, send *json.Encoder, receive *json.Decoder, signals chan os.Signal) (event, error) {
	type last struct {
		event
		error
	}
	over := make(chan last, 1)
	panics.Go(func() {
		var l last
		l.error = receive.Decode(&l.event)
		over <- l
	}, func(p *panics.Value) { over <- last{error: p} })
	done := ctx.Done()
	for {
		select {
		case s := <-signals:
			send.Encode(order{Signal: s.(syscall.Signal)})
		case <-done:
			done = nil
			send.Encode(order{End: true})
		case l := <-over:
			return l.event, l.error
		}
	}
}

// startSupervisor executes this program again, in namespaces of its own.
func (r *run) startSupervisor() (net.Conn, *exec.Cmd, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "supervisor"), os.NewFile(uintptr(fds[1]), "caller")
	defer ours.Close()
	defer theirs.Close()
	files, at, err := besideStreams(theirs, r.o.Hold)
	if err != nil {
		return nil, nil, err
	}
	child := &exec.Cmd{Path: "/proc/self/exe", Args: []string{supervisorName, strconv.Itoa(at)}, ExtraFiles: files.all}
	defer files.close()
	// An interface that holds a nil *os.File is not nil.
	if r.o.Stdin != nil {
		child.Stdin = r.o.Stdin
	}
	if r.o.Stdout != nil {
		child.Stdout = r.o.Stdout
	}
	if r.o.Stderr != nil {
		child.Stderr = r.o.Stderr
	}
	child.SysProcAttr = r.namespaces()
	if err := child.Start(); err != nil {
		if r.mounts {
			return nil, nil, &Unsupported{Reason: "the system does not let root make a mount namespace", Err: bare(err)}
		}
		return nil, nil, noNamespace(err)
	}
	conn, err := net.FileConn(ours)
	if err != nil {
		child.Process.Kill()
		child.Wait()
	}
	return conn, child, err
}

// namespaces returns the namespaces of the supervisor. As a user, it maps the user to itself and has the capabilities to mount,
// to work on any file of the user, and to read the arguments of system calls of the command. The command has none of them.
func (r *run) namespaces() *syscall.SysProcAttr {
	if r.mounts {
		return &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	}
	uid, gid := os.Geteuid(), os.Getegid()
	return &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_SYS_PTRACE},
	}
}

// finish takes over what the supervisor says at the end.
func (r *run) finish(e *ended) {
	l := &r.layer
	l.Ended, l.Exit, l.Signal, l.NotStarted = time.Now(), e.Exit, e.Signal, e.NotStarted
	l.Killed, l.Sealed, l.Renames, l.DirInos = e.Killed, e.Sealed, e.Renames, e.DirInos
	if !l.Sealed {
		l.Writers = append(e.Left, findWriters(e.Dev)...)
	}
}

// prepare makes the directories of the layer and notes the time from which on changes by others count.
func (r *run) prepare() error {
	o := &r.o
	r.layer = Layer{Dir: o.Dir, Info: Info{Version: 1, Root: o.Root, Cwd: o.Cwd, Args: o.Args, Boot: bootID(), Xattr: r.layer.Xattr}}
	l := &r.layer
	for _, name := range []string{upperName, workName} {
		if err := os.Mkdir(filepath.Join(o.Dir, name), 0o700); err != nil {
			return err
		}
	}
	if err := copyDirAttributes(l.upper(), o.Root); err != nil {
		return err
	}
	var err error
	if l.T0, err = startTime(filepath.Join(o.Dir, markerName)); err != nil {
		return err
	}
	l.Clock = bootTime()
	var st unix.Stat_t
	if err := unix.Stat(o.Root, &st); err != nil {
		return err
	}
	l.RootDev, l.RootIno = uint64(st.Dev), st.Ino
	return nil
}

// copyDirAttributes gives the top of the layer what the root has: the command sees those of the layer.
func copyDirAttributes(upper, root string) error {
	var st unix.Stat_t
	if err := unix.Stat(root, &st); err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(upper, int(st.Uid), int(st.Gid)); err != nil {
			return err
		}
	}
	copyXattrs(root, upper)
	return unix.Chmod(upper, st.Mode&0o7777)
}

// startTime makes a file and returns a time of change that every later change of a file on this machine reaches or passes, and that
// the file did not have when it was looked at first. The look matters: from Linux 6.13 on it makes the kernel give the next
// change a time of its own; before, several changes share the time of one tick.
func startTime(path string) (int64, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	first, err := changeTime(f)
	if err != nil {
		return 0, err
	}
	for range 1000 {
		if err := unix.Futimes(int(f.Fd()), nil); err != nil {
			return 0, err
		}
		if t, err := changeTime(f); err != nil || t != first {
			return t, err
		}
		time.Sleep(200 * time.Microsecond)
	}
	return 0, fmt.Errorf("%s: the clock of the file system does not go on", path)
}

func changeTime(f *os.File) (int64, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return 0, err
	}
	return st.Ctim.Nano(), nil
}

// bootTime returns when the machine was started, by its clock. It changes only if somebody sets the clock.
func bootTime() int64 {
	best, least := int64(0), int64(1<<62)
	for range 3 {
		var a, wall, b unix.Timespec
		unix.ClockGettime(unix.CLOCK_BOOTTIME, &a)
		unix.ClockGettime(unix.CLOCK_REALTIME, &wall)
		unix.ClockGettime(unix.CLOCK_BOOTTIME, &b)
		if between := b.Nano() - a.Nano(); between < least {
			best, least = wall.Nano()-a.Nano(), between
		}
	}
	return best
}

// bare returns the system's error without what it was for.
func bare(err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	return err
}
