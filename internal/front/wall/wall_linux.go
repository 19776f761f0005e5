package wall

import (
	"fmt"
	"os"
	"slices"

	"github.com/emend-dev/emend/internal/confine"
	"github.com/landlock-lsm/go-landlock/landlock"
	abi "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Expected is true where the kernel has Landlock unless it is too old.
const Expected = true

// minVersion is the first version of Landlock that allows moves between directories at all.
const minVersion = 2

// Version returns the kernel's version of Landlock, or 0 if there is none that [Up] can use.
func Version() int {
	if v := confine.Version(); v >= minVersion {
		return v
	}
	return 0
}

// The versions from which Up restricts more than files.
const (
	tcpVersion   = 4  // binding to a port and connecting to one, except by multipath TCP
	scopeVersion = 7  // signals and abstract sockets. Version 6 also forbids signals between threads, which Go's scheduler sends
	unixVersion  = 9  // connecting to a socket in a directory
	udpVersion   = 10 // binding and sending
)

// Scope lists what Up restricts on this kernel.
func Scope() (out []string) {
	for _, s := range []struct {
		from int
		what string
	}{{minVersion, "files"}, {tcpVersion, "tcp"}, {scopeVersion, "signals"}, {unixVersion, "unix sockets"}, {udpVersion, "udp"}} {
		if Version() >= s.from {
			out = append(out, s.what)
		}
	}
	return out
}

// Up confines the process for good. Below the directories in write it may do everything except run programs. It may
// read the files in read, and the files below the directories in read. It may accept connections at the ports where it
// listens, and opens no port and no connection any more. A path that does not exist is left out, and
// stays inaccessible even if it is made later. Landlock knows files by inode, so a file that takes the name of
// another is inaccessible too. If the kernel has no Landlock, Up does nothing and up is false.
func Up(write, read []string) (up bool, err error) {
	if Version() == 0 {
		return false, nil
	}
	all := landlock.V11.BestEffort()
	if Version() < scopeVersion {
		all.Scoped = 0
	}
	err = all.Restrict(
		landlock.PathAccess(everything, existing(write)...).IgnoreIfMissing(),
		landlock.PathAccess(readFile, existing(read, system)...).IgnoreIfMissing(),
		landlock.RWFiles(existing([]string{"/dev/null"})...).IgnoreIfMissing(),
	)
	if err != nil {
		return false, fmt.Errorf("landlock: %w", err)
	}
	return true, nil
}

// existing returns the paths that exist, since Landlock refuses the others.
func existing(lists ...[]string) (out []string) {
	for _, path := range slices.Concat(lists...) {
		if _, err := os.Stat(path); err == nil {
			out = append(out, path)
		}
	}
	return out
}

const (
	readFile = abi.AccessFSReadFile
	// everything except to execute and to control devices. The server never makes special files, but it may have to
	// move one back that a person put in its way during a commit.
	everything = readFile | abi.AccessFSReadDir | abi.AccessFSWriteFile | abi.AccessFSTruncate | abi.AccessFSRefer |
		abi.AccessFSRemoveDir | abi.AccessFSRemoveFile | abi.AccessFSMakeDir | abi.AccessFSMakeReg | abi.AccessFSMakeSym |
		abi.AccessFSMakeChar | abi.AccessFSMakeBlock | abi.AccessFSMakeSock | abi.AccessFSMakeFifo
)

// system lists what the program and its libraries read while it runs: mounts, the journal of a file system, users,
// the time zone.
var system = []string{"/proc", "/sys/fs/ext4", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts",
	"/etc/resolv.conf", "/etc/localtime", "/usr/share/zoneinfo", "/etc/gitconfig"}
