//go:build amd64 || arm64

package overlay

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/panics"
)

// An overlay without redirects answers EXDEV to the rename of a directory that is not in the layer alone. mv copies then, but
// "git mv", rename(2) of a script and many others fail. So the supervisor is asked before each rename, by a seccomp filter. If
// it is a rename of such a directory, it copies the directory within the overlay, puts the copy in its place, and lets the call
// go on: it finds a directory of the layer. All other calls go on at once.
//
// While a directory is copied, others may see it half there. Who has a file in it open keeps the old one. Calls by io_uring
// are not seen.

type notification struct {
	id         uint64
	pid, flags uint32
	nr         int32
	arch       uint32
	ip         uint64
	args       [6]uint64
}

type response struct {
	id    uint64
	val   int64
	err   int32
	flags uint32
}

// watchRenames sets the filter on this thread and on what it starts, and answers from other threads, which do not have it.
func (s *supervisor) watchRenames() error {
	program := renameFilter()
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	// With the second flag a signal does not interrupt a call that is being looked at; Linux 5.19.
	flags := uintptr(unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	if errno == unix.EINVAL {
		fd, _, errno = unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&prog)))
	}
	if errno != 0 {
		return errno
	}
	unix.CloseOnExec(int(fd))
	r := &renames{s: s, listener: int(fd)}
	for range 4 { // one may be copying
		panics.Go(r.answer, func(p *panics.Value) {
			fmt.Fprintln(os.Stderr, supervisorName+":", p)
			os.Exit(125) // without an answer the command would wait for ever
		})
	}
	return nil
}

// renameFilter asks for every rename by the system calls of this machine's own kind, and lets all else pass.
func renameFilter() []unix.SockFilter {
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		result = unix.BPF_RET | unix.BPF_K
	)
	n := uint8(len(renameCalls))
	out := []unix.SockFilter{
		{Code: load, K: 4},
		{Code: equal, K: auditArch, Jf: n + 1},
		{Code: load, K: 0},
	}
	for i, nr := range renameCalls {
		out = append(out, unix.SockFilter{Code: equal, K: nr, Jt: n - uint8(i)})
	}
	return append(out, unix.SockFilter{Code: result, K: unix.SECCOMP_RET_ALLOW}, unix.SockFilter{Code: result, K: unix.SECCOMP_RET_USER_NOTIF})
}

// renames answers for the calls that the filter holds.
type renames struct {
	s        *supervisor
	listener int
	copying  sync.Mutex
	count    int
}

func (r *renames) answer() {
	for {
		var n notification
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(r.listener), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&n))); errno != 0 {
			if errno == unix.EINTR || errno == unix.ENOENT {
				continue
			}
			return
		}
		a := response{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if errno := r.prepare(&n); errno != 0 {
			a = response{id: n.id, err: -int32(errno)}
		}
		unix.Syscall(unix.SYS_IOCTL, uintptr(r.listener), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&a)))
	}
}

// prepare makes a rename possible, if it is one of a directory that is below the layer. Whatever fails, the call goes on, and
// the kernel judges it. prepare returns an error where the kernel would give another one than without an overlay.
func (r *renames) prepare(n *notification) syscall.Errno {
	c, ok := callOf(n)
	if !ok {
		return 0
	}
	from, err := r.find(n, c.fromDir, c.from)
	if err != nil {
		return 0
	}
	defer from.close()
	exchange := c.flags&unix.RENAME_EXCHANGE != 0
	if !from.isDir && !exchange {
		return 0
	}
	to, err := r.find(n, c.toDir, c.to)
	if err != nil {
		return 0
	}
	defer to.close()
	r.copying.Lock()
	defer r.copying.Unlock()
	switch {
	case exchange:
		for _, f := range []*found{from, to} {
			if f.isDir && r.isLower(f.rel()) {
				r.bringUp(f)
			}
		}
	case to.exists && (!to.isDir || c.flags&unix.RENAME_NOREPLACE != 0), below(to.parentRel, from.rel()), !r.isLower(from.rel()):
		// The kernel refuses it, or does it.
	case to.exists && !to.isEmpty():
		return unix.ENOTEMPTY
	default:
		r.bringUp(from)
	}
	return 0
}

// renameCall are the arguments of a rename.
type renameCall struct {
	fromDir, toDir int32
	from, to       string
	flags          uint64
}

// callOf reads the arguments from the memory of the caller.
func callOf(n *notification) (c renameCall, ok bool) {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", n.pid))
	if err != nil {
		return c, false
	}
	defer mem.Close()
	from, to := n.args[0], n.args[1]
	c.fromDir, c.toDir = unix.AT_FDCWD, unix.AT_FDCWD
	if n.nr != renameWithoutDirs {
		from, to = n.args[1], n.args[3]
		c.fromDir, c.toDir = int32(n.args[0]), int32(n.args[2])
	}
	if n.nr == unix.SYS_RENAMEAT2 {
		c.flags = n.args[4]
	}
	var okFrom, okTo bool
	c.from, okFrom = readString(mem, from)
	c.to, okTo = readString(mem, to)
	return c, okFrom && okTo
}

// readString reads a path, page by page since the next one may not be there.
func readString(mem *os.File, at uint64) (string, bool) {
	var out []byte
	for len(out) < unix.PathMax {
		buf := make([]byte, min(256, 4096-at%4096))
		n, _ := mem.ReadAt(buf, int64(at))
		if n <= 0 {
			return "", false
		}
		if end := bytes.IndexByte(buf[:n], 0); end >= 0 {
			return string(append(out, buf[:end]...)), true
		}
		out, at = append(out, buf[:n]...), at+uint64(n)
	}
	return "", false
}

// found is a name in the overlay.
type found struct {
	parent    int
	parentRel string // from the root
	name      string
	exists    bool
	isDir     bool
}

func (f *found) rel() string { return join(f.parentRel, f.name) }
func (f *found) close()      { unix.Close(f.parent) }

var errElsewhere = errors.New("not in the overlay")

// find resolves a path as the caller would. Callers with a root of their own are not served.
func (r *renames) find(n *notification, dirfd int32, p string) (*found, error) {
	proc := fmt.Sprintf("/proc/%d", n.pid)
	p = strings.TrimRight(p, "/")
	dir, name := path.Split(p)
	if name == "" || name == "." || name == ".." {
		return nil, errElsewhere
	}
	if root, err := os.Readlink(proc + "/root"); err != nil || root != "/" {
		return nil, errElsewhere
	}
	switch {
	case strings.HasPrefix(p, "/"):
	case dirfd == unix.AT_FDCWD:
		dir = proc + "/cwd/" + dir
	default:
		dir = fmt.Sprintf("%s/fd/%d/%s", proc, dirfd, dir)
	}
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := &found{parent: fd, name: name}
	at, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	var st unix.Stat_t
	if err != nil || unix.Fstat(fd, &st) != nil || uint64(st.Dev) != r.s.dev || !below(at, r.s.Root) {
		f.close()
		return nil, errElsewhere
	}
	f.parentRel = "."
	if at != r.s.Root {
		f.parentRel = strings.TrimPrefix(at, strings.TrimSuffix(r.s.Root, "/")+"/")
	}
	f.exists = unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil
	f.isDir = f.exists && st.Mode&unix.S_IFMT == unix.S_IFDIR
	return f, nil
}

func (f *found) isEmpty() bool {
	names, err := namesIn(f.parent, f.name)
	return err == nil && len(names) == 0
}

// isLower reports whether a directory of the overlay is one of the lower directory, alone or with something on top.
func (r *renames) isLower(rel string) bool {
	var st unix.Stat_t
	if unix.Fstatat(r.s.lower, rel, &st, unix.AT_SYMLINK_NOFOLLOW) != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return false
	}
	for up := rel; up != "."; up = path.Dir(up) {
		if r.s.isOpaque(up) {
			return false
		}
	}
	return true
}

// bringUp replaces a directory by a copy of it, which is in the layer alone.
func (r *renames) bringUp(f *found) {
	r.count++
	as := fmt.Sprintf(".emend-rename-%d-%d", os.Getpid(), r.count)
	c := copier{links: map[uint64]string{}}
	if err := c.tree(f.parent, f.name, f.parent, as); err != nil {
		removeAt(f.parent, as)
		return
	}
	if removeAt(f.parent, f.name) == nil {
		unix.Renameat2(f.parent, as, f.parent, f.name, unix.RENAME_NOREPLACE)
	}
}
