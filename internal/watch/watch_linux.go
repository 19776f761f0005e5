package watch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// Watch listens to directories. Nobody has to read from it meanwhile: the kernel keeps what happens, up to a bound.
type Watch struct {
	fd   int
	mu   sync.Mutex
	dirs map[int32]string // by the number of the kernel
	far  []string         // see New
	deaf bool             // something may have happened unheard
	most int              // how many directories it listens to at most; 0 for any number
	full bool
}

// heard is what may change a file or the names in a directory. A file that was mapped is closed when it is unmapped.
const heard = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_CLOSE_WRITE | unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO |
	unix.IN_DELETE_SELF | unix.IN_MOVE_SELF

// New returns a watch that listens to no directory yet. A change of a file with one of the names far may concern any directory:
// after it, [Watch.Changed] does not know.
func New(far ...string) (*Watch, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	return &Watch{fd: fd, dirs: map[int32]string{}, far: far}, nil
}

// Close ends the watch.
func (w *Watch) Close() error { return unix.Close(w.fd) }

// Most limits the directories that the watch listens to. With more than that, [Watch.Changed] does not know, and the watch is full. Most
// does nothing for a watch that is nil.
func (w *Watch) Most(n int) {
	if w != nil {
		w.most = n
	}
}

// Full reports whether there were too many directories, for [Watch.Most] or for the system.
func (w *Watch) Full() bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.full
}

// Add listens to the directory that is open as fd, from now on. It may be called by several goroutines. If it cannot, [Watch.Changed]
// says so.
func (w *Watch) Add(fd int, dir string) {
	ok := isLocal(fd)
	var wd int
	var err error
	if ok = ok && !w.Full(); ok {
		wd, err = unix.InotifyAddWatch(w.fd, "/proc/self/fd/"+strconv.Itoa(fd), heard|unix.IN_ONLYDIR)
		ok = err == nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.full = w.full || errors.Is(err, unix.ENOSPC) || w.most > 0 && len(w.dirs) >= w.most; !ok || w.full {
		w.deaf = true
		return
	}
	if was, again := w.dirs[int32(wd)]; again && was != dir { // one directory under two names
		w.deaf = true
	}
	w.dirs[int32(wd)] = dir
}

// Deafen makes [Watch.Changed] say that something may have happened unheard. It does nothing for a watch that is nil.
func (w *Watch) Deafen() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deaf = true
}

// isLocal reports whether all changes of a file system go through this kernel, and are heard.
func isLocal(fd int) bool {
	var is unix.Statfs_t
	if unix.Fstatfs(fd, &is) != nil {
		return false
	}
	switch uint32(is.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.F2FS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, bcachefs, zfs:
		return true
	}
	return false
}

const (
	bcachefs = 0xca451a4e
	zfs      = 0x2fc12fc1
)

// Changed returns the directories in which files or names changed since they were added, or since it was called last. Whatever a
// program did before the call is in it. ok is false if something may have happened that was not heard: the kernel keeps too much
// to say, a directory was made, moved or removed, or could not be watched.
func (w *Watch) Changed() (dirs map[string]bool, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	dirs = map[string]bool{}
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(w.fd, buf)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return dirs, !w.deaf
		case err != nil || n == 0:
			w.deaf = true
			return dirs, false
		}
		w.note(buf[:n], dirs)
	}
}

// The layout of struct inotify_event: number, what happened, cookie, length of the name, name.
const eventSize = unix.SizeofInotifyEvent

func (w *Watch) note(events []byte, dirs map[string]bool) {
	for len(events) >= eventSize {
		wd, what := int32(binary.NativeEndian.Uint32(events)), binary.NativeEndian.Uint32(events[4:])
		size := min(eventSize+int(binary.NativeEndian.Uint32(events[12:])), len(events))
		name := bytes.TrimRight(events[eventSize:size], "\x00")
		events = events[size:]
		dir, known := w.dirs[wd]
		switch {
		case !known, what&(unix.IN_Q_OVERFLOW|unix.IN_UNMOUNT|unix.IN_IGNORED|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF) != 0:
			w.deaf = true
		case slices.Contains(w.far, string(name)):
			w.deaf = true
		case what&unix.IN_ISDIR != 0 && len(name) > 0: // what is below it may be another by now, and whether it may be entered
			w.deaf = true
		default:
			dirs[dir] = true
		}
	}
}
