// Package history keeps the files that transactions displaced: the files themselves, in the slots that a commit
// exchanged them into. Nothing is copied, and nothing is moved before the answer.
//
// The slots of a transaction are numbered. Before the commit point a slot has the new content that is to take a file's
// place, or is reserved and empty. Afterwards it has the file that was there before, and its name is how a person asks
// for it back. All slots of a store lie in one directory, which exists before any transaction does: one sync of it
// makes all names of a transaction durable.
//
// A transaction that is being staged has a marker file, which stays locked as long as its process lives. A marker
// without a lock belongs to a dead process; its slots are garbage if the log does not have the transaction. Markers are
// never synced: a power cut can lose one and leave slots that only [History.Orphans] finds. A process that makes many
// transactions reuses its markers.
//
// The package decides nothing about users' files and cannot reach them.
package history

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/emend-dev/emend/internal/vfs"
)

// The directories of a store that belong to the history.
const (
	slotsName   = "slots"
	stagingName = "staging"
)

// History is the slots and markers of one store.
type History struct {
	slots, staging vfs.Dir
	alive          sync.Map // markers of this process, by name: no need to ask the disk for them
	spares         spareMarkers
}

// Create makes the directories in store. It syncs nothing; the caller syncs store.
func Create(store vfs.Dir) error {
	for _, name := range []string{slotsName, stagingName} {
		if err := store.Mkdir(name, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// Open opens the history of store.
func Open(store vfs.Dir) (*History, error) {
	slots, err := store.Dir(slotsName)
	if err != nil {
		return nil, err
	}
	staging, err := store.Dir(stagingName)
	if err != nil {
		slots.Close()
		return nil, err
	}
	return &History{slots: slots, staging: staging}, nil
}

// Close removes spare markers and closes the directories.
func (h *History) Close() error {
	h.dropSpareMarkers()
	return errors.Join(h.slots.Close(), h.staging.Close())
}

// Slots returns the directory of the slots.
func (h *History) Slots() vfs.Dir { return h.slots }

// Discard removes every name of n slots of a transaction.
func (h *History) Discard(tx string, n int) error {
	for i := range n {
		for _, name := range Names(Slot(tx, i)) {
			if err := ignoreMissing(h.slots.Remove(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Find returns the name of the file that a slot keeps, and describes it. That is the slot itself, or the second name of
// the displaced file. It fails with fs.ErrNotExist if nothing is kept there.
func (h *History) Find(slot string) (name string, is vfs.Info, err error) {
	for _, name = range []string{OldLink(slot), slot} {
		if is, err = h.slots.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			return name, is, err
		}
	}
	return "", is, err
}

// WriteText writes a text that belongs to a transaction but is not needed to recover it. It does not sync.
func (h *History) WriteText(name, text string) error {
	f, err := h.slots.Create(name, 0o600)
	if err != nil {
		return err
	}
	buf := make([]byte, max(1, min(len(text), 256<<10))) // writing the string at once would copy all of it
	_, err = io.CopyBuffer(struct{ io.Writer }{f}, struct{ io.Reader }{strings.NewReader(text)}, buf)
	return errors.Join(err, f.Close())
}

// ReadText reads what WriteText wrote.
func (h *History) ReadText(name string) (string, error) {
	f, err := h.slots.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return string(b), err
}

// Usage is the size of a history.
type Usage struct {
	Files int
	Bytes int64
}

// Usage counts the slots and the files that belong to them.
func (h *History) Usage() (Usage, error) {
	var u Usage
	names, err := h.slots.Names()
	if err != nil {
		return u, err
	}
	for _, name := range names {
		is, err := h.slots.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return u, err
		}
		u.Files++
		u.Bytes += is.Size
	}
	return u, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
