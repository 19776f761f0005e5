package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

const mostBackups = 100

// backup is the name of the n-th copy that setup makes of a file: FILE.emend-backup, then .2 and on. None is overwritten.
func (f *file) backup(n int) string {
	if n == 1 {
		return f.real + ".emend-backup"
	}
	return fmt.Sprintf("%s.emend-backup.%d", f.real, n)
}

// backups are those that are there, the oldest first.
func (f *file) backups() []*file {
	var out []*file
	for n := 1; n <= mostBackups; n++ {
		if b, err := load(f.backup(n)); err == nil && b.exists() {
			out = append(out, b)
		}
	}
	return out
}

// keep makes a copy of the file as it was read, beside it, under a name that nothing has; one that is there already is
// enough.
func (f *file) keep() (string, error) {
	for n := 1; n <= mostBackups; n++ {
		name := f.backup(n)
		if b, err := os.ReadFile(name); err == nil && bytes.Equal(b, f.found) {
			return name, nil
		}
		w, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, f.mode.Perm())
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = w.Write(f.found)
		if err = errors.Join(err, w.Sync(), w.Close(), f.own(name)); err != nil {
			os.Remove(name) //nolint:errcheck // the first error says why
			return "", err
		}
		return name, nil
	}
	return "", fmt.Errorf("there are %d backups already", mostBackups)
}

// forget removes the backups that are spent, and those that say what the file says.
func (f *file) forget(spent []*file) {
	is, err := load(f.path)
	if err != nil {
		return
	}
	for _, b := range f.backups() {
		old := slices.ContainsFunc(spent, func(s *file) bool { return s.path == b.path && bytes.Equal(s.found, b.found) })
		if old || is.exists() && bytes.Equal(b.found, is.found) {
			os.Remove(b.path) //nolint:errcheck // a copy that stays does no harm
		}
	}
}
