package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"

	"github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/panics"
)

// Version returns the kernel's version of Landlock, or 0 if there is none.
func Version() int {
	v, err := syscall.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return v
}

// minVersion is the first version that can keep a file from being truncated.
const minVersion = 3

// Check returns an [Unsupported] error if the kernel cannot confine a command.
func Check() error {
	switch v := Version(); {
	case v == 0:
		return &Unsupported{"the kernel has no Landlock, or it is turned off"}
	case v < minVersion:
		return &Unsupported{fmt.Sprintf("Landlock of this kernel has version %d, with which a file can be emptied anywhere; Linux 6.2 has version %d", v, minVersion)}
	}
	return nil
}

const (
	writeFile = syscall.AccessFSWriteFile | syscall.AccessFSTruncate
	// writeDir is all that changes names or contents. What only reads or executes, and ioctl calls of devices, are not restricted.
	writeDir = writeFile | syscall.AccessFSRefer | syscall.AccessFSRemoveDir | syscall.AccessFSRemoveFile |
		syscall.AccessFSMakeDir | syscall.AccessFSMakeReg | syscall.AccessFSMakeSym | syscall.AccessFSMakeFifo |
		syscall.AccessFSMakeSock | syscall.AccessFSMakeChar | syscall.AccessFSMakeBlock
)

// devices may be written by everybody: they keep nothing, or are the terminal.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts"}

// Thread confines the calling thread, to which the caller has locked its goroutine, and every process that it starts from now on: they
// write below the directories, to terminals and to the likes of /dev/null, and nowhere else. A directory that does not exist is left
// out, and cannot be made later. There is no way back.
func Thread(write []string) error {
	if err := Check(); err != nil {
		return err
	}
	rules, err := syscall.LandlockCreateRuleset(&syscall.RulesetAttr{HandledAccessFS: writeDir}, 0)
	if err != nil {
		return &os.SyscallError{Syscall: "landlock_create_ruleset", Err: err}
	}
	defer unix.Close(rules)
	for _, p := range write {
		if err := allow(rules, p, writeDir); err != nil {
			return err
		}
	}
	for _, p := range devices {
		if err := allow(rules, p, writeFile); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return &os.SyscallError{Syscall: "prctl", Err: err}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules), 0, 0); errno != 0 {
		return &os.SyscallError{Syscall: "landlock_restrict_self", Err: errno}
	}
	return nil
}

// allow adds a rule for a path and all below it. A path that is no directory gets what a file can have.
func allow(rules int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= writeFile
	}
	if err := syscall.LandlockAddPathBeneathRule(rules, &syscall.PathBeneathAttr{AllowedAccess: access, ParentFd: fd}, 0); err != nil {
		return &os.PathError{Op: "landlock_add_rule", Path: path, Err: err}
	}
	return nil
}

// Start starts a command that is confined as [Thread] says. This process is not.
func Start(cmd *exec.Cmd, write []string) error {
	done := make(chan error, 1)
	panics.Go(func() {
		runtime.LockOSThread() // for good: the thread ends with this function
		err := Thread(write)
		if err == nil {
			err = cmd.Start()
		}
		done <- err
	}, func(v *panics.Value) { done <- v })
	return <-done
}
