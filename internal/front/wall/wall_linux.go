package wall

import (
	"fmt"
	"os"
	"slices"

	"github.com/landlock-lsm/go-landlock/landlock"
	abi "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Expected: a system of this kind has it, if it is not too old.
const Expected = true

// least is the version of Landlock that lets files move between directories; the one before it forbids that always.
const least = 2

// Version is the version of Landlock that the kernel has, and 0 when it has none that helps here.
func Version() int {
	if v, err := abi.LandlockGetABIVersion(); err == nil && v >= least {
		return v
	}
	return 0
}

// Up shuts the process in: write lists the directories below which it may do everything but run programs, read the files and the directories
// below which it may read. What does not exist is left out, and stays shut when it is made later; a file is known by its
// inode, so that what takes its name later is shut out too. It cannot be taken back. Where the kernel has no Landlock
// nothing happens and up is false.
func Up(write, read []string) (up bool, err error) {
	if Version() == 0 {
		return false, nil
	}
	err = landlock.V5.BestEffort().RestrictPaths(
		landlock.PathAccess(everything, there(write)...).IgnoreIfMissing(),
		landlock.PathAccess(readFile, there(read, system)...).IgnoreIfMissing(),
		landlock.RWFiles(there([]string{"/dev/null"})...).IgnoreIfMissing(),
	)
	if err != nil {
		return false, fmt.Errorf("landlock: %w", err)
	}
	return true, nil
}

// there are the paths that lead anywhere: what does not would be an error.
func there(lists ...[]string) (out []string) {
	for _, path := range slices.Concat(lists...) {
		if _, err := os.Stat(path); err == nil {
			out = append(out, path)
		}
	}
	return out
}

const (
	readFile = abi.AccessFSReadFile
	// everything but to execute, and to control devices. What is special is never made, but it may have to be moved back
	// where a person put it while a commit was under way.
	everything = readFile | abi.AccessFSReadDir | abi.AccessFSWriteFile | abi.AccessFSTruncate | abi.AccessFSRefer |
		abi.AccessFSRemoveDir | abi.AccessFSRemoveFile | abi.AccessFSMakeDir | abi.AccessFSMakeReg | abi.AccessFSMakeSym |
		abi.AccessFSMakeChar | abi.AccessFSMakeBlock | abi.AccessFSMakeSock | abi.AccessFSMakeFifo
)

// system is what the program and its libraries read of the system while it runs: which mounts there are, whether a file
// system has its journal, the names of users, the time zone.
var system = []string{"/proc", "/sys/fs/ext4", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts",
	"/etc/resolv.conf", "/etc/localtime", "/usr/share/zoneinfo", "/etc/gitconfig"}
