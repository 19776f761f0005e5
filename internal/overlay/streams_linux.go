package overlay

import (
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// A shell hands its programs more than three streams: cat <(sort a) reads a pipe by its number, and so does make that of its job server.
// The command gets those pipes, sockets and terminals, by the numbers that they have here. It does not get files and directories: what it
// does by them would not go to the layer.

// streams returns the numbers from 3 on of the streams that a program which is started gets.
func streams() []int {
	entries, _ := os.ReadDir("/proc/self/fd")
	var out []int
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd < 3 {
			continue
		}
		var is unix.Stat_t
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC != 0 || unix.Fstat(fd, &is) != nil {
			continue
		}
		switch is.Mode & unix.S_IFMT {
		case unix.S_IFIFO, unix.S_IFSOCK, unix.S_IFCHR:
			out = append(out, fd)
		}
	}
	return out
}

// passed are the files that the supervisor gets from number 3 on.
type passed struct {
	all    []*os.File
	copies []*os.File
}

func (p *passed) close() {
	for _, f := range p.copies {
		f.Close()
	}
}

// besideStreams puts the connection of the supervisor, and the file that it holds, where no stream has its number. at is the number of
// the connection.
func besideStreams(conn, hold *os.File) (p passed, at int, err error) {
	taken := streams()
	more := []*os.File{conn}
	if hold != nil {
		more = append(more, hold)
	}
	for fd := 3; len(more) > 0; fd++ {
		f := more[0]
		if slices.Contains(taken, fd) {
			same, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
			if err != nil {
				p.close()
				return p, 0, err
			}
			f = os.NewFile(uintptr(same), "stream")
			p.copies = append(p.copies, f)
		} else {
			if f == conn {
				at = fd
			}
			more = more[1:]
		}
		p.all = append(p.all, f)
	}
	return p, at, nil
}

// leaveStreams has the programs that this thread starts get the streams, and nothing else from number 3 on.
func leaveStreams() {
	given := streams()
	if err := unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		closeOnExec()
	}
	for _, fd := range given {
		unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0) //nolint:errcheck // it was open just now
	}
}
