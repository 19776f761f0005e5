package guard

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A FIFO, a socket or a device is never opened, and never waited for.
func TestFolderSpecial(t *testing.T) {
	dir := t.TempDir()
	check(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	within(t, func() {
		each(t, func(t *testing.T, open opener) {
			f := folderOf(t, open(dir, Options{}), ".")
			if got := namesIn(t, f); len(got) != 1 || got[0] != "fifo special file" {
				t.Errorf("names: %q", got)
			}
			_, err := f.Open("fifo")
			refused(t, err, specialFile)
			if _, err := f.Enter("fifo"); err == nil {
				t.Error("entered a FIFO")
			}
			_, err = folderOf(t, open("/dev", Options{}), ".").Open("zero")
			refused(t, err, specialFile)
		})
	})
}
