package commit

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDrivenIsMounted compares what the driver and the list of mounts say of a device.
func TestDrivenIsMounted(t *testing.T) {
	dir := t.TempDir()
	var is unix.Stat_t
	if err := unix.Stat(dir, &is); err != nil {
		t.Fatal(err)
	}
	number := fmt.Sprintf("%d:%d", unix.Major(is.Dev), unix.Minor(is.Dev))
	device, kind, err := mountOf(number)
	if err != nil || kind != "ext4" {
		t.Skipf("NOT RUN: %s is on %s (%v), and only ext4 has two ways to be asked", dir, kind, err)
	}
	journal, known := journalByDriver(number)
	if !known || journal != hasJournal(device) {
		t.Errorf("the driver says journal %v (known %v), the mount of %s says %v", journal, known, device, hasJournal(device))
	}
	if is, err := Filesystem(dir); err != nil || is != ext4(journal) {
		t.Errorf("%s is on %+v, %v", dir, is, err)
	}
	if journal, known := journalByDriver("0:0"); known {
		t.Errorf("a device that is none has a journal: %v", journal)
	}
}
