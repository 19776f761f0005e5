package history

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/internal/history/internal/pack"
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

// Of two packs one can replace the other only if one has no transaction outside of those of the other.
func TestNested(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		files := []string{"draft"}
		for i := range rnd.IntN(6) {
			first := rnd.IntN(20)
			files = append(files, fmt.Sprintf("%02d+%02d+%d.pack", first, first+rnd.IntN(6), i))
		}
		is := nested(files)
		for _, a := range files[1:] {
			want := slices.ContainsFunc(files[1:], func(b string) bool {
				first, last, _ := packRange(a)
				begin, end, _ := packRange(b)
				return a != b && (first <= begin && end <= last || begin <= first && last <= end)
			})
			if is(a) != want {
				t.Fatalf("%q: %s: %v", files, a, !want)
			}
		}
	}
}

// The indexes of packs that were read do not stay in memory, however many there are.
func TestForgottenIndexes(t *testing.T) {
	h, slot := packed(t)
	for i := range 5 {
		later := Slot(fmt.Sprintf("20260102-000000-aaaaaaaaa%d", i), 0)
		w, err := h.writePacks(true)
		if err == nil {
			err = w.add(nil, []*looseFile{{entry: pack.Entry{Name: later}, content: []byte{byte(i)}}})
		}
		if err != nil {
			t.Fatal(err)
		}
		w.close()
	}
	t.Cleanup(func(was int) func() { return func() { maxCached = was } }(maxCached))
	maxCached = 2
	names, err := h.Names("")
	if err != nil || len(names) != 6 {
		t.Fatal(names, err)
	}
	if len(h.packs.read) > 2 {
		t.Errorf("%d indexes stay in memory", len(h.packs.read))
	}
	if _, _, err := h.Find(slot); err != nil {
		t.Error(err)
	}
}
