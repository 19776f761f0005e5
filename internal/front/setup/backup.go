package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

const maxBackups = 100

// backupName returns the name of the n-th backup of a file: FILE.emend-backup, FILE.emend-backup.2 and so on. No
// backup is overwritten.
func (f *file) backupName(n int) string {
	if n == 1 {
		return f.target + ".emend-backup"
	}
	return fmt.Sprintf("%s.emend-backup.%d", f.target, n)
}

// backups returns the backups that exist, the oldest first.
func (f *file) backups() []*file {
	var out []*file
	for n := 1; n <= maxBackups; n++ {
		if b, err := readFile(f.backupName(n)); err == nil && b.exists() {
			out = append(out, b)
		}
	}
	return out
}

// writeBackup writes the content that was read to a new file beside the original, and returns its name. If a backup
// with this content exists already, it returns that one.
func (f *file) writeBackup() (string, error) {
	for n := 1; n <= maxBackups; n++ {
		name := f.backupName(n)
		if b, err := os.ReadFile(name); err == nil && bytes.Equal(b, f.content) {
			return name, nil
		}
		w, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, f.mode.Perm())
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = w.Write(f.content)
		if err = errors.Join(err, w.Sync(), w.Close(), f.copyOwner(name)); err != nil {
			os.Remove(name) //nolint:errcheck // the first error says why
			return "", err
		}
		return name, nil
	}
	return "", fmt.Errorf("there are %d backups already", maxBackups)
}

// removeBackups removes the obsolete backups, and those whose content is that of the file.
func (f *file) removeBackups(obsolete []*file) {
	current, err := readFile(f.path)
	if err != nil {
		return
	}
	for _, b := range f.backups() {
		isObsolete := slices.ContainsFunc(obsolete, func(s *file) bool { return s.path == b.path && bytes.Equal(s.content, b.content) })
		if isObsolete || current.exists() && bytes.Equal(b.content, current.content) {
			os.Remove(b.path) //nolint:errcheck // a backup that stays does no harm
		}
	}
}
