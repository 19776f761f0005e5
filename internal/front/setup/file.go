package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/emend-dev/emend/fail"
)

var bom = []byte("\xef\xbb\xbf")

// file is a file of a client as it was found.
type file struct {
	path  string // as the client names it
	real  string // where links lead: people keep their dotfiles elsewhere
	found []byte // with everything; nil when it is not there
	mark  bool   // it begins with a byte order mark
	text  []byte // without it
	mode  fs.FileMode
}

func (f *file) exists() bool { return f.found != nil }

// load reads a file. One that is not there is empty.
func load(path string) (*file, error) {
	f := &file{path: path, real: path}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, f.refused(fail.PermissionDenied, err, "")
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if f.real, err = filepath.EvalSymlinks(path); err != nil {
			return nil, f.refused(fail.NotFound, errors.New("it is a link that leads nowhere"), "Make what it leads to, or remove the link.")
		}
		if info, err = os.Stat(f.real); err != nil {
			return nil, f.refused(fail.PermissionDenied, err, "")
		}
	}
	if !info.Mode().IsRegular() {
		return nil, f.refused(fail.PermissionDenied, errors.New("it is not a regular file"), "")
	}
	if info.Size() > mostBytes {
		return nil, f.refused(fail.FileTooLarge, fmt.Errorf("it has over %d bytes", mostBytes), "")
	}
	f.mode = info.Mode()
	return f, f.read()
}

func (f *file) read() error {
	b, err := os.ReadFile(f.real)
	if err != nil {
		return f.refused(fail.PermissionDenied, err, "")
	}
	f.found = append([]byte{}, b...)
	f.text, f.mark = bytes.CutPrefix(f.found, bom)
	return nil
}

// target is where links lead, that of the file or of a directory between it and base: a project that was cloned may have
// one that leads out of it. It is "" where there are none.
func (f *file) target(base string) string {
	if f.real != f.path {
		return f.real
	}
	rel, err := filepath.Rel(base, filepath.Dir(f.path))
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	top, err := filepath.EvalSymlinks(base)
	dir, derr := filepath.EvalSymlinks(filepath.Dir(f.path))
	if err != nil || derr != nil || dir == filepath.Join(top, rel) {
		return ""
	}
	return filepath.Join(dir, filepath.Base(f.path))
}

func (f *file) refused(kind fail.Kind, cause error, hint string) error {
	if p, ok := errors.AsType[*fs.PathError](cause); ok {
		cause = p.Err
	}
	return &fail.Error{Kind: kind, Path: f.path, Msg: cause.Error(), Hint: hint, Cause: cause}
}

// whole is a text with the mark that the file had.
func (f *file) whole(text []byte) []byte {
	if f.mark {
		return append(bytes.Clone(bom), text...)
	}
	return text
}

// writable refuses what the person has made read-only, whoever runs this.
func (f *file) writable() error {
	if f.exists() && f.mode&0o200 == 0 {
		return f.refused(fail.PermissionDenied, errors.New("it is read-only"), "Make it writable if it is meant to change.")
	}
	return nil
}

// fresh refuses when the file is no longer what was read: what was shown is then not what would be written.
func (f *file) fresh() error {
	is, err := load(f.path)
	if err != nil {
		return err
	}
	if is.exists() == f.exists() && bytes.Equal(is.found, f.found) && is.real == f.real {
		return nil
	}
	return f.refused(fail.Stale, errors.New("it changed after it was read, and was left alone"), "Run the command again.")
}

// write puts the bytes in the file's place, whole or not at all. Between the last look and the rename a save can still
// be lost from its place; the backup has what was read.
func (f *file) write(b []byte, private bool) error {
	if err := f.writable(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.real), 0o777); err != nil {
		return f.refused(fail.PermissionDenied, err, "")
	}
	tmp, err := f.temporary(b, private)
	if err != nil {
		return f.refused(fail.CommandFailed, err, "")
	}
	defer os.Remove(tmp)
	if err := f.fresh(); err != nil {
		return err
	}
	if err := os.Rename(tmp, f.real); err != nil {
		return f.refused(fail.PermissionDenied, err, "")
	}
	return nil
}

// temporary is a file beside the real one with its owner and permissions, on the disk.
func (f *file) temporary(b []byte, private bool) (string, error) {
	tmp, err := os.CreateTemp(filepath.Dir(f.real), "."+filepath.Base(f.real)+".*")
	if err != nil {
		return "", err
	}
	mode := f.mode.Perm()
	if !f.exists() {
		if mode = 0o644; private {
			mode = 0o600
		}
	}
	_, err = tmp.Write(b)
	err = errors.Join(err, tmp.Chmod(mode), f.own(tmp.Name()), tmp.Sync(), tmp.Close())
	if err != nil {
		os.Remove(tmp.Name()) //nolint:errcheck // the first error says why
	}
	return tmp.Name(), err
}

// remove takes the file away if it still is what was read.
func (f *file) remove() error {
	if err := errors.Join(f.writable(), f.fresh()); err != nil {
		return err
	}
	return os.Remove(f.real)
}

// own gives a file to the owner of the one that it replaces.
func (f *file) own(name string) error {
	if !f.exists() {
		return nil
	}
	return sameOwner(f.real, name)
}
