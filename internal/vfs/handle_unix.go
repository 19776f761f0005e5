//go:build linux || darwin

package vfs

import (
	"io/fs"
	"sync"

	"golang.org/x/sys/unix"
)

// handle is a file descriptor that no call can use once it is closed: the number may mean another file by then, and a
// write to it would land there. A call that is under way when Close comes keeps the descriptor until it is done.
type handle struct {
	mu     sync.Mutex
	fd     int
	users  int
	closed bool
}

// use lends the descriptor to call. It holds no lock meanwhile, so calls on two handles cannot deadlock.
func (h *handle) use(call func(fd int) error) error {
	if err := h.acquire(); err != nil {
		return err
	}
	defer h.release()
	return call(h.fd)
}

func (h *handle) acquire() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return fs.ErrClosed
	}
	h.users++
	return nil
}

func (h *handle) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.users--
	if h.closed && h.users == 0 {
		unix.Close(h.fd)
	}
}

func (h *handle) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return fs.ErrClosed
	}
	h.closed = true
	if h.users > 0 {
		return nil
	}
	// An interrupted close is not repeated: Linux has released the number already.
	if err := unix.Close(h.fd); err != unix.EINTR {
		return err
	}
	return nil
}

// useBoth lends two descriptors, which may be the same one.
func useBoth(a, b *handle, call func(a, b int) error) error {
	return a.use(func(from int) error {
		return b.use(func(to int) error { return call(from, to) })
	})
}

// retry repeats a call that a signal interrupted. It is not for fsync, which must never be called twice: after an error
// the second call may report success with old bytes on disk.
func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

// retryCount is retry for calls that return a number: a descriptor or a count.
func retryCount(call func() (int, error)) (n int, err error) {
	err = retry(func() error { n, err = call(); return err })
	return n, err
}
