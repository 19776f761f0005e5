package history

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

type anyDir = vfs.Dir // its name as a field is not that of a method

// torn is a directory whose first listing was read in two parts, with the replacing of a pack in between.
type torn struct {
	anyDir
	lists int
}

func (d *torn) Names() ([]string, error) {
	if d.lists++; d.lists == 1 {
		return nil, nil
	}
	return d.anyDir.Names()
}

// unstated is a directory that cannot look at its names.
type unstated struct{ anyDir }

func (unstated) Stat(string) (vfs.Info, error) { return vfs.Info{}, syscall.EIO }

func packed(t *testing.T) (h *History, slot string) {
	t.Helper()
	store := vfstest.NewDisk(vfstest.Journal).Root()
	err := Create(store)
	if err == nil {
		h, err = Open(store)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	slot = Slot("20260101-000000-aaaaaaaaaa", 0)
	err = h.WriteText(slot, "kept")
	if err == nil {
		_, _, err = h.Pack([]Item{{Name: slot}}, 1<<20)
	}
	if err != nil {
		t.Fatal(err)
	}
	return h, slot
}

// A pack that is replaced while the directory is listed is found.
func TestTornListing(t *testing.T) {
	h, slot := packed(t)
	for what, look := range map[string]func() error{
		"find": func() error { _, _, err := h.Find(slot); return err },
		"names": func() error {
			names, err := h.Names("")
			if err == nil && len(names) != 1 {
				err = fmt.Errorf("%q", names)
			}
			return err
		},
	} {
		dir := h.packs.dir
		h.packs.dir = &torn{anyDir: dir}
		if err := look(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		h.packs.dir = dir
	}
}

// What cannot be looked at is not gone.
func TestFindFails(t *testing.T) {
	h, slot := packed(t)
	h.packs.slots = unstated{h.packs.slots}
	if _, _, err := h.Find(slot); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
