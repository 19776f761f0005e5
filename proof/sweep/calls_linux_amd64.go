package sweep

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// form says which arguments of a system call name the files that it changes.
type form struct {
	name string
	what []place
	when func(tid int, args []uint64) bool // nil: always
}

// place is an argument that names a file.
type place struct {
	kind placeKind
	arg  int
}

type placeKind uint8

const (
	byFD   placeKind = iota // a descriptor
	byName                  // a path, relative to the working directory
	byAt                    // a directory's descriptor and, in the next argument, a path relative to it
)

// forms lists the system calls that change files. Reading, and opening for reading, is not among them.
var forms = map[uint64]form{
	unix.SYS_OPEN:    {"open", at(byName, 0), func(_ int, a []uint64) bool { return makes(a[1]) }},
	unix.SYS_CREAT:   {"creat", at(byName, 0), nil},
	unix.SYS_OPENAT:  {"openat", at(byAt, 0), func(_ int, a []uint64) bool { return makes(a[2]) }},
	unix.SYS_OPENAT2: {"openat2", at(byAt, 0), func(tid int, a []uint64) bool { return makes(how(tid, a[2])) }},

	unix.SYS_WRITE:           {"write", at(byFD, 0), nil},
	unix.SYS_PWRITE64:        {"pwrite64", at(byFD, 0), nil},
	unix.SYS_WRITEV:          {"writev", at(byFD, 0), nil},
	unix.SYS_PWRITEV:         {"pwritev", at(byFD, 0), nil},
	unix.SYS_PWRITEV2:        {"pwritev2", at(byFD, 0), nil},
	unix.SYS_SENDFILE:        {"sendfile", at(byFD, 0), nil},
	unix.SYS_SPLICE:          {"splice", at(byFD, 2), nil},
	unix.SYS_COPY_FILE_RANGE: {"copy_file_range", at(byFD, 2), nil},
	unix.SYS_FALLOCATE:       {"fallocate", at(byFD, 0), nil},
	unix.SYS_FTRUNCATE:       {"ftruncate", at(byFD, 0), nil},
	unix.SYS_TRUNCATE:        {"truncate", at(byName, 0), nil},

	unix.SYS_FSYNC:           {"fsync", at(byFD, 0), nil},
	unix.SYS_FDATASYNC:       {"fdatasync", at(byFD, 0), nil},
	unix.SYS_SYNC_FILE_RANGE: {"sync_file_range", at(byFD, 0), nil},
	unix.SYS_SYNCFS:          {"syncfs", at(byFD, 0), nil},

	unix.SYS_MKDIR:     {"mkdir", at(byName, 0), nil},
	unix.SYS_MKDIRAT:   {"mkdirat", at(byAt, 0), nil},
	unix.SYS_MKNODAT:   {"mknodat", at(byAt, 0), nil},
	unix.SYS_RENAME:    {"rename", []place{{byName, 0}, {byName, 1}}, nil},
	unix.SYS_RENAMEAT:  {"renameat", []place{{byAt, 0}, {byAt, 2}}, nil},
	unix.SYS_RENAMEAT2: {"renameat2", []place{{byAt, 0}, {byAt, 2}}, nil},
	unix.SYS_LINK:      {"link", []place{{byName, 0}, {byName, 1}}, nil},
	unix.SYS_LINKAT:    {"linkat", []place{{byAt, 0}, {byAt, 2}}, nil},
	unix.SYS_SYMLINK:   {"symlink", at(byName, 1), nil},
	unix.SYS_SYMLINKAT: {"symlinkat", at(byAt, 1), nil},
	unix.SYS_UNLINK:    {"unlink", at(byName, 0), nil},
	unix.SYS_UNLINKAT:  {"unlinkat", at(byAt, 0), nil},
	unix.SYS_RMDIR:     {"rmdir", at(byName, 0), nil},

	unix.SYS_CHMOD:        {"chmod", at(byName, 0), nil},
	unix.SYS_FCHMOD:       {"fchmod", at(byFD, 0), nil},
	unix.SYS_FCHMODAT:     {"fchmodat", at(byAt, 0), nil},
	unix.SYS_FCHMODAT2:    {"fchmodat2", at(byAt, 0), nil},
	unix.SYS_CHOWN:        {"chown", at(byName, 0), nil},
	unix.SYS_LCHOWN:       {"lchown", at(byName, 0), nil},
	unix.SYS_FCHOWN:       {"fchown", at(byFD, 0), nil},
	unix.SYS_FCHOWNAT:     {"fchownat", at(byAt, 0), nil},
	unix.SYS_SETXATTR:     {"setxattr", at(byName, 0), nil},
	unix.SYS_LSETXATTR:    {"lsetxattr", at(byName, 0), nil},
	unix.SYS_FSETXATTR:    {"fsetxattr", at(byFD, 0), nil},
	unix.SYS_REMOVEXATTR:  {"removexattr", at(byName, 0), nil},
	unix.SYS_LREMOVEXATTR: {"lremovexattr", at(byName, 0), nil},
	unix.SYS_FREMOVEXATTR: {"fremovexattr", at(byFD, 0), nil},
	unix.SYS_UTIMENSAT:    {"utimensat", at(byAt, 0), nil},
	unix.SYS_FLOCK:        {"flock", at(byFD, 0), nil},
	unix.SYS_IOCTL:        {"ioctl", at(byFD, 0), func(_ int, a []uint64) bool { return uint32(a[1]) == unix.FICLONE }},
}

func at(k placeKind, arg int) []place { return []place{{k, arg}} }

func makes(flags uint64) bool { return flags&(unix.O_CREAT|unix.O_TRUNC) != 0 }

// how reads the flags of openat2.
func how(tid int, addr uint64) uint64 {
	var b [8]byte
	if peek(tid, addr, b[:]) != len(b) {
		return 0
	}
	return binary.NativeEndian.Uint64(b[:])
}

// callOf returns the call that a thread is about to make, if it changes something below the directory under.
func callOf(tid int, nr uint64, args []uint64, under string) (Call, bool) {
	f, ok := forms[nr]
	if !ok || f.when != nil && !f.when(tid, args) {
		return Call{}, false
	}
	c, counts := Call{Name: f.name}, false
	for i, p := range f.what {
		name, inside := below(p.path(tid, args), under)
		counts = counts || inside
		if i == 0 {
			c.Path = name
		} else {
			c.To = name
		}
	}
	return c, counts
}

// below makes a path relative to under, and reports whether it is below it.
func below(name, under string) (string, bool) {
	rest, ok := strings.CutPrefix(name, under)
	if !ok || rest != "" && rest[0] != '/' {
		return name, false
	}
	return "." + rest, true
}

// path returns the file that an argument names.
func (p place) path(tid int, args []uint64) string {
	switch p.kind {
	case byFD:
		return descriptor(tid, args[p.arg])
	case byName:
		return join(descriptor(tid, atCWD), text(tid, args[p.arg]))
	default:
		return join(descriptor(tid, args[p.arg]), text(tid, args[p.arg+1]))
	}
}

// join joins a directory and a path. An empty path names the directory itself.
func join(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

const atCWD = 0xffffff9c // AT_FDCWD in the lower half of a register, where the kernel reads it

// descriptor returns the path of an open file, or text like pipe:[1].
func descriptor(tid int, fd uint64) string {
	link := fmt.Sprintf("/proc/%d/fd/%d", tid, uint32(fd))
	if uint32(fd) == atCWD {
		link = fmt.Sprintf("/proc/%d/cwd", tid)
	}
	name, err := os.Readlink(link)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(name, " (deleted)")
}

// text reads a string from the traced program, up to the length of the longest path.
func text(tid int, addr uint64) string {
	var out []byte
	for addr != 0 && len(out) < unix.PathMax {
		page := make([]byte, 4096-addr%4096) // the next page may not be mapped
		n := peek(tid, addr, page)
		s, _, found := strings.Cut(string(page[:n]), "\x00")
		out = append(out, s...)
		if found || n < len(page) {
			break
		}
		addr += uint64(n)
	}
	return string(out)
}

// peek reads memory of the traced program and returns how many bytes it could read.
func peek(tid int, addr uint64, into []byte) int {
	local := []unix.Iovec{{Base: &into[0], Len: uint64(len(into))}}
	n, err := unix.ProcessVMReadv(tid, local, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(into)}}, 0)
	if err != nil {
		return 0
	}
	return n
}
