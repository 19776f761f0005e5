package guard

import (
	"io"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Read reads the next bytes of the file.
func (f File) Read(p []byte) (int, error) {
	if f.f != nil {
		return f.f.Read(p)
	}
	n, err := retryInterrupted(func() (int, error) { return unix.Read(f.fd, p) })
	switch {
	case err != nil:
		return 0, &fs.PathError{Op: "read", Err: err}
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

// Close closes the file.
func (f File) Close() {
	if f.f != nil {
		f.f.Close()
		return
	}
	unix.Close(f.fd)
}
