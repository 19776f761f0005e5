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
// Files of finished transactions are packed, many into one file: see [History.Pack]. Whoever asks for a content by the name of
// its slot is not told where it is.
//
// The package decides nothing about users' files and cannot reach them.
package history

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
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
	store          vfs.Dir // the caller's
	slots, staging vfs.Dir
	packs          packs
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
	return &History{store: store, slots: slots, staging: staging, packs: packs{slots: slots}}, nil
}

// Close removes spare markers and closes the directories.
func (h *History) Close() error {
	h.dropSpareMarkers()
	return errors.Join(h.packs.close(), h.slots.Close(), h.staging.Close())
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
// the displaced file; "" for a file that is packed, which is described as it was. It fails with fs.ErrNotExist if nothing is
// kept there.
func (h *History) Find(slot string) (name string, is vfs.Info, err error) {
	for _, name = range []string{OldLink(slot), slot} {
		if is, err = h.slots.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			return name, is, err
		}
	}
	e, err := h.packs.find(slot)
	if err != nil {
		return "", is, err
	}
	return "", infoOf(e), nil
}

// Content is an open file of the history: a [vfs.File], unless it is packed.
type Content interface {
	io.Reader
	io.ReaderAt
	io.Closer
}

type packedContent struct{ *bytes.Reader }

func (packedContent) Close() error { return nil }

// Open opens the regular file that a slot keeps, for reading.
func (h *History) Open(slot string) (Content, vfs.Info, error) {
	for _, name := range []string{OldLink(slot), slot} {
		f, err := h.slots.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, vfs.Info{}, err
		}
		is, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, is, err
		}
		return f, is, nil
	}
	c, e, err := h.packs.content(slot)
	if err != nil {
		return nil, vfs.Info{}, err
	}
	return packedContent{bytes.NewReader(c)}, infoOf(e), nil
}

// PackedSum returns the sha256 of what is packed of a slot. ok is false if nothing is.
func (h *History) PackedSum(slot string) (sum string, ok bool) {
	e, err := h.packs.find(slot)
	if err != nil {
		return "", false
	}
	return hex.EncodeToString(e.Sum[:]), true
}

// Names lists what is kept, by its names: those of files in the slots, and those under which packs have something. tx limits
// it to one transaction; "" does not. If a pack is damaged it returns the names that it can tell, and ErrDamaged.
func (h *History) Names(tx string) ([]string, error) {
	loose, err := h.slots.Names()
	if err != nil {
		return nil, err
	}
	left := leftNames(loose)
	names, damaged := h.packs.names(tx, left)
	if damaged != nil && !errors.Is(damaged, ErrDamaged) {
		return nil, damaged
	}
	for _, name := range loose {
		if of, _, ok := strings.Cut(name, "."); ok && (tx == "" || of == tx) && !strings.HasSuffix(name, leftKind) {
			names[name] = true
		}
	}
	return slices.Collect(maps.Keys(names)), damaged
}

// Stat describes what is kept under one of its Names. stored is what it takes: for a packed file, about what the pack would
// be shorter without it.
func (h *History) Stat(name string) (is vfs.Info, stored int64, err error) {
	is, err = h.slots.Stat(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return is, is.Size, err
	}
	e, err := h.packs.find(name)
	if err != nil {
		return is, 0, err
	}
	return infoOf(e), e.Stored, nil
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

// ReadText reads what WriteText wrote. What is packed counts: a power cut may bring the file of a packed text back, and it was
// not synced.
func (h *History) ReadText(name string) (string, error) {
	c, _, damaged := h.packs.content(name)
	if damaged == nil {
		return string(c), nil
	}
	f, err := h.slots.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", damaged
	}
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

// Usage counts the files of the history, packs among them, and what they take.
func (h *History) Usage() (Usage, error) {
	var u Usage
	if err := u.add(h.slots); err != nil {
		return u, err
	}
	h.packs.mu.Lock()
	defer h.packs.mu.Unlock()
	dir, err := h.packs.open()
	if dir == nil || err != nil {
		return u, err
	}
	return u, u.add(dir)
}

func (u *Usage) add(dir vfs.Dir) error {
	names, err := dir.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		is, err := dir.Stat(name)
		if errors.Is(err, fs.ErrNotExist) || is.Mode.IsDir() {
			continue
		}
		if err != nil {
			return err
		}
		u.Files++
		u.Bytes += is.Size
	}
	return nil
}

// Check reads every pack, and returns the first error.
func (h *History) Check() error {
	return h.packs.each(func(string) bool { return true }, h.packs.check)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
