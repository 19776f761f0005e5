package sweep

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// foreignText is the text that somebody saves. No hunk matches in it.
const foreignText = "somebody else's words\n"

// saving saves foreign under a name in a workspace, as an editor does. It may return a function that waits for the end of the
// save.
type saving func(ws, name string) (late func())

// saveByRename writes a new file outside of the workspace, and renames it over the old one.
func saveByRename(ws, name string) func() {
	fresh, old := filepath.Join(filepath.Dir(ws), "saved"), filepath.Join(ws, name)
	fi, err := os.Stat(old)
	if err != nil {
		panic(err)
	}
	if err := errors.Join(put(fresh, []byte(foreignText), fi.Mode().Perm()), os.Rename(fresh, old)); err != nil {
		panic(err)
	}
	return nil
}

// saveInPlace truncates the file and writes it again. If a lease delays it, it continues when it may.
func saveInPlace(ws, name string) func() {
	path := filepath.Join(ws, name)
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_TRUNC|unix.O_NONBLOCK, 0)
	if err == nil {
		writeClose(fd)
		return nil
	}
	if err != unix.EWOULDBLOCK {
		panic(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		fd, err := unix.Open(path, unix.O_WRONLY|unix.O_TRUNC, 0)
		if err != nil {
			panic(err)
		}
		writeClose(fd)
	}()
	return func() { <-done }
}

func writeClose(fd int) {
	_, err := unix.Write(fd, []byte(foreignText))
	if err := errors.Join(err, unix.Close(fd)); err != nil {
		panic(err)
	}
}
