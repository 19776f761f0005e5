package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"

	"github.com/emend-dev/emend/internal/history/internal/pack"
	"github.com/emend-dev/emend/internal/vfs"
)

// looseFile is a file in the slots that is to be packed.
type looseFile struct {
	names   []string
	is      vfs.Info
	entry   pack.Entry
	content []byte
	like    string
}

// read reads the file of an item. It returns nil if the file is gone or has to stay.
func (w *packWriter) read(i Item) (*looseFile, error) {
	l, err := w.h.look(i)
	if l == nil || err != nil {
		return nil, err
	}
	if l.is.UID != w.own.UID || l.is.Size > pack.MaxContent || !l.is.Mode.IsRegular() || l.is.Mode != l.is.Mode.Perm() {
		return nil, nil
	}
	f, err := w.h.slots.Open(l.names[0])
	if err != nil {
		return nil, ignoreUnreadable(err)
	}
	defer f.Close()
	if i.Sum != "" {
		if stays, err := w.hasMore(f); stays || err != nil {
			return nil, err
		}
		// A power cut may bring the name back, and then it counts.
		if !unchanged(l.is, i.Synced) {
			if err := f.Sync(); err != nil {
				return nil, err
			}
		}
	}
	l.content = make([]byte, l.is.Size+1)
	n, err := f.ReadAt(l.content, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	l.content = l.content[:n]
	is, err := f.Stat()
	if err != nil || !unchanged(is, l.is) || int64(n) != l.is.Size || i.Sum != "" && (hexSum(l.content) != i.Sum || hasHole(l.content)) {
		return nil, err
	}
	l.entry = pack.Entry{Name: i.Name, Mode: is.Mode, UID: is.UID, GID: is.GID, Ino: is.ID.Ino, ModTime: is.ModTime}
	return l, nil
}

// SyncLoose syncs the file of an item, so that [History.Pack] does not have to while it holds the store's lock. The lock is not
// needed. recent reports whether the times of a file may not show a later change: Pack syncs such a file itself.
func (h *History) SyncLoose(i *Item, recent func(vfs.Info) bool) error {
	if i.Sum == "" {
		return nil
	}
	l, err := h.look(*i)
	if l == nil || err != nil {
		return err
	}
	f, err := h.slots.Open(l.names[0])
	if err != nil {
		return ignoreUnreadable(err)
	}
	defer f.Close()
	is, err := f.Stat()
	if err != nil || recent(is) || !is.Mode.IsRegular() {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	i.Synced = is
	return nil
}

// look finds the names of an item's file, if it has no others.
func (h *History) look(i Item) (*looseFile, error) {
	l := &looseFile{}
	own := []string{i.Name}
	if i.Sum != "" {
		own = []string{OldLink(i.Name), i.Name}
		for _, name := range []string{NewLink(i.Name), Aside(i.Name)} {
			if _, err := h.slots.Stat(name); !errors.Is(err, fs.ErrNotExist) {
				return nil, err // a recovery may have to look at it
			}
		}
	}
	for _, name := range own {
		is, err := h.slots.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || len(l.names) > 0 && is.ID != l.is.ID {
			return nil, err
		}
		l.names, l.is = append(l.names, name), is
	}
	if len(l.names) == 0 || l.is.Links != uint64(len(l.names)) {
		return nil, nil
	}
	return l, nil
}

// hasMore reports whether a file has what a pack cannot keep, or is open for writing.
func (w *packWriter) hasMore(f vfs.File) (bool, error) {
	release, open := f.Lease()
	release()
	if open {
		return true, nil
	}
	plain, err := w.plain(f)
	return !plain, err
}

// plain compares a file with the draft of the pack, which has what the system gives to every new file here.
func (w *packWriter) plain(f vfs.File) (bool, error) {
	if w.sample == nil {
		made, err := w.dir.Create(packDraft, 0o600)
		if err == nil {
			err = made.Close()
		}
		if err == nil {
			w.sample, err = w.dir.Open(packDraft)
		}
		if err == nil {
			err = w.dir.Remove(packDraft)
		}
		if err != nil {
			return false, err
		}
	}
	return f.Plain(w.sample)
}

// ignoreUnreadable returns nil for a file that is gone or may not be read: it stays.
func ignoreUnreadable(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return ignoreMissing(err)
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func unchanged(a, b vfs.Info) bool {
	return a.ID == b.ID && a.Size == b.Size && a.Mode == b.Mode && a.ModTime.Equal(b.ModTime) && a.ChangeTime.Equal(b.ChangeTime) && a.Links == b.Links
}

// hasHole reports whether a page of a content is empty. It may be a hole, which a restored file would not have.
func hasHole(content []byte) bool {
	var page [4096]byte
	for len(content) >= len(page) {
		if bytes.Equal(content[:len(page)], page[:]) {
			return true
		}
		content = content[len(page):]
	}
	return false
}

// removeLoose removes the files of what a durable pack has. A file that was written to since it was read stays, and counts.
func (w *packWriter) removeLoose(files []*looseFile) error {
	if len(files) > 0 {
		// Until here a power cut may undo the rename that brought a file into its slot. Without this sync it could undo that
		// and not the removal of a name, and a slot would have what was staged in it.
		if err := w.h.slots.Sync(); err != nil {
			return err
		}
	}
	for _, l := range files {
		if err := w.removeOne(l); err != nil {
			return err
		}
	}
	return nil
}

func (w *packWriter) removeOne(l *looseFile) error {
	f, err := w.h.slots.Open(l.names[0])
	if err != nil {
		return ignoreUnreadable(err)
	}
	defer f.Close()
	release, open := f.Lease()
	defer release()
	is, err := f.Stat()
	if open || err != nil || !unchanged(is, l.is) {
		return err
	}
	// The name that counts when both are there is removed last.
	for i := range l.names {
		if err := ignoreMissing(w.h.slots.Remove(l.names[len(l.names)-1-i])); err != nil {
			return err
		}
	}
	return nil
}
