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

// file is a settings file of a client, as it was read.
type file struct {
	path    string // as the client names it
	target  string // the path behind symbolic links; people keep their dotfiles elsewhere
	content []byte // all bytes; nil if the file does not exist
	hasBOM  bool   // content begins with a byte order mark
	text    []byte // content without the byte order mark
	mode    fs.FileMode
}

func (f *file) exists() bool { return f.content != nil }

// readFile reads a file. One that does not exist is empty.
func readFile(path string) (*file, error) {
	f := &file{path: path, target: path}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, f.failure(fail.PermissionDenied, err, "")
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if f.target, err = filepath.EvalSymlinks(path); err != nil {
			return nil, f.failure(fail.NotFound, errors.New("it is a link that leads nowhere"), "Make what it leads to, or remove the link.")
		}
		if info, err = os.Stat(f.target); err != nil {
			return nil, f.failure(fail.PermissionDenied, err, "")
		}
	}
	if !info.Mode().IsRegular() {
		return nil, f.failure(fail.PermissionDenied, errors.New("it is not a regular file"), "")
	}
	if info.Size() > maxBytes {
		return nil, f.failure(fail.FileTooLarge, fmt.Errorf("it has over %d bytes", maxBytes), "")
	}
	f.mode = info.Mode()
	return f, f.readContent()
}

func (f *file) readContent() error {
	b, err := os.ReadFile(f.target)
	if err != nil {
		return f.failure(fail.PermissionDenied, err, "")
	}
	f.content = append([]byte{}, b...)
	f.text, f.hasBOM = bytes.CutPrefix(f.content, bom)
	return nil
}

// linkTarget returns the real path if the file, or a directory between base and the file, is a symbolic link, and ""
// otherwise. A cloned project may contain a link that leads out of it.
func (f *file) linkTarget(base string) string {
	if f.target != f.path {
		return f.target
	}
	rel, err := filepath.Rel(base, filepath.Dir(f.path))
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	realBase, err := filepath.EvalSymlinks(base)
	realDir, dirErr := filepath.EvalSymlinks(filepath.Dir(f.path))
	if err != nil || dirErr != nil || realDir == filepath.Join(realBase, rel) {
		return ""
	}
	return filepath.Join(realDir, filepath.Base(f.path))
}

func (f *file) failure(kind fail.Kind, cause error, hint string) error {
	if p, ok := errors.AsType[*fs.PathError](cause); ok {
		cause = p.Err
	}
	return &fail.Error{Kind: kind, Path: f.path, Msg: cause.Error(), Hint: hint, Cause: cause}
}

// withBOM prepends the byte order mark that the file had.
func (f *file) withBOM(text []byte) []byte {
	if f.hasBOM {
		return append(bytes.Clone(bom), text...)
	}
	return text
}

// writable refuses a file that a person made read-only, even if this account could write it.
func (f *file) writable() error {
	if f.exists() && f.mode&0o200 == 0 {
		return f.failure(fail.PermissionDenied, errors.New("it is read-only"), "Make it writable if it is meant to change.")
	}
	return nil
}

// checkUnchanged refuses if the file is no longer what was read. What was shown would then not be what is written.
func (f *file) checkUnchanged() error {
	now, err := readFile(f.path)
	if err != nil {
		return err
	}
	if now.exists() == f.exists() && bytes.Equal(now.content, f.content) && now.target == f.target {
		return nil
	}
	return f.failure(fail.Stale, errors.New("it changed after it was read, and was left alone"), "Run the command again.")
}

// write replaces the file, entirely or not at all. A save by another program between the last check and the rename is
// lost from the file. The backup has what was read.
func (f *file) write(b []byte, private bool) error {
	if err := f.writable(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.target), 0o777); err != nil {
		return f.failure(fail.PermissionDenied, err, "")
	}
	tmp, err := f.writeTemp(b, private)
	if err != nil {
		return f.failure(fail.CommandFailed, err, "")
	}
	defer os.Remove(tmp)
	if err := f.checkUnchanged(); err != nil {
		return err
	}
	if err := os.Rename(tmp, f.target); err != nil {
		return f.failure(fail.PermissionDenied, err, "")
	}
	return nil
}

// writeTemp writes a temporary file beside the real one, with its owner and permissions, and syncs it to disk.
func (f *file) writeTemp(b []byte, private bool) (string, error) {
	tmp, err := os.CreateTemp(filepath.Dir(f.target), "."+filepath.Base(f.target)+".*")
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
	err = errors.Join(err, tmp.Chmod(mode), f.copyOwner(tmp.Name()), tmp.Sync(), tmp.Close())
	if err != nil {
		os.Remove(tmp.Name()) //nolint:errcheck // the first error says why
	}
	return tmp.Name(), err
}

// remove removes the file if it still is what was read.
func (f *file) remove() error {
	if err := errors.Join(f.writable(), f.checkUnchanged()); err != nil {
		return err
	}
	return os.Remove(f.target)
}

// copyOwner gives another file the owner of this one.
func (f *file) copyOwner(name string) error {
	if !f.exists() {
		return nil
	}
	return copyOwner(f.target, name)
}
