//go:build linux || darwin

package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The tests that demand the same answers of the system and of the disk in memory are in vfstest.

func TestMain(m *testing.M) {
	const common = 0o022
	unix.Umask(common)
	umask = common
	os.Exit(m.Run())
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// is demands an error, of the kind want when there is one.
func is(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
}

func put(t testing.TB, d Dir, name, data string) {
	t.Helper()
	f, err := d.Create(name, 0o644)
	check(t, err)
	_, err = f.Write([]byte(data))
	check(t, err)
	check(t, f.Close())
}

func dir(t testing.TB, d Dir, name string) Dir {
	t.Helper()
	check(t, d.Mkdir(name, 0o755))
	sub, err := d.Dir(name)
	check(t, err)
	t.Cleanup(func() { sub.Close() })
	return sub
}

// shut closes what was opened.
func shut[T io.Closer](opened T, err error) error {
	if err != nil {
		return err
	}
	return opened.Close()
}

func tempDir(t *testing.T) Dir {
	d, err := Open(t.TempDir())
	check(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

func readFile(t testing.TB, d Dir, name string) string {
	t.Helper()
	f, err := d.Open(name)
	check(t, err)
	defer f.Close()
	data, err := io.ReadAll(f)
	check(t, err)
	return string(data)
}

func TestFromRoot(t *testing.T) {
	path := t.TempDir()
	r, err := os.OpenRoot(path)
	check(t, err)
	d, err := FromRoot(r)
	check(t, err)
	defer d.Close()
	put(t, d, "f", "F")
	check(t, d.Sync())
	data, err := r.ReadFile("f")
	if string(data) != "F" {
		t.Errorf("%q, %v", data, err)
	}
	check(t, r.Close())
	put(t, d, "g", "")
	_, err = FromRoot(r)
	is(t, err, fs.ErrClosed)
	_, err = Open(filepath.Join(path, "none"))
	is(t, err, fs.ErrNotExist)
	_, err = Open(filepath.Join(path, "f"))
	is(t, err, syscall.ENOTDIR)
}
